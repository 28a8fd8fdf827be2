# SPDX-License-Identifier: Apache-2.0
"""Modules of operators: what they hold, what they show, and the other ways to their names."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import mxnova as mx

ROOMS = ["", "._internal", ".contrib", ".image", ".linalg", ".op", ".random", ".sparse"]
SHOWN = [
    (".contrib", "box_nms", "_contrib_box_nms"),
    (".image", "to_tensor", "_image_to_tensor"),
    (".linalg", "gemm2", "_linalg_gemm2"),
    (".random", "uniform_like", "_random_uniform_like"),
    (".sparse", "retain", "_sparse_retain"),
]


@pytest.mark.parametrize("world", ["ndarray", "symbol"])
@pytest.mark.parametrize("room", ROOMS)
def test_what_a_module_shows_is_there(world, room):
    module = importlib.import_module(f"mxnova.{world}{room}")
    names = [n for n in dir(module) if not n.startswith("__")]
    assert names == sorted(set(names))
    assert [n for n in names if not hasattr(module, n)] == []


@pytest.mark.parametrize("world", ["ndarray", "symbol"])
def test_internal_operators_keep_their_underscore(world):
    module = importlib.import_module(f"mxnova.{world}._internal")
    assert "_plus_scalar" in dir(module)
    assert "_contrib_box_nms" not in dir(module)
    assert "relu" not in dir(module)


@pytest.mark.parametrize("world", ["ndarray", "symbol"])
@pytest.mark.parametrize("room, name, operator", SHOWN)
def test_prefixes_are_left_out(world, room, name, operator):
    module = importlib.import_module(f"mxnova.{world}{room}")
    assert name in dir(module)
    assert getattr(module, name).__doc__ == getattr(getattr(mx, world), operator).__doc__


@pytest.mark.parametrize("world", ["ndarray", "symbol"])
@pytest.mark.parametrize("room", ["", "._internal", ".contrib", ".image", ".linalg", ".op"])
def test_a_star_takes_what_a_module_shows(world, room):
    taken = {}
    exec(f"from mxnova.{world}{room} import *", taken)
    shown = dir(importlib.import_module(f"mxnova.{world}{room}"))
    assert [n for n in shown if n not in taken] == []


def test_a_star_takes_modules_and_names_of_the_package():
    taken = {}
    exec("from mxnova import *", taken)
    assert taken["nd"] is mx.nd
    assert taken["gluon"] is mx.gluon
    assert taken["cpu"] is mx.cpu


def test_nodes_are_named_after_the_function():
    with mx.name.NameManager():
        x = mx.sym.var("x")
        assert mx.sym.contrib.box_nms(x).name == "box_nms0"
        assert mx.sym.linalg.gemm2(x, x).name == "gemm20"
        assert mx.sym.linalg_gemm2(x, x).name == "linalg_gemm20"
        assert mx.sym._internal._plus_scalar(x, 1).name == "_plus_scalar0"


def test_an_unknown_operator_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"'mxnova.ndarray.contrib' has no attribute 'no'"):
        mx.nd.contrib.no  # noqa: B018


def test_one_class_by_every_name():
    assert mx.nd.NDArray is mx.nd.ndarray.NDArray is mx.ndarray.NDArray
    assert mx.sym.Symbol is mx.sym.symbol.Symbol is mx.symbol.Symbol
    assert isinstance(mx.nd.zeros(1), mx.nd.ndarray.NDArrayBase)
    assert isinstance(mx.sym.var("x"), mx.sym.symbol.SymbolBase)


def test_methods_have_the_operators_help():
    assert mx.nd.NDArray.sum.__doc__.startswith("Operator `sum` on this:")
    assert mx.nd.sum.__doc__.splitlines()[0] in mx.sym.Symbol.sum.__doc__


def test_modules_import_under_mxnets_name():
    code = r"""
import mxnova.as_mxnet
import mxnet as mx
import mxnet.ndarray as nd
import mxnet.ndarray.op, mxnet.symbol.random, mxnet.nd.random
from mxnet.ndarray.ndarray import NDArray, array
from mxnet.symbol.symbol import Symbol
from mxnet.base import _Null
import pickle
assert nd is mx.nd and NDArray is nd.NDArray and Symbol is mx.sym.Symbol
assert nd.op.relu(array([-1.0])).asscalar() == 0
assert nd.random.uniform(0, 1, _Null).shape == (1,)
json = mx.sym.var("x").tojson()
as_mxnet_pickles = (
    b"cmxnet.symbol.symbol\nSymbol\n(NtR}(Vhandle\nV" + json.replace("\n", " ").encode() + b"\nub."
)
print(pickle.loads(as_mxnet_pickles).list_arguments())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, "['x']"), done.stderr


def test_symbols_pickle():
    bound = mx.sym.BatchNorm(mx.sym.var("x", lr_mult=2), name="bn")
    again = pickle.loads(pickle.dumps(bound))
    assert again.tojson() == bound.tojson()
    assert again.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]


def test_scopes_tell_what_is_current():
    with mx.AttrScope(ctx_group="a") as scope:
        assert mx.AttrScope.current.get(None) == {"ctx_group": "a"}
        assert scope.current.get(None) == {"ctx_group": "a"}
    assert mx.AttrScope.current.get(None) == {}
    with mx.name.Prefix("p_"):
        assert mx.name.NameManager.current.get("n", "relu") == "p_n"
    with mx.cpu(2):
        assert mx.Context.default_ctx == mx.current_context() == mx.cpu(2)


def test_the_default_context_can_be_assigned():
    with mx.cpu(1):
        mx.Context.default_ctx = mx.cpu(2)
        assert mx.nd.ones((1,)).context == mx.current_context() == mx.cpu(2)
        mx.Context._default_ctx.value = mx.cpu(3)
        assert mx.nd.ones((1,)).context == mx.Context.default_ctx == mx.cpu(3)
    assert mx.Context.default_ctx == mx.cpu(0)


def test_an_executor_reshaped_to_less_shares_memory():
    executor = (mx.sym.var("x") * 2).simple_bind(mx.cpu(), x=(4, 3))
    smaller = executor.reshape(x=(2, 3))
    smaller.arg_dict["x"][:] = 5
    smaller.grad_dict["x"][:] = 7
    assert executor.arg_dict["x"].asnumpy().tolist() == [[5.0] * 3] * 2 + [[0.0] * 3] * 2
    assert executor.grad_dict["x"].asnumpy().tolist() == [[7.0] * 3] * 2 + [[0.0] * 3] * 2
    assert smaller.forward()[0].asnumpy().tolist() == [[10.0] * 3] * 2


def test_optimizer_updates_take_the_scale_as_a_number_in_symbols():
    names = ["weight", "grad", "mean", "var"]
    symbol = mx.sym.contrib.adamw_update(*map(mx.sym.var, names), 2.0, lr=0.1, eta=0.2)
    values = {n: mx.nd.array([0.5, 1.0]) for n in names}
    want = mx.nd.contrib.adamw_update(*(a.copy() for a in values.values()), 2.0, lr=0.1, eta=0.2)
    args = {n: values.pop(n) for n in ("weight", "grad")}
    (got,) = symbol.bind(mx.cpu(), args, aux_states=values).forward()
    np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-6)
