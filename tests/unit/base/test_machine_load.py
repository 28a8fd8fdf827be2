# SPDX-License-Identifier: Apache-2.0
"""Whether other programs keep the machine busy."""

import os

import pytest

from mxnova.core.base import machine_load
from mxnova.core.base.machine_load import is_busy, waited


@pytest.mark.parametrize("load, busy", [(0.5, False), (2.8, False), (4, True)])
def test_load_for_each_core(monkeypatch, load, busy):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0, 0), raising=False)
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
