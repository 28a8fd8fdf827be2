# SPDX-License-Identifier: Apache-2.0
"""How programs are registered, run and described, and the layers that they are made of.

A program takes a kit: the package `mx`, its `nd`, `sym`, `gluon` and `autograd` as `ag`, the layers
`Dense`, `Norm`, `Pair`, `ready` to make a block's parameters known and filled, and `folder` for files. What it gives, or the error it raises, is compared.
"""

import contextlib
import io
import tempfile
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def kit_of(mx, folder):
    class Dense(mx.gluon.HybridBlock):
        def __init__(self, units, in_units=0, bias=True, dtype="float32", **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self._units = units
                self.weight = self.params.get(
                    "weight", shape=(units, in_units), dtype=dtype, allow_deferred_init=True
                )
                self.bias = None
                if bias:
                    self.bias = self.params.get(
                        "bias", shape=(units,), dtype=dtype, init="ones", allow_deferred_init=True
                    )

        def hybrid_forward(self, F, x, weight, bias=None):
            return F.FullyConnected(
                x, weight, bias, num_hidden=self._units, no_bias=bias is None, name="fwd"
            )

    class Norm(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                for name, init in (("gamma", "ones"), ("beta", "zeros")):
                    own = self.params.get(name, shape=(0,), init=init, allow_deferred_init=True)
                    setattr(self, name, own)
                for name, init in (("running_mean", "zeros"), ("running_var", "ones")):
                    own = self.params.get(
                        name,
                        shape=(0,),
                        init=init,
                        grad_req="null",
                        differentiable=False,
                        allow_deferred_init=True,
                    )
                    setattr(self, name, own)

        def hybrid_forward(self, F, x, gamma, beta, running_mean, running_var):
            return F.BatchNorm(
                x, gamma, beta, running_mean, running_var, fix_gamma=False, name="fwd"
            )

    class Pair(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.first = Dense(3)
                self.norm = Norm()
                self.second = Dense(2, bias=False)

        def hybrid_forward(self, F, x):
            return self.second(F.relu(self.norm(self.first(x))))

    kit = SimpleNamespace(
        mx=mx, nd=mx.nd, sym=mx.sym, gluon=mx.gluon, ag=mx.autograd, folder=folder,
        Dense=Dense, Norm=Norm, Pair=Pair,
    )  # fmt: skip

    def ready(block, *inputs, **kwargs):
        block.initialize(**kwargs)
        block(*inputs or (kit.nd.ones((2, 3)),))
        fill(kit, block)
        return block

    kit.ready = ready
    return kit


def fill(k, block):
    """Gives parameters, whose shapes are known, values that depend on order and shape alone."""
    for i, parameter in enumerate(block.collect_params().values()):
        values = np.cos(np.arange(np.prod(parameter.shape), dtype="float64") + i)
        if "var" in parameter.name:
            values = np.abs(values)
        parameter.set_data(k.nd.array(values.reshape(parameter.shape), dtype=parameter.dtype))


def outcome(mx, name):
    """What a program gives, what it prints and warns of, or the class of its error."""
    printed = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        warnings.catch_warnings(record=True) as warned,
        contextlib.redirect_stdout(printed),
        mx.name.NameManager(),
    ):
        warnings.simplefilter("always")
        try:
            result = described(mx, PROGRAMS[name](kit_of(mx, Path(folder))))
            mx.nd.waitall()
        except Exception as error:  # noqa: BLE001 - some programs must raise
            return {"error": [c.__name__ for c in type(error).__mro__]}
    found = {"result": result}
    if printed.getvalue():
        found["printed"] = printed.getvalue()
    if count := sum(w.category is UserWarning for w in warned):
        found["warnings"] = count
    return found


def described(mx, value):
    if isinstance(value, (list, tuple)):
        return [described(mx, v) for v in value]
    if isinstance(value, dict):
        return {str(k): described(mx, v) for k, v in value.items()}
    if isinstance(value, mx.nd.NDArray):
        values = value.asnumpy()
        return {"dtype": values.dtype.name, "shape": list(values.shape), "values": values.tolist()}
    if isinstance(value, mx.sym.Symbol):
        return value.list_outputs()
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
