# SPDX-License-Identifier: Apache-2.0
import threading

import pytest

from mxnova.core.base.scopes import AttrScope, NameManager, Prefix


def test_names_count_per_hint_and_prefix_stacks():
    with NameManager() as names:
        assert [names.get(None, "relu"), names.get(None, "relu"), names.get(None, "fc")] == [
            "relu0",
            "relu1",
            "fc0",
        ]
        with Prefix("net_"):
            assert NameManager.get_current().get(None, "relu") == "net_relu0"
            assert NameManager.get_current().get("out", "relu") == "net_out"
        assert NameManager.get_current() is names


def test_attribute_scopes_nest_and_inner_ones_win():
    with AttrScope(ctx_group="a", __x__="1"), AttrScope(ctx_group="b"):
        assert AttrScope.get_current().get({"y": "2"}) == {"ctx_group": "b", "__x__": "1", "y": "2"}
    assert AttrScope.get_current().get(None) == {}


def test_attributes_are_strings():
    with pytest.raises(ValueError, match="strings"):
        AttrScope(lr_mult=2)


def test_scopes_belong_to_their_thread():
    seen = []
    with AttrScope(a="1"):
        thread = threading.Thread(target=lambda: seen.append(AttrScope.get_current().get(None)))
        thread.start()
        thread.join()
    assert seen == [{}]


def test_a_prefix_may_be_the_first_scope_of_a_thread():
    def work():
        with Prefix("net_") as names:
            seen.append(names.get(None, "relu"))
        seen.append(NameManager.get_current().get(None, "relu"))

    seen = []
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == ["net_relu0", "relu0"]


def test_the_current_value_can_be_replaced():
    with NameManager() as outer:
        with NameManager():
            other = NameManager()
            NameManager.set_current(other)
            assert NameManager.get_current() is other
        assert NameManager.get_current() is outer


def in_a_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


@pytest.mark.parametrize(
    "kind, value", [(AttrScope, AttrScope(a="1")), (NameManager, Prefix("p_"))]
)
def test_the_current_value_may_be_assigned_to_the_class_and_is_the_threads(kind, value):
    def work():
        kind.current = value
        seen.append(kind.current)
        kind._current.value = other
        seen.append(kind._current.value)

    seen, before, other = [], kind.current, kind()
    in_a_thread(work)
    assert seen == [value, other]
    assert kind.current is before
