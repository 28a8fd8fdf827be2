# SPDX-License-Identifier: Apache-2.0
import random

import numpy as np
import pytest
import torch

import mxnova.core.op.numpy.products  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.infer import DTypes, Shapes
from mxnova.core.op.schema import find
from tests.unit.op.samples import Sample

DOT_SHAPES = [
    [(2, 3), (3, 2)],
    [(3,), (3,)],
    [(2, 3), (3,)],
    [(), (2, 3)],
    [(2, 3), ()],
    [(2, 3, 4), (5, 4, 2)],
    [(4,), (5, 4, 2)],
    [(2, 0), (0, 2)],
]
MATMUL_SHAPES = [
    [(2, 3), (3, 2)],
    [(3,), (3,)],
    [(3,), (2, 3, 4)],
    [(2, 1, 3, 4), (5, 4, 2)],
    [(2, 3, 4), (4,)],
]


def einsum(subscripts, *shapes):
    attrs = {"num_args": len(shapes), "subscripts": subscripts}
    return Sample("_npi_einsum", shapes, attrs, lambda *data: np.einsum(subscripts, *data))


# fmt: off
SAMPLES = [
    *(Sample("_np_dot", s, {}, np.dot, note=str(s), gradient=0 not in s[0]) for s in DOT_SHAPES),
    *(Sample("_npi_matmul", s, {}, np.matmul, note=str(s)) for s in MATMUL_SHAPES),
    Sample("_npi_tensordot", [(2, 3, 4), (4, 3, 2)], {"a_axes_summed": "(1, -1)", "b_axes_summed": "(1, 0)"},
           lambda a, b: np.tensordot(a, b, ((1, 2), (1, 0)))),
    Sample("_npi_tensordot", [(2, 3), (2,)], {"a_axes_summed": "()", "b_axes_summed": "()"}, lambda a, b: np.tensordot(a, b, 0)),
    Sample("_npi_tensordot_int_axes", [(4, 2, 3), (2, 3, 5)], {"axes": 2}, lambda a, b: np.tensordot(a, b, 2)),
    Sample("_npi_tensordot_int_axes", [(2,), (3,)], {"axes": -1}, lambda a, b: np.tensordot(a, b, 0)),
    einsum("ij,jk->ik", (2, 3), (3, 4)),
    einsum("ij,jk", (2, 3), (1, 4)),
    einsum("ii", (3, 3)),
    einsum("bA", (2, 3)),
    einsum("...ij,jk->...k", (2, 2, 3), (3, 4)),
    einsum("i,i,i->", (3,), (3,), (3,)),
    Sample("_npi_einsum", [np.full((2, 4), 100, "int8")], {"num_args": 1, "subscripts": "ij->i"},
           np.full(2, -112, "int8"), gradient=False),
    Sample("_npi_einsum", [np.eye(2, dtype=bool)] * 2, {"num_args": 2, "subscripts": "ij,jk->ik"}, np.eye(2, dtype=bool),
           gradient=False),
]
# fmt: on


@pytest.mark.parametrize(
    ("name", "attrs", "shapes", "message"),
    [
        ("_np_dot", {}, [(2, 3), (2, 3)], r"\[2,3\]"),
        ("_npi_matmul", {}, [(), (2, 3)], "scalars"),
        ("_npi_matmul", {}, [(2, 3, 4), (5, 4, 2)], "broadcast"),
        ("_npi_tensordot", {"a_axes_summed": "(0, 1)", "b_axes_summed": "(0,)"}, 0, "as many"),
        (
            "_npi_tensordot",
            {"a_axes_summed": "(2,)", "b_axes_summed": "(0,)"},
            0,
            "a_axes_summed=2",
        ),
        ("_npi_tensordot", {"a_axes_summed": "(0, 0)", "b_axes_summed": "(0, 1)"}, 0, "twice"),
        ("_npi_tensordot_int_axes", {"axes": 3}, 0, "axes=3"),
        (
            "_npi_einsum",
            {"num_args": 2, "subscripts": "ij,jk->iz"},
            0,
            "'z' of the result is in no",
        ),
        (
            "_npi_einsum",
            {"num_args": 2, "subscripts": "ij,jk->ii"},
            0,
            "'i' of the result is .*twice",
        ),
        ("_npi_einsum", {"num_args": 2, "subscripts": "ij->i"}, 0, "for 1 arrays, not 2"),
        ("_npi_einsum", {"num_args": 2, "subscripts": "ij,ij"}, 0, "axes 'i' cannot .* 2 vs. 3"),
        ("_npi_einsum", {"num_args": 2, "subscripts": "ijk,jk"}, 0, "'ijk' do not fit"),
        ("_npi_einsum", {"num_args": 2, "subscripts": "i...,j"}, 0, "'j' do not fit"),
        ("_npi_einsum", {"num_args": 2, "subscripts": "i1,jk"}, 0, "must be letters"),
        ("_npi_einsum", {"num_args": 2, "subscripts": "ii,jk"}, 0, "axes 'i' differ, 2 vs. 3"),
    ],
)
def test_refused_shapes(name, attrs, shapes, message):
    op = find(name).of(attrs)
    facts = [*(shapes or [(2, 3), (3, 2)]), None]
    with pytest.raises(MXNetError, match=message):
        op.infer_shape(Shapes(op.name, op.inputs(), op.outputs(), facts))


def test_einsum_infers_and_refuses_what_aten_does():
    """Of random terms, with letters that come again, axes of length 1 and dots."""
    rng = random.Random(3)
    agreed = [0, 0]
    for _ in range(400):
        terms = [drawn_term(rng, "ijA") for _ in range(rng.choice((1, 2, 3)))]
        result = rng.choice(("", f"->{drawn_term(rng, 'ijA')}"))
        lengths = {label: rng.choice((1, 2, 2, 3)) for label in "ijA.,"}
        shapes = [
            tuple(rng.choice((1, lengths[a], lengths[a])) for a in term.replace("...", ".,"))
            for term in terms
        ]
        subscripts = ",".join(terms) + result
        op = find("_npi_einsum").of({"num_args": len(terms), "subscripts": subscripts})
        s = Shapes(op.name, op.inputs(), op.outputs(), [*shapes, None])
        try:
            wanted = tuple(torch.einsum(subscripts, *map(torch.ones, shapes)).shape)
        except (RuntimeError, ValueError):  # of ATen, or of opt_einsum where it is installed
            with pytest.raises(MXNetError, match="einsum"):
                op.infer_shape(s)
            agreed[0] += 1
        else:
            op.infer_shape(s)
            assert s.output == wanted, (subscripts, shapes)
            agreed[1] += 1
    assert min(agreed) > 50


def drawn_term(rng, letters):
    term = [rng.choice(letters) for _ in range(rng.choice((0, 1, 2, 2, 3)))]
    if rng.random() < 0.3:
        term.insert(rng.randrange(len(term) + 1), "...")
    return "".join(term)


def test_the_summed_axis_is_learned_from_the_other_array():
    s = Shapes("_np_dot", ("a", "b"), ("output",), [(2, UNKNOWN), (3, 4), None])
    find("_np_dot").of({}).infer_shape(s)
    assert s.facts == [(2, 3), (3, 4), (2, 4)]


@pytest.mark.parametrize("name", ["_npi_matmul"])
def test_integers_are_refused(name):
    with pytest.raises(MXNetError, match="int32"):
        find(name).of({}).infer_dtype(DTypes(name, ("a", "b"), ("output",), [torch.int32] * 3))
