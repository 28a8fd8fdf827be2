# SPDX-License-Identifier: Apache-2.0
"""The operators' own tables as torch modules."""

import importlib
from pathlib import Path

import mxnova as mx
from mxnova.base import MXNetError
from mxnova.core.op.record import find

FOLDER = Path(__file__).parents[1] / "op"


def tables():
    """All rows of the operators' tables."""
    for path in sorted(FOLDER.glob("test_*.py")):
        module = importlib.import_module(f"tests.unit.op.{path.stem}")
        yield from getattr(module, "SAMPLES", ())


def module_of(sample):
    """(the module of one node, its inputs as arrays by name)."""
    op, arrays = find(sample.op).of(sample.attrs), sample.arrays()
    texts = {f.name: f.kind.text(op.attr(f.name)) for f in op.type.fields}
    names = [f"input{i}" for i in range(len(arrays))]
    with mx.util.np_shape(True):
        symbol = mx.sym.invoke(sample.op, [mx.sym.var(n) for n in names], texts)
        given = dict(zip(names, arrays))
        aux = {n: mx.nd.array(given.pop(n)) for n in symbol.list_auxiliary_states()}
        module = mx.to_torch(symbol, aux=aux, copy=True)
    return module.train(sample.train), given


def taken(rows):
    """Rows that `to_torch` takes; the others go to REFUSED with what it says."""
    for sample in rows:
        try:
            yield sample, *module_of(sample)
        except MXNetError as error:
            REFUSED.append((sample, str(error)))


REFUSED = []
TAKEN = list(taken(tables()))
