# SPDX-License-Identifier: Apache-2.0
"""Who made the processor."""

import pytest

from mxnova.core.runtime import processor


@pytest.mark.parametrize(
    "vendor, found", [("AuthenticAMD", True), ("GenuineIntel", False), (None, False)]
)
def test_amd(monkeypatch, tmp_path, vendor, found):
    info = tmp_path / "cpuinfo"
    if vendor is not None:
        info.write_text(f"processor\t: 0\nvendor_id\t: {vendor}\n")
    monkeypatch.setattr(processor, "_CPU_INFO", info)
    assert processor.is_amd() is found
