# SPDX-License-Identifier: Apache-2.0
"""How long OpenMP's threads look for work before they sleep."""

import os
import subprocess
import sys

import pytest

NAMES = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")


@pytest.mark.parametrize(
    "code, given, found",
    [
        ("import mxnova", {}, "3000"),
        ("import mxnova", {"GOMP_SPINCOUNT": "7"}, "7"),
        ("import mxnova", {"OMP_WAIT_POLICY": "passive"}, "None"),
        ("import sys; sys.modules['torch'] = None; import mxnova", {}, "None"),
    ],
)
def test_the_environment_of_torch(code, given, found):
    clean = {name: value for name, value in os.environ.items() if name not in NAMES}
    show = f"{code}; import os; print(os.environ.get('GOMP_SPINCOUNT'))"
    run = subprocess.run(
        [sys.executable, "-c", show], env={**clean, **given}, capture_output=True, text=True
    )
    assert run.stdout.strip() == found, run.stderr
