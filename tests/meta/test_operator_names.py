# SPDX-License-Identifier: Apache-2.0
"""Names of operators stand with the operators: other code matches on traits and classes.

A table is a module-level literal with three or more names of operators. `EXCEPTIONS` and
`COMPARISONS` hold what is left; both may only become shorter. Facts of MXNet that were recorded, and
words of other vocabularies that happen to equal names of operators, are no such tables.
"""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import mxnova
import mxnova.core.exec.calls.control_flow
import mxnova.core.exec.calls.custom
import mxnova.core.exec.fused.mkldnn_layers
import mxnova.core.op.library
from mxnova.core.op.schema import REGISTRY

SOURCE = Path(mxnova.__file__).parent
NAMES = set(REGISTRY)
ROOMS = ("core/op/", "onnx/importer/", "convert/python/")  # where names of operators belong

# What MXNet wrote down so: file formats, spellings in its messages, names of nodes.
RECORDED = """
    as_mxnet/borrowed_names.py:* capi/argument_texts.py:_LISTED_AS capi/argument_texts.py:_UNLISTED
    capi/argument_texts.py:_GRAPHS capi/argument_texts.py:_ORDER capi/argument_texts.py:_TEXTS
    capi/legacy.py:_FUNCTIONS capi/symbol.py:_BODIES
    contrib/amp/lists/symbol_fp16.py:* contrib/amp/lists/symbol_bf16.py:*
    contrib/naming.py:_NAMED_OUTPUTS core/exec/program/interpreter.py:_OF_NAMED_DATA
    core/exec/fused/post_ops.py:ACTIVATIONS core/exec/passes/mkldnn_subgraphs.py:_OF_REAL
    core/exec/passes/mkldnn_subgraphs.py:_REAL core/exec/passes/mkldnn_subgraphs.py:_INTEGER
    core/exec/passes/mkldnn_subgraphs.py:_NARROWED
    numpy_dispatch_protocol.py:_NUMPY_ARRAY_FUNCTION_LIST
    numpy_dispatch_protocol.py:_NUMPY_ARRAY_UFUNC_LIST
"""
# Functions of mx.np, arguments, activations, reductions, distributions, variables.
OTHER_WORDS = """
    cli/options/* core/numpy/argument_docs.py:_DOCS io/parameter_docs.py:_DOCS
    core/distributions.py:DISTRIBUTIONS core/exec/passes/convolution_fusion.py:_KERNEL_NAMES
    core/exec/passes/linear_fusion.py:_ALGORITHMS core/exec/fused/gpu_convolution.py:_IN_PLACE
    core/exec/backends/conversion/elementwise.py:_ACTIVATIONS
    core/exec/backends/conversion/elementwise.py:_OF_WHOLE_NUMBERS core/base/env.py:VARIABLES
    core/exec/backends/conversion/onnx_opset.py:_REDUCTIONS
    core/exec/backends/onednn/opset.py:_REDUCTIONS core/exec/backends/openvino/opset.py:_POOLING
    core/numpy/elementwise.py:UNARY core/numpy/elementwise.py:_SAME
    core/numpy/methods.py:_AS_FUNCTIONS gluon/rnn/recurrent_cell.py:_OPERATORS
    initializer/base.py:_BY_ENDING initializer/base.py:_BY_NAME
"""
EXCEPTIONS = {
    "contrib/amp/casting.py:_MOVING": "operators that AMP's own casts are made of",
    "contrib/quantization/graph.py:_CALIBRATED": "quantized operators by their float ones",
    "contrib/quantization/graph.py:_RULES": "quantized operators by their float ones",
    "core/exec/backends/conversion/arrangement.py:_PASSING": "converted alike, though no copies",
    "core/exec/backends/conversion/arrangement.py:_RESHAPING": "converted alike",
    "core/exec/backends/conversion/elementwise.py:_FACTORS": "functions of one array as words",
    "core/exec/backends/conversion/elementwise.py:_UNARY": "functions of one array as words",
    "core/exec/backends/conversion/sources.py:_CONSTANT": "converted alike",
    "onnx/model.py:_MADE_FOR_SIZES": "operators that imported graphs are checked for",
    "onnx/model.py:_NEEDS_VALUES": "operators that imported graphs are checked for",
    "optimizer/descent.py:_MULTI": "updates of several weights by those of one",
    "quantization/layers.py:_LAYERS": "layers that any method quantizes",
    "visualization.py:_COLORS": "how kinds of nodes are drawn",
    "visualization.py:_DESCRIBED": "how kinds of nodes are drawn",
}
# Comparisons of an operator's name, by file.
COMPARISONS = {
    "capi/symbol.py": 1,
    "contrib/amp/casting.py": 3,
    "contrib/naming.py": 1,
    "contrib/quantization/graph.py": 7,
    "convert/proof/inputs.py": 2,
    "core/exec/backends/conversion/arrangement.py": 1,
    "core/exec/backends/conversion/elementwise.py": 1,
    "core/exec/backends/conversion/graph.py": 1,
    "core/exec/backends/conversion/indexing.py": 3,
    "core/exec/fused/mkldnn_layers.py": 1,
    "core/exec/program/interpreter.py": 1,
    "core/exec/fused/post_ops.py": 2,
    "core/exec/passes/integer_fusion.py": 3,
    "core/exec/passes/integer_lowering.py": 5,
    "core/exec/passes/mkldnn_subgraphs.py": 8,
    "core/exec/bind/subgraph_backends.py": 1,
    "core/graph/serialize.py": 1,
    "quantization/layers.py": 3,
    "quantization/with_mxnet.py": 1,
    "visualization.py": 5,
}


