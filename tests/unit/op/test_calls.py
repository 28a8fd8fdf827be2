# SPDX-License-Identifier: Apache-2.0
"""How the arguments of an operator's function are sorted, and what its help shows."""

from __future__ import annotations

import inspect

import pytest

from mxnova.core.base.errors import ArgumentTypeError
from mxnova.core.base.parameter_types import NOT_GIVEN
from mxnova.core.op import library  # noqa: F401 - registers the operators
from mxnova.core.op.calls import CallForm, documented
from mxnova.core.op.schema import REGISTRY, find


class Array:
    """What stands for an array here."""


A, B = Array(), Array()


def split(op, /, *args, **kwargs):
    form = CallForm(find(op), ("out", "name"))
    return form.split(args, kwargs, lambda value: isinstance(value, Array))


def test_positional_arguments_are_arrays_then_parameters_then_extras():
    call = split("sum", A, 1, True, False, B, "s")
    assert call.named == {"data": A}
    assert call.attrs == {"axis": 1, "keepdims": True, "exclude": False}
    assert call.extras == {"out": B, "name": "s"}


def test_arrays_by_name_keep_the_operators_order():
    call = split("FullyConnected", weight=B, data=A, num_hidden=2, bias=None)
    assert list(call.named.items()) == [("data", A), ("weight", B)]
    assert call.attrs == {"num_hidden": 2}


def test_what_is_not_given_is_left_out():
    assert split("sum", A, NOT_GIVEN, True).attrs == {"keepdims": True}
    assert split("Concat", A, dim=NOT_GIVEN).attrs == {"num_args": 1}


def test_variadic_operators_count_their_arrays():
    call = split("Concat", A, B, dim=0, name="c", out=A)
    assert (call.arrays, call.named) == ([A, B], {})
    assert (call.attrs, call.extras) == ({"dim": 0, "num_args": 2}, {"name": "c", "out": A})
    assert split("Concat", [A, B]).arrays == [A, B]
    assert split("Concat", arg1=B, arg0=A).named == {"arg1": B, "arg0": A}
    assert split("Concat", A, num_args=1).attrs == {"num_args": 1}


FORMS = [CallForm(find(name), ("out", "name")) for name in sorted(REGISTRY)]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.type.name)
def test_arrays_may_be_given_for_parameters(form):
    """By position and by name, in every operator; what reads the parameter judges them."""
    for name in form.parameters:
        by_name = form.split((), {name: A}, lambda value: value is A)
        assert (by_name.attrs.get(name), by_name.named) == (A, {})
    places = () if form.variadic is not None else form.parameters_by_place
    for i, name in enumerate(places):
        args = [*[B] * len(form.arrays), *[NOT_GIVEN] * i, A]
        by_place = form.split(args, {}, lambda value: value in (A, B))
        assert by_place.attrs == {name: A}
        assert list(by_place.named.values()) == [B] * len(form.arrays)


def test_arguments_that_mxnet_does_not_list_go_by_name():
    assert split("smooth_l1", A, 2.0, B).extras == {"out": B}
    assert split("smooth_l1", A, is_int=False).attrs == {"is_int": False}
    assert split("_linalg_potrf", A, B).extras == {"out": B}


@pytest.mark.parametrize(
    "name, args, kwargs, text",
    [
        ("relu", (3,), {}, "data must be an array, not a int"),
        ("relu", (A, None, "n", 4), {}, "takes at most 3 arguments, not 4"),
        ("relu", (A,), {"data": B}, "data is given twice"),
        ("sum", (A,), {"axs": B}, "'axs' is no array"),
        ("Concat", (A, 3), {}, "argument 1 must be an array"),
    ],
)
def test_errors(name, args, kwargs, text):
    with pytest.raises(ArgumentTypeError, match=text):
        split(name, *args, **kwargs)


def test_help_shows_arguments_and_what_they_mean():
    form = CallForm(find("smooth_l1"), ("out",))
    function = documented(lambda: None, "smooth_l1", form, {"out": "where to."})
    assert str(inspect.signature(function)) == (
        "(data=None, scalar=1.0, out=None, *, is_int=True, **kwargs)"
    )
    assert "data: " in function.__doc__
    assert "scalar: " in function.__doc__
    assert "    out: where to.\n\nExample:\n    >>> " in function.__doc__
    variadic = CallForm(find("Concat"), ("out",)).signature()
    assert str(variadic) == "(*data, num_args=None, dim=1, out=None, **kwargs)"


@pytest.mark.parametrize(
    ("op", "names"),
    [
        ("sum", ("axis", "keepdims", "exclude")),
        ("clip", ("a_min", "a_max")),
        ("smooth_l1", ("scalar",)),  # `is_int` goes by name only
        ("Concat", ()),
    ],
)
def test_parameters_by_place_follow_all_arrays(op, names):
    form = CallForm(find(op), ("out", "name"))
    assert form.variadic or form.parameters_by_place == names
