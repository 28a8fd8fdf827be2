# SPDX-License-Identifier: Apache-2.0
import keyword

import pytest

from mxnova.core.base.unique_names import FreeNames, to_identifier, unique_identifiers
from tests.hostile_names import NAMES


def test_taken_names_are_numbered():
    names = FreeNames({"a_1"})
    assert [names.free(name) for name in ("a", "a", "a", "b")] == ["a", "a_2", "a_3", "b"]
    assert [names.free(name) for name in ("a", "a_1", "b")] == ["a_4", "a_1_1", "b_1"]


def test_reserved_names_are_taken():
    names = FreeNames()
    assert names.free("a") == "a"
    names.reserve(["a_1"])
    assert names.free("a") == "a_2"


@pytest.mark.parametrize("name", [*NAMES, "", "\0", "\ud800"])
def test_to_identifier_returns_plain_identifiers(name):
    made = to_identifier(name)
    assert made.isidentifier() and made.isascii()
    assert not keyword.iskeyword(made)
    assert not made.startswith("_")


def test_unique_identifiers_keeps_usable_names():
    names = ["x.1", "x_1", "x-1", "class", "self", "ª", "_x", "x"]
    assert unique_identifiers(names, {"self"}) == {
        "x.1": "x_1_1", "x_1": "x_1", "x-1": "x_1_2", "class": "a_class", "self": "self_1",
        "ª": "value", "_x": "x_2", "x": "x",
    }  # fmt: skip
