# SPDX-License-Identifier: Apache-2.0
import os

import pytest

from mxnova.core.base.cores import usable_cores


def test_cores_that_are_left_to_the_process(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3, 5}, raising=False)
    assert usable_cores() == 2


@pytest.mark.parametrize("known, expected", [(4, 4), (None, 1)])
def test_systems_that_do_not_say(monkeypatch, known, expected):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: known)
    assert usable_cores() == expected
