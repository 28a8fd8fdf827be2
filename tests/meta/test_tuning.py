# SPDX-License-Identifier: Apache-2.0
"""Sizes that choose between ways of computing stand in the tuning table, with what shows them."""

import ast
from pathlib import Path

import pytest

from benchmarks.subject import SUBJECTS
from benchmarks.subjects.tuning import CONTRASTS
from mxnova.core.runtime import tuning

CORE = Path(__file__).parents[2] / "src" / "mxnova" / "core"
ROOMS = ("exec", "graph", "kernels", "nd", "numpy", "op")
TABLE = tuning.rows()

# Numbers that sizes are compared with, but that decide nothing about speed.
OTHERS = {
    "graph/drawing.py MOST": "nodes of a drawing",
    "graph/layout.py _LONGEST": "layers of a drawn edge",
    "nd/html.py _EDGE": "rows of a shown table",
    "exec/bind/cached_op.py _KEPT": "entries of a cache",
    "exec/fused/group.py _KEPT": "entries of a cache",
    "exec/bind/compiled.py _MOST_NODES": "entries of a cache",
    "exec/program/program.py _KEPT": "entries of a cache",
    "exec/backends/auto.py _MOST_WAITING": "when a measurement is to be trusted",
    "exec/backends/auto.py _MIN_OPERATORS": "graphs that are too small to measure",
    "exec/backends/auto.py _SECONDS": "how long a measurement may take",
    "exec/backends/auto.py _TURNS": "how long a measurement may take",
    "graph/open_sizes.py _LEAST": "numbers that stand for open sizes",
    "exec/backends/choices.py _LARGEST": "bytes of a file that is to be trusted",
    "exec/backends/conversion/sources.py _LARGEST": "elements of a hostile graph",
    "exec/backends/onnxruntime/opset.py _SMALL": "how a model holds constants",
    "exec/passes/constant_folding.py _LARGE": "memory of folded constants",
    "graph/infer.py _REMEMBERED": "entries of a cache",
    "kernels/max_pooling.py _LONGEST": "slices of a window",
    "kernels/onednn.py _FEW_CHANNELS": "channels for which a kernel of oneDNN is broken",
    "kernels/sorting.py _KEY": "bits of an integer",
    "kernels/vectorized.py _MOST_PLACES": "integers that float32 holds",
    "kernels/vectorized.py _WIDTH": "numbers of a vector",
    "kernels/winograd.py _WINDOW": "side of a window",
    "nd/calls/fast_calls.py MOST_ARRAYS": "arguments of generated code",
    "nd/calls/plan.py _ACCEPTED_LIMIT": "entries of a cache",
    "nd/interop.py _LARGEST_HALF": "a number of float16",
    "op/infer.py _MOST_SHOWN": "numbers of a message",
    "op/dtypes.py _LARGEST_HALF": "a number of float16",
    "op/numpy/indexing.py _MOST_PARTS": "parts of a hostile key",
    "op/nn/normalization.py _MANY_ROWS": "accuracy of a gradient",
    "op/nn/roi_align.py _MOST_SAMPLES": "memory that a hostile region may ask for",
    "op/optimizer/step.py _SMALLEST_LR": "digits of float32",
    "op/random/exact_loops.py _LARGE_MEAN": "MXNet's numbers",
    "op/random/exact_samplers.py _MOST_NUMBERS": "draws that do not end",
    "op/number_binding.py _LIMIT": "entries of a cache",
    "op/schema.py _CACHE_LIMIT": "entries of a cache",
    "op/schema.py _RECENT_LIMIT": "entries of a cache",
    "op/tensor/ordering.py _FEW_ELEMENTS": "order of equal numbers, as in MXNet",
    "op/tensor/ties.py _SHORT": "order of equal numbers, as in MXNet",
    "op/zeros.py _UNTOUCHED": "memory that is not to be touched",
}


def number_names(tree):
    """Constants of a module that are given numbers."""
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None)
        for target in targets:
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = zip(target.elts, value.elts)
            for name, number in pairs:
                if isinstance(name, ast.Name) and name.id.isupper() and is_number(number):
                    yield name.id


def is_number(value):
    parts = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.operator, ast.unaryop)
    if value is None or not isinstance(value, parts):
        return False
    constants = [n.value for n in ast.walk(value) if isinstance(n, ast.Constant)]
    return bool(constants) and all(type(c) in (int, float) for c in constants)


def compared_names(tree):
    """Names that stand on either side of an order, or in `min` and `max`."""
    orders = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    for node in ast.walk(tree):
        is_order = isinstance(node, ast.Compare) and any(isinstance(o, orders) for o in node.ops)
        is_choice = isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("min", "max")
        if is_order or is_choice:
            yield from (n.id for n in ast.walk(node) if isinstance(n, ast.Name))


def thresholds():
    for room in ROOMS:
        for path in sorted((CORE / room).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found = set(number_names(tree)) & set(compared_names(tree))
            yield from (f"{path.relative_to(CORE).as_posix()} {name}" for name in sorted(found))


@pytest.mark.parametrize(
    "code, found",
    [
        ("_WORTH = 1 << 10\ndef f(x): return x.numel() >= _WORTH", {"_WORTH"}),
        ("_A, B = 3, 1e-3 if X else 2\ndef f(x): return min(_A, x) < B", {"_A", "B"}),
        ("_A = 3\ndef f(x): return x == _A", set()),
        ("_A = f(3)\ndef f(x): return x < _A", set()),
    ],
)
def test_what_a_threshold_is(code, found):
    tree = ast.parse(code)
    assert set(number_names(tree)) & set(compared_names(tree)) == found


def test_thresholds_stand_in_the_table():
    found = set(thresholds())
    assert found - OTHERS.keys() == set()
    assert OTHERS.keys() - found == set()


@pytest.mark.parametrize("name", TABLE)
def test_a_row_is_complete(name):
    value, row = TABLE[name]
    assert isinstance(value, int)
    assert value > 0
    assert all(row)
    assert row.benchmark in SUBJECTS


def test_each_row_is_read():
    sources = "".join(path.read_text(encoding="utf-8") for path in CORE.rglob("*.py"))
    assert [name for name in TABLE if f"tuning.{name}" not in sources] == []


def test_the_benchmark_has_a_case_for_each_of_its_rows():
    rows = {name for name, (_, row) in TABLE.items() if row.benchmark == "tuning"}
    assert rows == CONTRASTS.keys()
