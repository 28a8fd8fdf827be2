# SPDX-License-Identifier: Apache-2.0
"""Classes by name, by JSON and by dictionary."""

from __future__ import annotations

import pytest

import mxnova as mx


class Base:
    pass


register = mx.registry.get_register_func(Base, "thing")
alias = mx.registry.get_alias_func(Base, "thing")
create = mx.registry.get_create_func(Base, "thing")


@alias("first", "Second")
@register
class Thing(Base):
    def __init__(self, a=1, b=2):
        self.a, self.b = a, b


def test_classes_are_registered_in_lower_case():
    assert mx.registry.get_registry(Base) == dict.fromkeys(("thing", "first", "second"), Thing)


def test_what_is_given_out_is_a_copy():
    mx.registry.get_registry(Base)["other"] = Thing
    assert "other" not in mx.registry.get_registry(Base)


@pytest.mark.parametrize(
    "args, kwargs, expected",
    [
        (("thing",), {}, (1, 2)),
        (("FIRST", 3), {"b": 4}, (3, 4)),
        (('["second", {"a": 9}]',), {}, (9, 2)),
        (('{"thing": "first", "b": 5}',), {}, (1, 5)),
        (({"thing": "first", "b": 5},), {}, (1, 5)),
        ((), {"thing": "first", "a": 6}, (6, 2)),
    ],
)
def test_created(args, kwargs, expected):
    made = create(*args, **kwargs)
    assert type(made) is Thing
    assert (made.a, made.b) == expected


def test_a_dictionary_that_describes_stays_what_it_was():
    described = {"thing": "first", "b": 5}
    create(described)
    assert described == {"thing": "first", "b": 5}


def test_an_instance_is_given_back():
    made = Thing()
    assert create(made) is made


@pytest.mark.parametrize(
    "args, kwargs, text",
    [
        (("fist",), {}, "did you mean 'first'"),
        ((3,), {}, "must be a name"),
        ((), {}, "must be a name"),
        ((Thing(), 3), {}, "further arguments"),
        (('["first", {}]',), {"a": 3}, "further arguments"),
        (('["first"]',), {}, "must be"),
        (('["first", [1]]',), {}, "must be"),
        (('{"a": 1}',), {}, "must be"),
        (("[nonsense",), {}, "no JSON"),
    ],
)
def test_refused(args, kwargs, text):
    with pytest.raises(AssertionError, match=text) as caught:
        create(*args, **kwargs)
    assert isinstance(caught.value, mx.MXNetError)


@pytest.mark.parametrize("klass", [int, 3])
def test_only_derived_classes_are_registered(klass):
    with pytest.raises(AssertionError, match="derived from Base"):
        register(klass)


def test_a_name_given_away_again_is_told():
    class Other(Base):
        pass

    register(Other, "mine")
    with pytest.warns(UserWarning, match="mine"):
        register(Thing, "mine")
    assert mx.registry.get_registry(Base)["mine"] is Thing
