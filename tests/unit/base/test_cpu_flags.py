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
    assert cpu_flags.has_vnni.__wrapped__() is found
