# SPDX-License-Identifier: Apache-2.0
"""The collector rests inside blocks, in any thread and depth, and is as it was afterwards."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import pytest

from mxnova.core.base.gc_pause import resting
from mxnova.core.runtime.forks import after_fork_in_child  # noqa: F401 (which ends it in children)


def test_it_rests_until_the_outermost_block_ends() -> None:
    assert gc.isenabled()
    with resting():
        with resting():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_error_ends_the_rest() -> None:
    with pytest.raises(KeyError), resting():
        raise KeyError
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with resting():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_child_forked_inside_collects() -> None:
    with resting():
        child = os.fork()
        if child == 0:
            os._exit(0 if gc.isenabled() else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert gc.isenabled()


LOADED = """
import gc
{before}
import mxnova as mx
mx.nd
print(gc.isenabled(), gc.get_freeze_count() > 50_000)
"""


@pytest.mark.parametrize(
    "before, expected",
    [
        ("", "True True"),
        ("gc.disable()", "False True"),
        ("import torch", "True False"),
        ("work = [[] for _ in range(200_000)]", "True False"),
    ],
    ids=["first of all", "switched off", "torch is there", "after work"],
)
def test_what_is_loaded_first_is_not_looked_through(before, expected):
    code = LOADED.format(before=before)
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, check=True, env={**os.environ, "MXNOVA_TUNE_PROCESS": "1"},
    )  # fmt: skip
    assert found.stdout.strip() == expected
