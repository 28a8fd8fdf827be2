# SPDX-License-Identifier: Apache-2.0
"""Gives Symbol what takes arrays: `bind`, `simple_bind`, `eval`; and what asks backends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.errors import ArgumentTypeError, shown
from ...graph.symbol import Symbol
from ...nd.array import NDArray
from ...runtime.context import Context, context_of
from .bind_arguments import Arrays, by_name, groups_of, requests_of
from .executor import Executor
from .simple_bind import Sharing
from .simple_bind import simple_bind as bind_shapes
from .subgraph_backends import get_backend_symbol, optimize_for

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
        group2ctx: contexts of groups named by ``ctx_group``; arrays must be where their group is.
        shared_exec: executor whose outputs lend their memory to those of this one.

    Raises:
        MXNetError: arrays are missing or do not fit; the text names argument and shapes.
    """
    names, aux_names = self.list_arguments(), self.list_auxiliary_states()
    arrays = by_name("args", names, args, required=True)
    gradients = by_name("args_grad", names, args_grad or {}, required=False)
    aux = by_name("aux_states", aux_names, aux_states or {}, required=True)
    requests = requests_of(names, grad_req)
    groups = groups_of(group2ctx)
    return Executor(self, context_of(ctx), arrays, gradients, requests, aux, groups, shared_exec)


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
        group2ctx: contexts of groups named by ``ctx_group``, whose arrays are made there.
        shared_arg_names: with `shared_buffer`, arguments that are the arrays of `shared_exec`.
        shared_exec: executor whose outputs lend their memory to those of this one; with
            `shared_buffer`, its auxiliary states are this one's too.
        shared_buffer: dict of arrays by name; all other arguments and gradients (``grad of x``)
            are made in their memory where it is enough, else they go there.
        kwargs: shapes by argument name; unknown names are ignored.

    Raises:
        MXNetError: shapes that contradict each other or are not enough.
    """
    for what, given in (
        ("type_dict", type_dict),
        ("stype_dict", stype_dict),
        ("shared_buffer", shared_buffer),
    ):
        if given is not None and not isinstance(given, Mapping):
            raise ArgumentTypeError(f"simple_bind: {what}={shown(given)}: must be a dict")
    sharing = Sharing(shared_exec, frozenset(shared_arg_names or ()), shared_buffer)
    groups = groups_of(group2ctx)
    context = context_of(ctx)
    return bind_shapes(self, context, grad_req, type_dict, stype_dict, groups, sharing, kwargs)


def evaluate(self: Symbol, ctx: Context | None = None, **kwargs: NDArray) -> list[NDArray]:
    """The outputs for arrays given by argument name."""
    return bind(self, context_of(ctx), kwargs, grad_req="null").forward()


for _name, _method in (
    ("bind", bind),
    ("simple_bind", simple_bind),
    ("eval", evaluate),
    ("optimize_for", optimize_for),
    ("get_backend_symbol", get_backend_symbol),
):
    setattr(Symbol, _name, _method)