@pytest.fixture(scope="module", autouse=True)
def _trees(no_collector):
    yield
    modules.cache_clear()  # half a gigabyte


@cache
def modules() -> dict[str, ast.Module]:
    """Path below the package -> syntax tree, of the files that should name no operators."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith(ROOMS):
            found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def words(tree: ast.AST) -> set[str]:
    """The names of operators in the literals of a piece of code."""
    texts = (n.value for n in ast.walk(tree) if isinstance(n, ast.Constant))
    return {word for t in texts if isinstance(t, str) for word in t.split()} & NAMES


def tables() -> set[str]:
    """Modules and names of the tables of operators."""
    found = set()
    for module, tree in modules().items():
        for node in tree.body:
            if isinstance(node, ast.Assign):
                target = ast.unparse(node.targets[0])
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                target = ast.unparse(node.target)
            else:
                continue
            if target != "__all__" and node.value is not None and len(words(node.value)) >= 3:
                found.add(f"{module}:{target}")
    return found


def is_name_of_operator(node: ast.expr) -> bool:
    """Whether an expression is ``op.name`` or ``….op.name``."""
    if not isinstance(node, ast.Attribute) or node.attr != "name":
        return False
    owner = node.value
    return getattr(owner, "id", None) == "op" or getattr(owner, "attr", None) == "op"


def comparisons() -> Counter[str]:
    """How many comparisons of names of operators each module has."""
    found: Counter[str] = Counter()
    for module, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare):
                found[module] += any(map(is_name_of_operator, (node.left, *node.comparators)))
    return +found


def test_there_are_no_other_tables_of_operators():
    known = {*RECORDED.split(), *OTHER_WORDS.split()}
    files = {entry.removesuffix("*") for entry in known if entry.endswith("*")}
    found = {t for t in tables() - known if not t.startswith(tuple(files))}
    assert found == EXCEPTIONS.keys()
    assert {entry for entry in known if not entry.endswith("*")} <= tables()
    assert len(EXCEPTIONS) <= 15


def test_names_of_operators_are_compared_nowhere_else():
    assert comparisons() == COMPARISONS


def test_tables_and_comparisons_are_found():
    tree = ast.parse("_SOME = {'relu', 'tanh', 'Convolution'}\nx = node.op.name in _SOME")
    assert len(words(tree.body[0])) == 3
    assert is_name_of_operator(tree.body[1].value.left)
