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


@pytest.mark.parametrize("name", ["MXNOVA_DIST_TIMEOUT", "MXNOVA_DIST_START_TIMEOUT"])
@pytest.mark.parametrize("text", ["nan", "-nan", "inf", "-inf", "-1", "0", "1e7", "soon", "", "1s"])
def test_spans_of_time_are_numbers_that_one_can_wait_for(monkeypatch, name, text):
    monkeypatch.setenv(name, text)
    with pytest.raises(ArgumentError, match=f"environment: {name}='{text}'.*must be"):
        env.get(name)
    monkeypatch.setenv(name, "2.5")
    assert env.get(name) == 2.5


@pytest.mark.parametrize("text", ["nan", "inf", "-1", "0", "1.5", "many", ""])
def test_bounds_are_positive_integers(monkeypatch, text):
    monkeypatch.setenv("MXNET_KVSTORE_BIGARRAY_BOUND", text)
    with pytest.raises(ArgumentError, match=f"MXNET_KVSTORE_BIGARRAY_BOUND='{text}'.*must be"):
        env.get("MXNET_KVSTORE_BIGARRAY_BOUND")


def test_every_variable_is_described():
    text = env.describe_variables()
    assert all(name in text and v.doc in text for name, v in env.VARIABLES.items())
