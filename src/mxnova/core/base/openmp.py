# SPDX-License-Identifier: Apache-2.0
"""Tells OpenMP's threads to sleep soon when they have nothing to do.

GNU's OpenMP, which comes with torch, lets threads look for work 300,000 times (6 ms) before they
sleep, on the assumption that nobody else wants their cores. Where somebody does, such as a
DataLoader's workers, a thread waits in vain for one that is not running: a training step of an LSTM
on two busy cores takes 1.9 s then, and 0.7 s with threads that give up after 3,000 looks, which
bridges most of what lies between two operators. With cores to themselves both take 70 ms.

A look takes 13 to 20 ns on Intel's processors and 30 ns on AMD's, which need more time for what
lies between two operators. Two threads, quiet, SqueezeNet: 8.9 ms with 3,000 looks and 5.7 with
6,000 on a Xeon, 8.4 with 3,000 and 6.9 with 10,000 on an EPYC. Beside others more looks cost more:
14 ms with 3,000 and 19 with 6,000 on the Xeon beside one busy program, 105 with 3,000 and 228 with
10,000 on the EPYC beside eight. So a machine that is busy when a process starts gets the fewer.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .machine_load import is_busy

__all__ = ["tune"]

_LOOKS = 6_000
_LOOKS_OF_AMD = 10_000
_LOOKS_BESIDE_OTHERS = 3_000
_CPU_INFO = Path("/proc/cpuinfo")
_SET_BY_USERS = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")


def tune() -> bool:
    """Applies the setting unless the user's environment has one; tells whether it did.

    The library reads the environment once, when torch is loaded.
    """
    if "torch" in sys.modules or any(name in os.environ for name in _SET_BY_USERS):
        return False
    os.environ["GOMP_SPINCOUNT"] = str(_looks())
    return True


def _looks() -> int:
    if is_busy():
        return _LOOKS_BESIDE_OTHERS
    return _LOOKS_OF_AMD if _is_amd() else _LOOKS


def _is_amd() -> bool:
    try:
        with open(_CPU_INFO, "rb") as file:
            return b"AuthenticAMD" in file.read(512)  # all of it takes milliseconds
    except OSError:
        return False
