# SPDX-License-Identifier: Apache-2.0
"""The operators' own tables as torch modules."""

import importlib
import inspect
from pathlib import Path

import numpy as np
import torch

import mxnova as mx
from mxnova.core.op.schema import find

FOLDER = Path(__file__).parents[1] / "op"


def tables():
    """All rows of the operators' tables."""
    for path in sorted(FOLDER.glob("test_*.py")):
        module = importlib.import_module(f"tests.unit.op.{path.stem}")
        yield from getattr(module, "SAMPLES", ())


def module_of(sample):
    """(the module of one node, its inputs as tensors)."""
    op, arrays = find(sample.op).of(sample.attrs), sample.arrays()
    texts = {f.name: f.kind.text(op.attr(f.name)) for f in op.type.fields}
    names = [f"input{i}" for i in range(len(arrays))]
    with mx.util.np_shape(True):
        symbol = mx.sym.invoke(sample.op, [mx.sym.var(n) for n in names], texts)
        given = dict(zip(names, arrays))
        aux = {n: mx.nd.array(given.pop(n)) for n in symbol.list_auxiliary_states()}
        module = mx.to_torch(symbol, aux=aux, copy=True).train(sample.train)
    return module, [torch.from_numpy(given[n].copy()) for n in module.input_names]


def expected(sample):
    """What the forward of the operator gives."""
    op = find(sample.op).of(sample.attrs)
    tensors = [torch.from_numpy(a.copy()) for a in sample.arrays()]
    results = op.forward(*tensors, **sample.facts(op))
    results = results if isinstance(results, tuple) else (results,)
    return results[: op.n_visible()]


def run(module, inputs):
    """Outputs for copies of the inputs, which some operators write to."""
    with torch.no_grad():
        results = module(*[t.clone() for t in inputs])
    return results if isinstance(results, tuple) else (results,)


def draws(sample):
    """Whether random numbers decide."""
    return "rng" in find(sample.op).signature.facts


def batch_of(sample, module, inputs):
    """(which inputs hold items along axis 0, the inputs for twice as many), where there are items.

    They are there if results for twice as many begin with those for one time.
    """
    if not inputs or draws(sample) or not inputs[0].ndim or len(inputs[0]) < 2:
        return (), inputs
    size = len(inputs[0])
    alike = tuple(i for i, t in enumerate(inputs) if t.ndim and len(t) == size)
    for which in dict.fromkeys((alike, (0,))):
        longer = [torch.cat([t, t]) if i in which else t for i, t in enumerate(inputs)]
        try:
            once, twice = run(module, inputs), run(module, longer)
        except (RuntimeError, IndexError, ValueError, TypeError):
            continue
        if all(_begins(b, a) for a, b in zip(once, twice)):
            return which, longer
    return (), inputs


def _begins(longer, part):
    if not part.ndim or longer.shape != (2 * len(part), *part.shape[1:]):
        return False
    return np.allclose(longer[: len(part)], part, rtol=1e-5, atol=1e-6, equal_nan=True)


def exported(module, inputs, items):
    """The exported program, with an open size along axis 0 of the inputs in `items`."""
    names = list(inspect.signature(module.forward).parameters)
    sizes = {n: {0: torch.export.Dim.AUTO} if i in items else {} for i, n in enumerate(names)}
    used = {name: sizes[name] for name in names[: len(inputs)]}
    return torch.export.export(
        module, tuple(inputs), dynamic_shapes=used if inputs else None, strict=False
    )
