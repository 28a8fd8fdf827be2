# SPDX-License-Identifier: Apache-2.0
"""Public functions and what callers may give them by mistake, or worse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import mxnova as mx

__all__ = ["ENTRIES", "VALUES"]


class Unrelated:
    """An object that is nothing that any function takes."""


class Lying:
    """An object whose every question raises."""

    def __len__(self) -> int:
        raise ZeroDivisionError("len")

    def __getitem__(self, _: Any) -> Any:
        raise ZeroDivisionError("item")

    def __index__(self) -> int:
        raise ZeroDivisionError("index")

    def __float__(self) -> float:
        raise ZeroDivisionError("float")

    def __repr__(self) -> str:
        raise ZeroDivisionError("repr")


def _nested() -> list[Any]:
    deep: list[Any] = []
    for _ in range(3000):
        deep = [deep]
    return deep


def _circular() -> list[Any]:
    circle: list[Any] = []
    circle.append(circle)
    return circle


# Made anew for each call: a call may change them.
VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "a string": lambda: "abc",
    "an empty string": lambda: "",
    "half a surrogate pair": lambda: "\ud800",
    "a NUL character": lambda: "a\0b",
    "bytes": lambda: b"abc",
    "-1": lambda: -1,
    "2**31": lambda: 1 << 31,
    "2**63": lambda: 1 << 63,
    "10**5000": lambda: 10**5000,
    "1.5": lambda: 1.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "a complex number": lambda: 1j,
    "an object": Unrelated,
    "a class": lambda: Unrelated,
    "a function": lambda: len,
    "an iterator": lambda: iter([1, 2]),
    "a set": lambda: {1, 2},
    "an empty list": list,
    "an empty dict": dict,
    "a list of strings": lambda: ["a", "b"],
    "a list of None": lambda: [None, None],
    "a list of objects": lambda: [Unrelated()],
    "a ragged list": lambda: [[1, 2], [3]],
    "a list in 3000 lists": _nested,
    "a list in itself": _circular,
    "a dict of objects": lambda: {"x": Unrelated(), "y": None},
    "a dict with numbers for names": lambda: {1: 2},
    "a negative shape": lambda: (-5, -7),
    "a huge shape": lambda: (1 << 40, 1 << 40),
    "an overflowing shape": lambda: (1 << 80,),
    "an empty huge shape": lambda: (3_000_000_000, 0),
    "a shape of floats": lambda: (1.5, 2.5),
    "an array of strings": lambda: np.array(["a", "b"]),
    "an array of objects": lambda: np.array([Unrelated()], dtype=object),
    "an array of complex numbers": lambda: np.array([1j]),
    "an array of dates": lambda: np.array(["2020-01-01"], dtype="M8[D]"),
    "a record array": lambda: np.zeros(2, dtype=[("a", "i4")]),
    "an NDArray": lambda: mx.nd.ones((2, 3)),
    "an empty NDArray": lambda: mx.nd.zeros((0, 3)),
    "a csr array": lambda: mx.nd.ones((2, 3)).tostype("csr"),
    "a row_sparse array": lambda: mx.nd.ones((2, 3)).tostype("row_sparse"),
    "a Symbol": lambda: mx.sym.var("z"),
    "a group": lambda: mx.sym.Group([mx.sym.var("z"), mx.sym.var("w")]),
    "a context": lambda: mx.cpu(0),
}


def _x() -> mx.nd.NDArray:
    return mx.nd.array([[1, 2, 3], [4, 5, 6]])


def _fc() -> mx.sym.Symbol:
    return mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=4, name="fc")


def _executor() -> mx.executor.Executor:
    return _fc().simple_bind(mx.cpu(), x=(2, 3))


def _head() -> mx.nd.NDArray:
    x = _x()
    x.attach_grad()
    with mx.autograd.record():
        return x * 2


def _cached(*values: Any, **named: Any) -> Any:
    return mx.nd.CachedOp(_fc())(*values, **named)


def _weights() -> dict[str, mx.nd.NDArray]:
    return {"arg:fc_weight": mx.nd.ones((4, 3)), "arg:fc_bias": mx.nd.zeros((4,))}


def _predictor() -> mx.Predictor:
    return mx.Predictor(_fc(), _weights(), {"x": (2, 3)})


def _set(key: Any, value: Any) -> None:
    _x()[key] = value


def _in_no_folder(value: Any) -> Any:
    """`value`; of text, a path that nothing can be written to."""
    return f"/dev/null/{value}" if type(value) is str else value


# fmt: off
ENTRIES: dict[str, Callable[[Any], Any]] = {
    # Creation
    "nd.array(v)":                   lambda v: mx.nd.array(v),
    "nd.array(dtype=v)":             lambda v: mx.nd.array([1], dtype=v),
    "nd.array(ctx=v)":               lambda v: mx.nd.array([1], ctx=v),
    "nd.zeros(v)":                   lambda v: mx.nd.zeros(v),
    "nd.zeros(dtype=v)":             lambda v: mx.nd.zeros((1,), dtype=v),
    "nd.zeros(ctx=v)":               lambda v: mx.nd.zeros((1,), ctx=v),
    "nd.ones(v)":                    lambda v: mx.nd.ones(v),
    "nd.empty(v)":                   lambda v: mx.nd.empty(v),
    "nd.full(v)":                    lambda v: mx.nd.full(v, 1),
    "nd.full(val=v)":                lambda v: mx.nd.full((2,), v),
    "nd.arange(v)":                  lambda v: mx.nd.arange(v),
    "nd.arange(step=v)":             lambda v: mx.nd.arange(0, 3, v),
    "nd.arange(repeat=v)":           lambda v: mx.nd.arange(0, 3, repeat=v),
    "nd.linspace(num=v)":            lambda v: mx.nd.linspace(0, 3, v),
    "nd.eye(v)":                     lambda v: mx.nd.eye(v),
    "nd.moveaxis(v)":                lambda v: mx.nd.moveaxis(_x(), v, 0),
    "nd.concatenate(v)":             lambda v: mx.nd.concatenate(v),
    "nd.from_numpy(v)":              lambda v: mx.nd.from_numpy(v),
    "nd.from_dlpack(v)":             lambda v: mx.nd.from_dlpack(v),
    "nd.load(v)":                    lambda v: mx.nd.load(v),
    "nd.load_frombuffer(v)":         lambda v: mx.nd.load_frombuffer(v),
    "nd.save(data=v)":               lambda v: mx.nd.save("/dev/null/no", v),
    "nd.save(v)":                    lambda v: mx.nd.save(_in_no_folder(v), _x()),
    "sparse.csr_matrix(v)":          lambda v: mx.nd.sparse.csr_matrix(v),
    "sparse.csr_matrix(shape=v)":    lambda v: mx.nd.sparse.csr_matrix(([1], [0], [0, 1]), shape=v),
    "sparse.csr_matrix(data=v)":     lambda v: mx.nd.sparse.csr_matrix((v, v, v)),
    "sparse.row_sparse_array(v)":    lambda v: mx.nd.sparse.row_sparse_array(v),
    "sparse.row_sparse_array(data)": lambda v: mx.nd.sparse.row_sparse_array((v, v)),
    "sparse.zeros(v)":               lambda v: mx.nd.sparse.zeros(v, (2, 3)),
    "sparse.zeros(shape=v)":         lambda v: mx.nd.sparse.zeros("csr", v),
    "sparse.array(v)":               lambda v: mx.nd.sparse.array(v),
    # Operators on arrays
    "nd.relu(v)":                    lambda v: mx.nd.relu(v),
    "nd.relu(x, v)":                 lambda v: mx.nd.relu(_x(), v),
    "nd.relu(out=v)":                lambda v: mx.nd.relu(_x(), out=v),
    "nd.relu(name=v)":               lambda v: mx.nd.relu(_x(), name=v),
    "nd.relu(**v)":                  lambda v: mx.nd.relu(_x(), other=v),
    "nd.sum(axis=v)":                lambda v: mx.nd.sum(_x(), axis=v),
    "nd.clip(v)":                    lambda v: mx.nd.clip(_x(), v, v),
    "nd.reshape(shape=v)":           lambda v: mx.nd.reshape(_x(), shape=v),
    "nd.tile(reps=v)":               lambda v: mx.nd.tile(_x(), reps=v),
    "nd.concat(v)":                  lambda v: mx.nd.concat(v),
    "nd.concat(x, v)":               lambda v: mx.nd.concat(_x(), v),
    "nd.concat(num_args=v)":         lambda v: mx.nd.concat(_x(), num_args=v),
    "nd.add_n(v)":                   lambda v: mx.nd.add_n(v),
    "nd.split(num_outputs=v)":       lambda v: mx.nd.split(_x(), num_outputs=v),
    "nd.dot(x, v)":                  lambda v: mx.nd.dot(_x(), v),
    "nd.Convolution(kernel=v)":      lambda v: mx.nd.Convolution(_x(), _x(), kernel=v, num_filter=1),
    "nd.Cast(dtype=v)":              lambda v: mx.nd.Cast(_x(), dtype=v),
    "nd.Activation(act_type=v)":     lambda v: mx.nd.Activation(_x(), act_type=v),
    "nd.one_hot(depth=v)":           lambda v: mx.nd.one_hot(_x(), depth=v),
    "nd.sgd_update(lr=v)":           lambda v: mx.nd.sgd_update(_x(), _x(), lr=v),
    "nd.Custom(op_type=v)":          lambda v: mx.nd.Custom(_x(), op_type=v),
    "nd.maximum(x, v)":              lambda v: mx.nd.maximum(_x(), v),
    "nd.add(v, x)":                  lambda v: mx.nd.add(v, _x()),
    "nd.random.uniform(v)":          lambda v: mx.nd.random.uniform(v, 1),
    "nd.random.uniform(shape=v)":    lambda v: mx.nd.random.uniform(shape=v),
    "nd.random.uniform(dtype=v)":    lambda v: mx.nd.random.uniform(dtype=v),
    "nd.random.uniform(ctx=v)":      lambda v: mx.nd.random.uniform(ctx=v),
    "nd.random.normal(scale=v)":     lambda v: mx.nd.random.normal(0, v),
    "nd.random.randint(v)":          lambda v: mx.nd.random.randint(v, 5),
    "nd.random.multinomial(v)":      lambda v: mx.nd.random.multinomial(v),
    "nd.random.shuffle(v)":          lambda v: mx.nd.random.shuffle(v),
    "nd.random.poisson(v)":          lambda v: mx.nd.random.poisson(v, shape=(2,)),
    "random.seed(v)":                lambda v: mx.random.seed(v),
    "random.seed(ctx=v)":            lambda v: mx.random.seed(1, ctx=v),
    # Arrays
    "x[v]":                          lambda v: _x()[v],
    "x[0, v]":                       lambda v: _x()[0, v],
    "x[v:]":                         lambda v: _x()[v:],
    "x[::v]":                        lambda v: _x()[::v],
    "x[v] = 1":                      lambda v: _set(v, 1),
    "x[:] = v":                      lambda v: _set(slice(None), v),
    "x[0] = v":                      lambda v: _set(0, v),
    "csr[v]":                        lambda v: _x().tostype("csr")[v],
    "x + v":                         lambda v: _x() + v,
    "v - x":                         lambda v: v - _x(),
    "x ** v":                        lambda v: _x() ** v,
    "x < v":                         lambda v: _x() < v,
    "x == v":                        lambda v: _x() == v,
    "x += v":                        lambda v: _x().__iadd__(v),
    "x.reshape(v)":                  lambda v: _x().reshape(v),
    "x.astype(v)":                   lambda v: _x().astype(v),
    "x.as_in_context(v)":            lambda v: _x().as_in_context(v),
    "x.copyto(v)":                   lambda v: _x().copyto(v),
    "x.tostype(v)":                  lambda v: _x().tostype(v),
    "x.broadcast_to(v)":             lambda v: _x().broadcast_to(v),
    "x.slice_axis(v)":               lambda v: _x().slice_axis(axis=v, begin=0, end=1),
    "x.transpose(v)":                lambda v: _x().transpose(v),
    "x.attach_grad(v)":              lambda v: _x().attach_grad(v),
    "x.attach_grad(stype=v)":        lambda v: _x().attach_grad(stype=v),
    "x.backward(v)":                 lambda v: _head().backward(v),
    "x.sum(v)":                      lambda v: _x().sum(v),
    "nd.NDArray(v)":                 lambda v: mx.nd.NDArray(v),
    # Gradients
    "autograd.backward(v)":          lambda v: mx.autograd.backward(v),
    "autograd.backward([v])":        lambda v: mx.autograd.backward([v]),
    "autograd.backward(grads=v)":    lambda v: mx.autograd.backward([_head()], v),
    "autograd.backward(grads=[v])":  lambda v: mx.autograd.backward([_head()], [v]),
    "autograd.grad(v)":              lambda v: mx.autograd.grad(v, [_x()]),
    "autograd.grad(vars=v)":         lambda v: mx.autograd.grad(_head(), v),
    "autograd.grad(vars=[v])":       lambda v: mx.autograd.grad(_head(), [v]),
    "autograd.mark_variables(v)":    lambda v: mx.autograd.mark_variables(v, [_x()]),
    "autograd.mark_variables(g=v)":  lambda v: mx.autograd.mark_variables([_x()], v),
    "autograd.mark_variables(r=v)":  lambda v: mx.autograd.mark_variables([_x()], [_x()], v),
    "autograd.get_symbol(v)":        lambda v: mx.autograd.get_symbol(v),
    # Symbols
    "sym.var(v)":                    lambda v: mx.sym.var(v),
    "sym.var(shape=v)":              lambda v: mx.sym.var("a", shape=v).infer_shape_partial(),
    "sym.var(dtype=v)":              lambda v: mx.sym.var("a", dtype=v).infer_type_partial(),
    "sym.var(attr=v)":               lambda v: mx.sym.var("a", attr=v),
    "sym.var(stype=v)":              lambda v: mx.sym.var("a", stype=v),
    "sym.Group(v)":                  lambda v: mx.sym.Group(v),
    "sym.relu(v)":                   lambda v: mx.sym.relu(v),
    "sym.relu(name=v)":              lambda v: mx.sym.relu(mx.sym.var("a"), name=v),
    "sym.relu(attr=v)":              lambda v: mx.sym.relu(mx.sym.var("a"), attr=v),
    "sym.FullyConnected(hidden=v)":  lambda v: mx.sym.FullyConnected(mx.sym.var("a"), num_hidden=v),
    "sym.concat(v)":                 lambda v: mx.sym.concat(v),
    "sym.concat(num_args=v)":        lambda v: mx.sym.concat(mx.sym.var("a"), num_args=v),
    "sym.split(num_outputs=v)":      lambda v: mx.sym.split(mx.sym.var("a"), num_outputs=v),
    "sym.zeros(v)":                  lambda v: mx.sym.zeros(v).infer_shape_partial(),
    "sym.load(v)":                   lambda v: mx.sym.load(v),
    "sym.load_json(v)":              lambda v: mx.sym.load_json(v),
    "symbol(v)":                     lambda v: _fc()(v),
    "symbol(x=v)":                   lambda v: _fc()(x=v),
    "symbol(name=v)":                lambda v: _fc()(x=mx.sym.var("b"), name=v).tojson(),
    "symbol + v":                    lambda v: _fc() + v,
    "symbol[v]":                     lambda v: _fc()[v],
    "symbol._set_attr(v)":           lambda v: _fc()._set_attr(a=v),
    "sym.var(init=v)":               lambda v: mx.sym.var("a", init=v),
    "symbol.attr(v)":                lambda v: _fc().attr(v),
    "symbol.save(v)":                lambda v: _fc().save(_in_no_folder(v)),
    "symbol.tojson(v)":              lambda v: _fc().tojson(v),
    "symbol.infer_shape(v)":         lambda v: _fc().infer_shape(v),
    "symbol.infer_shape(x=v)":       lambda v: _fc().infer_shape(x=v),
    "symbol.infer_type(v)":          lambda v: _fc().infer_type(v),
    "symbol.infer_type(x=v)":        lambda v: _fc().infer_type(x=v),
    "AttrScope(v)":                  lambda v: mx.AttrScope(a=v),
    "name.Prefix(v)":                lambda v: mx.name.Prefix(v).get(None, "a"),
    # Executors
    "simple_bind(v)":                lambda v: _fc().simple_bind(v, x=(2, 3)),
    "simple_bind(x=v)":              lambda v: _fc().simple_bind(mx.cpu(), x=v),
    "simple_bind(grad_req=v)":       lambda v: _fc().simple_bind(mx.cpu(), grad_req=v, x=(2, 3)),
    "simple_bind(type_dict=v)":      lambda v: _fc().simple_bind(mx.cpu(), type_dict=v, x=(2, 3)),
    "simple_bind(type_dict x=v)":    lambda v: _fc().simple_bind(mx.cpu(), type_dict={"x": v}, x=(2, 3)),
    "simple_bind(stype_dict=v)":     lambda v: _fc().simple_bind(mx.cpu(), stype_dict=v, x=(2, 3)),
    "simple_bind(stype_dict x=v)":   lambda v: _fc().simple_bind(mx.cpu(), stype_dict={"x": v}, x=(2, 3)),
    "simple_bind(group2ctx=v)":      lambda v: _fc().simple_bind(mx.cpu(), group2ctx=v, x=(2, 3)),
    "simple_bind(shared_names=v)":   lambda v: _fc().simple_bind(mx.cpu(), shared_arg_names=v, x=(2, 3)),
    "simple_bind(shared_exec=v)":    lambda v: _fc().simple_bind(mx.cpu(), shared_exec=v, x=(2, 3)),
    "simple_bind(shared_buffer=v)":  lambda v: _fc().simple_bind(mx.cpu(), shared_buffer=v, x=(2, 3)),
    "bind(v)":                       lambda v: mx.sym.var("x").bind(v, [_x()]),
    "bind(args=v)":                  lambda v: mx.sym.var("x").bind(mx.cpu(), v),
    "bind(args=[v])":                lambda v: mx.sym.var("x").bind(mx.cpu(), [v]),
    "bind(args_grad=v)":             lambda v: mx.sym.var("x").bind(mx.cpu(), [_x()], v),
    "bind(grad_req=v)":              lambda v: mx.sym.var("x").bind(mx.cpu(), [_x()], [_x()], v),
    "bind(aux_states=v)":            lambda v: mx.sym.var("x").bind(mx.cpu(), [_x()], aux_states=v),
    "bind(group2ctx=v)":             lambda v: mx.sym.var("x").bind(mx.cpu(), [_x()], group2ctx=v),
    "bind(shared_exec=v)":           lambda v: mx.sym.var("x").bind(mx.cpu(), [_x()], shared_exec=v),
    "eval(x=v)":                     lambda v: mx.sym.var("x").eval(x=v),
    "executor.forward(v)":           lambda v: _executor().forward(v),
    "executor.forward(x=v)":         lambda v: _executor().forward(x=v),
    "executor.backward(v)":          lambda v: _executor().backward(v),
    "executor.backward([v])":        lambda v: _executor().backward([v]),
    "executor.reshape(x=v)":         lambda v: _executor().reshape(x=v),
    "executor.copy_params_from(v)":  lambda v: _executor().copy_params_from(v),
    "executor.copy_params_from(x)":  lambda v: _executor().copy_params_from({"x": v}),
    "executor.set_monitor(v)":       lambda v: _executor().set_monitor_callback(v),
    "CachedOp(v)":                   lambda v: mx.nd.CachedOp(v),
    "CachedOp(flags=v)":             lambda v: mx.nd.CachedOp(_fc(), v),
    "cached_op(v)":                  lambda v: _cached(v),
    "cached_op(x, v, x)":            lambda v: _cached(_x(), v, _x()),
    "cached_op(out=v)":              lambda v: _cached(_x(), mx.nd.ones((4, 3)), mx.nd.ones((4,)), out=v),
    # Predictors
    "Predictor(v)":                  lambda v: mx.Predictor(v, _weights(), {"x": (2, 3)}),
    "Predictor(params=v)":           lambda v: mx.Predictor(_fc(), v, {"x": (2, 3)}),
    "Predictor(params w=v)":         lambda v: mx.Predictor(_fc(), {**_weights(), "arg:fc_weight": v}, {"x": (2, 3)}),
    "Predictor(shapes=v)":           lambda v: mx.Predictor(_fc(), _weights(), v),
    "Predictor(shapes x=v)":         lambda v: mx.Predictor(_fc(), _weights(), {"x": v}),
    "Predictor(ctx=v)":              lambda v: mx.Predictor(_fc(), _weights(), {"x": (2, 3)}, v),
    "Predictor(outputs=v)":          lambda v: mx.Predictor(_fc(), _weights(), {"x": (2, 3)}, outputs=v),
    "Predictor(types=v)":            lambda v: mx.Predictor(_fc(), _weights(), {"x": (2, 3)}, types=v),
    "Predictor(types x=v)":          lambda v: mx.Predictor(_fc(), _weights(), {"x": (2, 3)}, types={"x": v}),
    "predictor.forward(v)":          lambda v: _predictor().forward(v),
    "predictor.forward(x=v)":        lambda v: _predictor().forward(x=v),
    "predictor.get_output(v)":       lambda v: _predictor().get_output(v),
    "predictor.reshape(v)":          lambda v: _predictor().reshape(v),
    "predictor.reshape(x=v)":        lambda v: _predictor().reshape({"x": v}),
    "predictor.partial_forward(v)":  lambda v: _predictor().partial_forward(v),
    "NDList(v)":                     lambda v: mx.predictor.NDList(v),
    # Others
    "Context(v)":                    lambda v: mx.Context(v),
    "Context(cpu, v)":               lambda v: mx.Context("cpu", v),
    "cpu(v)":                        lambda v: mx.cpu(v),
    "contrib.foreach(v)":            lambda v: mx.nd.contrib.foreach(lambda d, s: (d, s), v, []),
    "contrib.foreach(states=v)":     lambda v: mx.nd.contrib.foreach(lambda d, s: (d, s), _x(), v),
    "contrib.foreach(body=v)":       lambda v: mx.nd.contrib.foreach(v, _x(), []),
    "contrib.cond(v)":               lambda v: mx.nd.contrib.cond(v, lambda: _x(), lambda: _x()),
    "contrib.while_loop(max=v)":     lambda v: mx.nd.contrib.while_loop(lambda a: a < 1, lambda a: (a, [a + 1]), [mx.nd.zeros((1,))], v),
    "sym.foreach(v)":                lambda v: mx.sym.contrib.foreach(lambda d, s: (d, s), v, []),
    "recordio.MXRecordIO(v)":        lambda v: mx.recordio.MXRecordIO(v, "r"),
    "recordio.MXRecordIO(flag=v)":   lambda v: mx.recordio.MXRecordIO("/dev/null/no", v),
    "recordio.unpack(v)":            lambda v: mx.recordio.unpack(v),
    "recordio.unpack_img(v)":        lambda v: mx.recordio.unpack_img(v),
    "recordio.pack(v)":              lambda v: mx.recordio.pack(v, b""),
    "recordio.pack(s=v)":            lambda v: mx.recordio.pack(mx.recordio.IRHeader(0, 1, 1, 0), v),
    "recordio.pack(label=v)":        lambda v: mx.recordio.pack(mx.recordio.IRHeader(0, v, 1, 0), b""),
    "model.load_checkpoint(n=v)":    lambda v: mx.model.load_checkpoint("/dev/null/no", v),
    "profiler.set_config(v)":        lambda v: mx.profiler.set_config(filename=v),
    "profiler.dumps(format=v)":      lambda v: mx.profiler.dumps(format=v),
    "engine.bulk(v)":                lambda v: mx.engine.bulk(v),
    "operator.register(v)":          lambda v: mx.operator.register(v)(mx.operator.CustomOpProp),
    "util.set_np_shape(v)":          lambda v: mx.util.np_shape(v),
}
# fmt: on
