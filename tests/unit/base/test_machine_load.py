# SPDX-License-Identifier: Apache-2.0
"""Whether other programs keep the machine busy."""

import os

import pytest

from mxnova.core.base import machine_load
from mxnova.core.base.machine_load import is_busy, waited


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A function that sets the load of two cores and how many threads are runnable."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(machine_load, "_LOAD", tmp_path / "loadavg")

    def set_to(load, runnable):
        monkeypatch.setattr(os, "getloadavg", lambda: (load, 0, 0), raising=False)
        if runnable is not None:
            (tmp_path / "loadavg").write_text(f"{load:.2f} 0.00 0.00 {runnable}/80 11206\n")

    return set_to


@pytest.mark.parametrize(
    "load, runnable, busy",
    [(0.5, 5, False), (2.8, 5, False), (4, 3, True), (4, 2, False), (4, None, True)],
)
def test_a_machine_is_busy_that_was_so_and_is_so(machine, load, runnable, busy):
    machine(load, runnable)
    assert is_busy() == busy


def test_where_no_load_is_told(monkeypatch):
    monkeypatch.delattr(os, "getloadavg", raising=False)
    assert not is_busy()


def test_waiting_of_all_threads(monkeypatch, tmp_path):
    for name, text in (("1", "5 2000000000 3"), ("2", "7 500000000 1")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "schedstat").write_text(text)
    monkeypatch.setattr(machine_load, "_TASKS", tmp_path)
    assert waited() == 2.5
    monkeypatch.setattr(machine_load, "_TASKS", tmp_path / "nowhere")
    assert waited() == 0
