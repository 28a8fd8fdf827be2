# SPDX-License-Identifier: Apache-2.0
"""ONNX's own cases of its operators: what is imported gives what they say."""

import importlib
import pkgutil
import re
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from mxnova.base import MXNetError

pytest.importorskip("onnx")

from onnx import TensorProto, numpy_helper
from onnx.backend.test.case import node

from mxnova.onnx.importer.folding import FOLDS
from mxnova.onnx.importer.site import TRANSLATORS

from .running import assert_equal, run

OF_CHANCE = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}  # fmt: skip
TRIED_ELSEWHERE = {
    "ConcatFromSequence", "FC", "GRU", "GlobalLpPool", "MaxRoiPool", "SequenceAt", "SequenceConstruct",
    "SequenceLength", "SpatialBN", "SplitToSequence",
}  # fmt: skip
LEFT_OUT = (
    "test_mod_float_edge_cases_fmod_0",  # infinities as Python has them, from opset 28 on
    "test_training_dropout",  # by chance
)
TOLERANCE = {"float16": 2e-3, "float32": 1e-3, "float64": 1e-6}
REFUSALS = (
    r"^import_model: |: tensor '\w+': "
    r"|has type uint(16|32|64), expected"  # there are no kernels for what MXNet has no arrays of
)


@cache
def sources():
    """The text of each module that makes cases: imported together, they take half a minute."""
    modules = pkgutil.walk_packages(node.__path__, f"{node.__name__}.")
    return {m.name: Path(m.module_finder.find_spec(m.name).origin).read_text() for m in modules}


def cases(kind):
    """The cases of one operator."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, text in sources().items():
            if f'"{kind}"' in text:
                importlib.import_module(name)
    return [case for case in node._NodeTestCases if is_lone(case, kind)]


def is_lone(case, kind):
    nodes = case.model.graph.node
    if not case.data_sets or len(nodes) != 1 or case.name.startswith(LEFT_OUT):
        return False
    return nodes[0].op_type == kind


def is_right(case, folder):
    """Whether outputs were compared, inputs being constants or not; False where all is refused."""
    inputs, expected = case.data_sets[0]
    if any(isinstance(a, (list, type(None))) for a in (*inputs, *expected)):  # sequences, optionals
        return False
    names = [i.name for i in case.model.graph.input]
    given = dict(zip(names, map(array_of, inputs)))
    for constants in ([], names[1:], names):
        model = with_constants(case.model, {n: given[n] for n in constants})
        shapes = {n: a.shape for n, a in given.items() if n not in constants}
        results = unless_refused(model, given, shapes, folder)
        for found, wanted in zip(results, expected):
            assert_equal(found, array_of(wanted), TOLERANCE.get(str(found.dtype), 0))
        if results:
            return True
    return False


def unless_refused(model, given, shapes, folder):
    """What a model gives, nothing where it is refused as it should be."""
    try:
        return run(model, given, shapes, folder)
    except MXNetError as error:
        if re.search(REFUSALS, str(error)):
            return []
        raise


def array_of(given):
    return numpy_helper.to_array(given) if isinstance(given, TensorProto) else np.asarray(given)


def with_constants(model, arrays):
    found = type(model)()
    found.CopyFrom(model)
    found.graph.initializer.extend(numpy_helper.from_array(a, n) for n, a in arrays.items())
    return found


@pytest.mark.parametrize("kind", sorted({*TRANSLATORS, *FOLDS} - OF_CHANCE - TRIED_ELSEWHERE))
def test_what_is_imported_is_right(kind, tmp_path):
    found = [is_right(case, tmp_path) for case in cases(kind)]
    assert any(found)
