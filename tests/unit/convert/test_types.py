# SPDX-License-Identifier: Apache-2.0
"""Dtypes of inputs: declared by the graph, given by the caller, or implied by the parameters."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.convert import convert
from mxnova.convert.request import Request
from mxnova.convert.source import load
from mxnova.core.base.errors import ArgumentError

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("safetensors")
from .in_process import check  # noqa: E402 - needs onnxruntime

S = mx.sym


def layers(x):
    return S.FullyConnected(S.relu(x), num_hidden=3, name="fc")


def table(x, **options):
    return layers(S.Embedding(x, input_dim=5000, output_dim=4, name="table", **options))


DATA = S.var("data")
# symbol, shapes, dtype of the parameters, given types, expected types
CASES = {
    "declared uint8": (layers(S.Cast(S.var("data", dtype="uint8"), dtype="float32")), {"data": (2, 4)}, "float32", {}, {"data": "uint8"}),
    "given uint8": (layers(S.Cast(DATA, dtype="float32")), {"data": (2, 4)}, "float32", {"data": "uint8"}, {"data": "uint8"}),
    "declared row numbers": (table(S.var("data", dtype="int32")), {"data": (2, 5)}, "float32", {}, {"data": "int32"}),
    "given row numbers": (table(DATA), {"data": (2, 5)}, "float32", {"data": "int64"}, {"data": "int64"}),
    "undeclared row numbers of float16 tables": (table(DATA, dtype="float16"), {"data": (2, 5)}, "float16", {}, {"data": "float32"}),
    "implied by float16 parameters": (layers(DATA), {"data": (2, 4)}, "float16", {}, {"data": "float16"}),
    "declared lengths": (S.softmax(DATA, S.var("count", dtype="int32"), use_length=True), {"data": (3, 2, 5), "count": (3, 2)}, "float32", {}, {"data": "float32", "count": "int32"}),
    "lengths that must be integers": (S.softmax(DATA, S.var("count"), use_length=True), {"data": (3, 2, 5), "count": (3, 2)}, "float32", {}, {"data": "float32", "count": "int32"}),
    "declared bool": (S.where(S.Cast(S.var("data", dtype="bool"), dtype="float32"), S.var("a"), S.var("b")), {"data": (2, 3), "a": (2, 3), "b": (2, 3)}, "float32", {}, {"data": "bool", "a": "float32", "b": "float32"}),
}  # fmt: skip


def saved(folder, symbol, shapes, dtype="float32"):
    arguments, _, _ = symbol.infer_shape(**shapes)
    rng = np.random.default_rng(0)
    names = zip(symbol.list_arguments(), arguments, strict=True)
    arrays = {n: mx.nd.array(rng.normal(size=s), dtype=dtype) for n, s in names if n not in shapes}
    mx.model.save_checkpoint(str(folder / "net"), 0, symbol, arrays, {})
    return folder / "net"


@pytest.mark.parametrize("ending", [".onnx", ".py"])
@pytest.mark.parametrize("name", CASES)
def test_convert_uses_declared_given_and_implied_dtypes(name, ending, tmp_path):
    symbol, shapes, dtype, types, expected = CASES[name]
    source, target = saved(tmp_path, symbol, shapes, dtype), tmp_path / f"x{ending}"
    check(source, target, shapes, types, tolerance=1e-2 if dtype == "float16" else 1e-5)
    if ending == ".py":
        for of_input in set(expected.values()) - {"float32"}:
            assert f" and dtype {of_input}." in target.read_text()
        return
    graph = onnx.load(target).graph
    kinds = {
        i.name: onnx.helper.tensor_dtype_to_np_dtype(i.type.tensor_type.elem_type).name
        for i in graph.input
    }
    assert kinds == expected  # fmt: skip


def test_convert_to_exported_program_takes_integers(tmp_path):
    symbol, shapes, *_ = CASES["declared row numbers"]
    assert convert(
        saved(tmp_path, symbol, shapes), tmp_path / "x.pt2", shapes=shapes
    ).proof.is_equal


@pytest.mark.parametrize("ending", [".onnx", ".py"])
def test_convert_to_float16_keeps_row_numbers(ending, tmp_path):
    symbol = layers(
        S.broadcast_add(
            S.Embedding(S.var("rows"), input_dim=5000, output_dim=4, name="table"), DATA
        )
    )
    shapes = {"rows": (2,), "data": (2, 4)}  # fmt: skip
    source = saved(tmp_path, symbol, shapes)
    check(source, tmp_path / f"x{ending}", shapes, dtype="float16", tolerance=2e-2)
    arrays, types = Request(load(source), shapes, "float16").typed
    assert types == {"rows": "float32", "data": "float16"}
    assert {str(a._tensor.dtype) for a in arrays.values()} == {"torch.float16"}


def test_convert_rejects_dtype_of_an_unknown_input(tmp_path):
    source = saved(tmp_path, layers(DATA), {"data": (2, 4)})
    with pytest.raises(ArgumentError, match=r"no input 'date'; did you mean 'data'\?"):
        convert(source, tmp_path / "x.onnx", shapes={"data": (2, 4)}, types={"date": "uint8"})
