# SPDX-License-Identifier: Apache-2.0
"""How long OpenMP's threads look for work before they sleep."""

import os
import subprocess
import sys

import pytest

from mxnova.core.base import openmp

NAMES = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")


@pytest.mark.parametrize(
    "code, given, found",
    [
        ("import mxnova", {}, ("3000", "6000", "10000")),
        ("import mxnova", {"GOMP_SPINCOUNT": "7"}, ("7",)),
        ("import mxnova", {"OMP_WAIT_POLICY": "passive"}, ("None",)),
        ("import sys; sys.modules['torch'] = None; import mxnova", {}, ("None",)),
    ],
)
def test_the_environment_of_torch(code, given, found):
    clean = {name: value for name, value in os.environ.items() if name not in NAMES}
    show = f"{code}; import os; print(os.environ.get('GOMP_SPINCOUNT'))"
    run = subprocess.run(
        [sys.executable, "-c", show], env={**clean, **given}, capture_output=True, text=True
    )
    assert run.stdout.strip() in found, run.stderr


@pytest.mark.parametrize(
    "vendor, busy, looks",
    [
        ("AuthenticAMD", False, "10000"),
        ("AuthenticAMD", True, "3000"),
        ("GenuineIntel", False, "6000"),
        ("GenuineIntel", True, "3000"),
        (None, False, "6000"),
    ],
)
def test_looks_for_work(monkeypatch, tmp_path, vendor, busy, looks):
    info = tmp_path / "cpuinfo"
    if vendor is not None:
        info.write_text(f"processor\t: 0\nvendor_id\t: {vendor}\n")
    monkeypatch.setattr(openmp, "_CPU_INFO", info)
    monkeypatch.setattr(openmp, "is_busy", lambda: busy)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    for name in NAMES:
        monkeypatch.setenv(name, "")  # so that it is as before in the end
        monkeypatch.delenv(name)
    assert openmp.tune()
    assert os.environ["GOMP_SPINCOUNT"] == looks
