# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.core.base import cpu_flags


@pytest.mark.parametrize(
    "flags, found",
    [
        ("fpu avx2 avx512_vnni", True),
        ("avx_vnni", True),
        ("fpu avx2 avx512f", False),
        (None, False),
    ],
)
def test_vnni(monkeypatch, tmp_path, flags, found):
    info = tmp_path / "cpuinfo"
    if flags is not None:
        info.write_text(f"processor\t: 0\nflags\t\t: {flags}\n")
    monkeypatch.setattr(cpu_flags, "_CPU_INFO", info)
    monkeypatch.setattr(cpu_flags, "cpu_flags", cpu_flags.cpu_flags.__wrapped__)
    assert cpu_flags.has_vnni() is found


def test_name(monkeypatch, tmp_path):
    info = tmp_path / "cpuinfo"
    monkeypatch.setattr(cpu_flags, "_CPU_INFO", info)
    assert cpu_flags.cpu_name() == ""
    info.write_text("processor\t: 0\nmodel name\t: Some CPU: fast\n")
    assert cpu_flags.cpu_name() == "Some CPU: fast"


@pytest.mark.parametrize(
    "info, family",
    [
        ("vendor_id\t: AuthenticAMD\ncpu family\t: 25\n", 25),
        ("vendor_id\t: GenuineIntel\ncpu family\t: 6\n", None),
        ("vendor_id\t: AuthenticAMD\n", None),
        ("", None),
    ],
)
def test_amd(monkeypatch, tmp_path, info, family):
    path = tmp_path / "cpuinfo"
    monkeypatch.setattr(cpu_flags, "_CPU_INFO", path)
    assert cpu_flags.amd_family() is None
    path.write_text(f"processor\t: 0\n{info}")
    assert cpu_flags.amd_family() == family
