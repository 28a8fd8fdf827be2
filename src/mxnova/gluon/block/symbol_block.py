# SPDX-License-Identifier: Apache-2.0
"""SymbolBlock: a graph as a block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ... import symbol as sym
from ...core.base.errors import ArgumentError, AssertedError
from ...core.graph.symbol import Symbol
from ...core.nd.array import NDArray
from ...core.runtime.context import Context
from ..parameter import DeferredInitializationError, Parameter, ParameterDict
from .hybrid import HybridBlock
from .nesting import _flatten, _gather_type_ctx_info, _regroup

__all__ = ["SymbolBlock"]


class SymbolBlock(HybridBlock):
    """A block that computes symbols.

    Args:
        outputs: a symbol, or nested lists of them.
        inputs: the variables among its arguments that are inputs; all others are parameters.
        params: parameters to share.
    """

    def __init__(self, outputs: Any, inputs: Any, params: ParameterDict | None = None) -> None:
        super().__init__(prefix="", params=ParameterDict("", params))
        if isinstance(inputs, Symbol) and len(inputs) == 1:
            inputs = [inputs]
        if isinstance(outputs, (list, tuple)) and len(outputs) == 1:
            outputs = outputs[0]
        variables, self._in_format = _flatten(inputs, "input")
        flat, self._out_format = _flatten(outputs, "output")
        out = sym.Group(flat)
        names = [_variable_name(v) for v in variables]
        shared_prefix = _common_prefix(out.list_inputs())
        types = _inferred_types(out)
        states = set(out.list_auxiliary_states())
        for node in out.nodes:
            if node.op is None and node.name not in names:
                self._add(node, types, node.name in states)
        self._cached_graph = variables, out
        self._reg_params = {
            name.removeprefix(shared_prefix): p for name, p in self.params.items()
        }

    def _add(self, node: Any, types: Mapping[str, Any], is_state: bool) -> None:
        kwargs: dict[str, Any] = {"grad_req": "null"} if is_state else {}
        dtype = types.get(node.name)
        if dtype is not None:
            kwargs["dtype"] = dtype
        self.params.get(node.name, allow_deferred_init=True, **kwargs)

    @staticmethod
    def imports(
        symbol_file: str,
        input_names: str | Sequence[str],
        param_file: str | None = None,
        ctx: Context | Sequence[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> SymbolBlock:
        """The block of an exported graph.

        Args:
            symbol_file: ``path-symbol.json``.
            input_names: names of its inputs.
            param_file: ``path-0000.params``; None: parameters are to be initialized.
            ctx: contexts of the parameters.
            allow_missing: leave parameters alone that the file lacks.
            ignore_extra: ignore what is in the file only.
        """
        out = sym.load(symbol_file)
        names = [input_names] if isinstance(input_names, str) else input_names
        inputs = [sym.var(name) for name in names]
        made = SymbolBlock(out, inputs)
        if param_file is not None:
            made.collect_params().load(
                param_file, ctx, allow_missing, ignore_extra, made.prefix, True, "saved"
            )
        return made

    def forward(self, x: Any, *args: Any) -> Any:
        """Runs the graph on arrays; on symbols it is composed with them."""
        has_symbol, has_array, contexts, context = _gather_type_ctx_info((x, *args))
        if has_array and not has_symbol:
            self._check_one_context(contexts)
            with context:
                return self._call_cached_op(x, *args)
        if has_array or not has_symbol:
            raise ArgumentError(f"SymbolBlock {self.name!r}: inputs are arrays, or symbols")
        flat, form = _flatten((x, *args), "input")
        if form != self._in_format:
            raise AssertedError(f"SymbolBlock: inputs of structure {form}, not {self._in_format}")
        variables, out = self._cached_graph
        replaced = {v.name: s for v, s in zip(variables, flat, strict=True)}
        return _regroup(list(out(**replaced)), self._out_format)[0]

    def _clear_cached_op(self) -> None:
        graph = self._cached_graph
        super()._clear_cached_op()
        self._cached_graph = graph

    def cast(self, dtype: Any) -> None:
        """Casts its parameters to an element type."""
        self._clear_cached_op()
        super().cast(dtype)


def _variable_name(symbol: Symbol) -> str:
    if len(symbol) != 1 or symbol._entries[0].node.op is not None:
        raise AssertedError(f"SymbolBlock: inputs: {symbol!r} is no variable")
    return symbol._entries[0].node.name


def _inferred_types(out: Symbol) -> dict[str, Any]:
    arguments, _, states = out.infer_type_partial()
    types = dict(zip(out.list_arguments(), arguments, strict=True))
    types.update(zip(out.list_auxiliary_states(), states, strict=True))
    return types


def _common_prefix(names: Sequence[str]) -> str:
    import os

    return os.path.commonprefix(list(names))
