# SPDX-License-Identifier: Apache-2.0
from mxnova.core.base.free_names import free_name


def test_taken_names_are_numbered():
    taken = {"a_1"}
    assert [free_name(name, taken) for name in ("a", "a", "a", "b")] == ["a", "a_2", "a_3", "b"]
    assert taken == {"a", "a_1", "a_2", "a_3", "b"}
