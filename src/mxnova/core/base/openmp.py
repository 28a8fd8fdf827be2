# SPDX-License-Identifier: Apache-2.0
"""Tells OpenMP's threads to sleep soon when they have nothing to do.

GNU's OpenMP, which comes with torch, lets threads look for work 300,000 times (6 ms) before they
sleep, on the assumption that nobody else wants their cores. Where somebody does, such as a
DataLoader's workers, a thread waits in vain for one that is not running: a training step of an
LSTM on two busy cores takes 1.9 s then, and 0.7 s with threads that give up after 60 µs, which
bridges what lies between two operators. With cores to themselves both take 70 ms.
"""

from __future__ import annotations

import os
import sys

__all__ = ["tune"]

_LOOKS = 3000
_SET_BY_USERS = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")


def tune() -> bool:
    """Applies the setting unless the user's environment has one; tells whether it did.

    The library reads the environment once, when torch is loaded.
    """
    if "torch" in sys.modules or any(name in os.environ for name in _SET_BY_USERS):
        return False
    os.environ["GOMP_SPINCOUNT"] = str(_LOOKS)
    return True
