# SPDX-License-Identifier: Apache-2.0
from mxnova.core.base.unique_names import FreeNames


def test_taken_names_are_numbered():
    names = FreeNames({"a_1"})
    assert [names.free(name) for name in ("a", "a", "a", "b")] == ["a", "a_2", "a_3", "b"]
    assert [names.free(name) for name in ("a", "a_1", "b")] == ["a_4", "a_1_1", "b_1"]


def test_reserved_names_are_taken():
    names = FreeNames()
    assert names.free("a") == "a"
    names.reserve(["a_1"])
    assert names.free("a") == "a_2"
