# SPDX-License-Identifier: Apache-2.0
"""Tests that the tables of a module are: every module of this folder that has a table has its test.

SAMPLES: rows of `Sample`, each checked in every way. INFERRED: (operator, parameters, inputs[,
output], what is inferred), see `inferred_shapes`. REFUSED: (operator, parameters, inputs, facts …):
inference raises an MXNetError that names the operator and each fact.
"""

from __future__ import annotations

from functools import partial

import pytest

from mxnova.base import MXNetError
from tests.unit.op.inference import inferred_shapes
from tests.unit.op.samples import check


@pytest.fixture(scope="session")
def check_sample(pytestconfig):
    """`check`, of eager calls only in `scripts/test quick`."""
    return partial(check, eager_only=pytestconfig.pluginmanager.has_plugin("tests.quick"))


def test_sample(sample, check_sample):
    check_sample(sample)


def test_inferred(inferred):
    *question, answer = inferred
    assert inferred_shapes(*question) == answer


def test_refused(refused):
    op, attrs, inputs, *facts = refused
    with pytest.raises(MXNetError) as caught:
        inferred_shapes(op, attrs, inputs)
    message = str(caught.value)
    assert [fact for fact in (op, *facts) if fact not in message] == [], message


TESTS = {"SAMPLES": test_sample, "INFERRED": test_inferred, "REFUSED": test_refused}


class TablesModule(pytest.Module):
    """A test module that also has the tests of its tables, where it does not define them itself."""

    def _getobj(self):
        module = super()._getobj()
        for table, test in TESTS.items():
            if hasattr(module, table) and not hasattr(module, test.__name__):
                setattr(module, test.__name__, test)
        return module


def pytest_pycollect_makemodule(module_path, parent):
    return TablesModule.from_parent(parent, path=module_path)


def pytest_generate_tests(metafunc):
    for table, test in TESTS.items():
        if metafunc.function is test:
            (argument, *_) = test.__code__.co_varnames
            metafunc.parametrize(argument, getattr(metafunc.module, table), ids=str)
