# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.core.base import env
from mxnova.core.base.errors import ArgumentError


def test_variables_are_typed_and_checked(monkeypatch):
    monkeypatch.delenv("MXNOVA_FUSE", raising=False)
    assert env.get("MXNOVA_FUSE") is True
    monkeypatch.setenv("MXNOVA_FUSE", "0")
    assert env.get("MXNOVA_FUSE") is False
    monkeypatch.setenv("MXNOVA_FUSE", "perhaps")
    with pytest.raises(ArgumentError, match="MXNOVA_FUSE='perhaps'"):
        env.get("MXNOVA_FUSE")


def test_every_variable_is_described():
    text = env.describe_variables()
    assert all(name in text and v.doc in text for name, v in env.VARIABLES.items())
