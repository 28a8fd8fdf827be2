# SPDX-License-Identifier: Apache-2.0
"""Gives Symbol what takes arrays: `bind`, `simple_bind`, `eval`."""

from __future__ import annotations

from typing import Any

from ..graph.symbol import Symbol
from ..nd.array import NDArray
from ..runtime.context import Context
from .executor import Arrays, Executor
from .executor import bind as bind_arrays
from .simple_bind import simple_bind as bind_shapes

__all__: list[str] = []


def bind(
    self: Symbol,
    ctx: Context,
    args: Arrays,
    args_grad: Arrays | None = None,
    grad_req: Any = "write",
    aux_states: Arrays | None = None,
    group2ctx: Any = None,
    shared_exec: Executor | None = None,
) -> Executor:
    """An executor on given arrays, by list in the symbol's order or by name.

    Args:
        self: what to compute.
        ctx: where to compute.
        args: arrays of the arguments.
        args_grad: arrays that gradients go to.
        grad_req: null, write or add: one for all, a list, or by name.
        aux_states: arrays of the auxiliary states.
        group2ctx: contexts of groups named by ``ctx_group``; everything runs on `ctx`.
        shared_exec: memory is shared by the allocator; taken for compatibility.
    """
    return bind_arrays(self, ctx, args, args_grad, grad_req, aux_states)


def simple_bind(
    self: Symbol,
    ctx: Context,
    grad_req: Any = "write",
    type_dict: Any = None,
    stype_dict: Any = None,
    group2ctx: Any = None,
    shared_arg_names: Any = None,
    shared_exec: Executor | None = None,
    shared_buffer: Any = None,
    **kwargs: Any,
) -> Executor:
    """An executor with arrays made for everything, from shapes given by argument name.

    Args:
        self: what to compute.
        ctx: where the arrays are made.
        grad_req: null, write or add: one for all, a list, or by name.
        type_dict: element types by name; float32 where nothing else follows.
        stype_dict: storage types by name.
        group2ctx: contexts of groups named by ``ctx_group``; everything runs on `ctx`.
        shared_arg_names: taken for compatibility.
        shared_exec: executor whose arrays of equal name, shape and type are used again.
        shared_buffer: taken for compatibility.
        kwargs: shapes by argument name.
    """
    return bind_shapes(self, ctx, grad_req, type_dict, stype_dict, shared_exec, kwargs)


def evaluate(self: Symbol, ctx: Context | None = None, **kwargs: NDArray) -> list[NDArray]:
    """The outputs for arrays given by argument name."""
    return bind_arrays(self, ctx, kwargs, grad_req="null").forward()


for _name, _method in (("bind", bind), ("simple_bind", simple_bind), ("eval", evaluate)):
    setattr(Symbol, _name, _method)
