# SPDX-License-Identifier: Apache-2.0
"""Who made the processor."""

import pytest

from mxnova.core.runtime import processor


@pytest.mark.parametrize(
    "info, family",
    [
        ("vendor_id\t: AuthenticAMD\ncpu family\t: 25\n", 25),
        ("vendor_id\t: GenuineIntel\ncpu family\t: 6\n", None),
        ("vendor_id\t: AuthenticAMD\n", None),
        (None, None),
    ],
)
def test_amd(monkeypatch, tmp_path, info, family):
    path = tmp_path / "cpuinfo"
    if info is not None:
        path.write_text(f"processor\t: 0\n{info}")
    monkeypatch.setattr(processor, "_CPU_INFO", path)
    assert processor.amd_family() == family
