# SPDX-License-Identifier: Apache-2.0
"""What tests of the command line have in common."""

import pytest


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    """Commands that run in this process leave its environment as it was."""
    monkeypatch.setenv("MXNOVA_TUNE_PROCESS", "0")
