# SPDX-License-Identifier: Apache-2.0
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mxnova.core.base.errors import ArgumentError
from mxnova.core.base.parameter_types import attr_text
from mxnova.core.base.params import (
    Double,
    Floats,
    Longs,
    OptionalInts,
    PosInt,
    Shape,
    UInt,
    bounded,
    describe,
    doc_of_arguments,
    fields_of,
    kind_of,
    parse_attrs,
)

# What MXNet 1.9.1 makes of each text.
# fmt: off
READ = [
    (bool, "True", True), (bool, "true", True), (bool, "TRUE", True), (bool, "1", True), (bool, "0", False),
    (int, " 3", 3), (int, "3 ", 3), (int, "+3", 3), (int, "-3", -3),
    (float, "0.5", 0.5), (float, ".5", 0.5), (float, "5.", 5.0), (float, "0.5f", 0.5), (float, " 0.5", 0.5),
    (float, "1e-3", 0.0010000000474974513), (float, "inf", np.inf), (float, "-infinity", -np.inf),
    (Double, "1e-3", 1e-3),
    (Shape, "(3,3)", (3, 3)), (Shape, "[3,3]", (3, 3)), (Shape, "3", (3,)), (Shape, "(3,)", (3,)), (Shape, "( 3 , 3 )", (3, 3)),
    (Shape, "(3L, 3L)", (3, 3)), (Shape, "(3,3,)", (3, 3)), (Shape, "()", ()), (Shape, "(-1,3)", (-1, 3)),
    (Floats, "(1,2)", (1.0, 2.0)), (Floats, "[1,2]", (1.0, 2.0)), (Floats, "1", (1.0,)), (Floats, "(1.5,)", (1.5,)), (Floats, "()", ()),
    (Longs, "[0, 1]", (0, 1)),
    (OptionalInts, "(None,1)", (None, 1)), (OptionalInts, "1", (1,)),
    (int | None, "None", None), (int | None, "1", 1),
    (Literal["clip", "wrap"], "clip", "clip"), (Literal["a", None], "None", None),
]
REFUSED = [
    (bool, "yes"), (bool, ""), (bool, "2"), (bool, " True"), (bool, "None"), (bool, "T"),
    (int, "3.0"), (int, "1e1"), (int, "0x3"), (int, "True"), (int, "None"), (int, ""), (int, "3L"), (int, "2147483648"), (int, "3abc"),
    (PosInt, "0"), (UInt, "-1"),
    (float, "1e400"), (float, "1e39"), (float, "0x1p3"), (float, "0.5 "), (float, ""), (float, "None"), (float, "True"), (float, "1_0"), (float, "1e-50"),
    (Double, "1e400"), (Double, "True"),
    (Shape, "None"), (Shape, "(3"), (Shape, "3,3"), (Shape, "(3.0,3)"), (Shape, ""), (Shape, "(3 3)"), (Shape, "(3,3)x"), (Shape, "(3l,3)"), (Shape, "(1e1,3)"),
    (Floats, "(1,a)"), (Floats, "1,2"), (Floats, ""),
    (int | None, "none"), (int | None, "1.0"), (int | None, ""),
    (Literal["clip", "wrap"], "strict"), (bounded(float, 0, 1), "1.5"),
]
PRINTED = [
    (bool, True, "1"), (float, 0.9, "0.899999976"), (float, 1e-8, "9.99999994e-09"), (Double, 1e-3, "0.001"),
    (Shape, (0, 0), "[0,0]"), (Floats, (0.1, 0.2), "[0.1,0.2]"), (int | None, None, "None"),
]
# fmt: on


@pytest.mark.parametrize("annotation, text, value", READ, ids=repr)
def test_text_is_read_as_mxnet_reads_it(annotation, text, value):
    assert kind_of(annotation).parse(text) == value


@pytest.mark.parametrize("annotation, text", REFUSED, ids=repr)
def test_text_that_mxnet_refuses_is_refused(annotation, text):
    with pytest.raises(ValueError):
        kind_of(annotation).parse(text)


@pytest.mark.parametrize("annotation, value, text", PRINTED, ids=repr)
def test_values_print_as_in_mxnet(annotation, value, text):
    kind = kind_of(annotation)
    assert kind.text(kind.parse(value)) == text


@given(st.floats(width=32, allow_nan=False))
def test_float32_survives_its_text(value):
    kind = kind_of(float)
    if value == 0 or abs(value) >= 2**-126:
        assert kind.parse(kind.text(value)) == value


@given(st.lists(st.integers(-(2**31), 2**31 - 1)))
def test_shapes_survive_both_texts(dims):
    kind = kind_of(Shape)
    assert kind.parse(kind.text(tuple(dims))) == kind.parse(attr_text(dims)) == tuple(dims)


def example(*, num_hidden: PosInt, p: bounded(float, 0, 1) = 0.9, axis: int | None = -1):
    """An example.

    Args:
        num_hidden: features
            of the output.
        p: probability.
    """


FIELDS = fields_of(example.__annotations__, example.__kwdefaults__, ["num_hidden", "p", "axis"])


def test_fields_describe_themselves_as_mxnet_does():
    assert [f.type_text for f in FIELDS] == [
        "int, required",
        "float, optional, default=0.899999976",
        "int or None, optional, default='-1'",
    ]
    text = describe(FIELDS, doc_of_arguments(example.__doc__))
    assert "num_hidden : int, required\n    features of the output." in text


def test_attributes_become_typed_values():
    values = parse_attrs("Op", FIELDS, {"num_hidden": "3", "axis": "None", "__lr_mult__": "2"})
    assert values == {"num_hidden": 3, "p": np.float32(0.9), "axis": None}


def test_none_stands_for_the_default_of_a_shape():
    pad, scale = fields_of({"pad": Shape, "scale": Shape}, {"pad": (1, 1)}, ["pad", "scale"])
    assert parse_attrs("Op", [pad], {"pad": "None"}) == {"pad": (1, 1)}
    with pytest.raises(ArgumentError, match="scale=None"):
        parse_attrs("Op", [scale], {"scale": None})


@pytest.mark.parametrize(
    "attrs, facts",
    [
        ({}, ["Op", "num_hidden", "missing"]),
        ({"num_hiden": "3"}, ["num_hiden", "did you mean 'num_hidden'"]),
        ({"num_hidden": "3", "rate": "1"}, ["rate", "p: float"]),
        ({"num_hidden": "five"}, ["num_hidden", "five", "integer"]),
        ({"num_hidden": "0"}, ["num_hidden", "'0'", ">= 1"]),
        ({"num_hidden": "1", "p": "1.5"}, ["p='1.5'", "<= 1"]),
    ],
)
def test_bad_attributes_are_named(attrs, facts):
    with pytest.raises(ArgumentError) as error:
        parse_attrs("Op", FIELDS, attrs)
    assert all(fact in str(error.value) for fact in facts)


def test_attr_text_is_what_the_front_end_writes():
    assert attr_text((3, 3)) == "(3, 3)"
    assert attr_text([1, None]) == "[1, None]"
    assert attr_text((2,)) == "(2,)"
    assert attr_text(np.float32) == "float32"
    assert attr_text(np.dtype("int8")) == "int8"
    assert attr_text(True) == "True"
