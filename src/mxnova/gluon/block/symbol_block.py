# SPDX-License-Identifier: Apache-2.0
"""SymbolBlock: a graph as a block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import symbol as sym
from ...core.base.errors import ArgumentError, AssertedError
from ...core.base.scopes import is_np_array
from ...core.graph.symbol import Symbol
from ...core.nd.array import NDArray
from ...core.op.dtypes import torch_dtype
from ...core.op.nn.batch_norm import BatchNormBase, keeps_float32
from ...core.runtime.context import Context
from ..parameter import ParameterDict
from .hybrid import HybridBlock
from .nesting import _flatten, restored

__all__ = ["SymbolBlock"]


class SymbolBlock(HybridBlock):
    """A block that computes symbols.

    Args:
        outputs: a symbol, or nested lists of them.
        inputs: its variables that are inputs, or nested lists of them; all others are parameters.
        params: parameters to share, by the names of variables.

    Raises:
        AssertedError: an input is no variable, or a variable is stored as row_sparse.

    Example:
        >>> x = mx.sym.var("x")
        >>> block = mx.gluon.SymbolBlock(x * 2, x)
        >>> block(mx.nd.ones(2)).asnumpy()
        array([2., 2.], dtype=float32)
    """

    def __init__(self, outputs: Any, inputs: Any, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=None, params=params)
        self._prefix = ""
        self._params = ParameterDict("", params)
        if isinstance(inputs, Symbol) and len(inputs) == 1:
            inputs = [inputs]
        if isinstance(outputs, (list, tuple)) and len(outputs) == 1:
            outputs = outputs[0]
        variables, self._in_format = _flatten(inputs, "input")
        flat, self._out_format = _flatten(outputs, "output")
        out = sym.Group(flat)
        _check_variables(variables, out)
        self._add_parameters(variables, out)
        start = _common_start(list(self._params))
        self._reg_params = {name[start:]: p for name, p in self._params.items()}
        self._cached_graph = variables, out

    def _add_parameters(self, variables: Sequence[Symbol], out: Symbol) -> None:
        """A parameter for each variable that is no input."""
        inputs = {v.name for v in variables}
        types = _types(variables, out)
        for name in out.list_arguments():
            if name not in inputs:
                self._params.get(name, allow_deferred_init=True, **types.get(name, {}))
        for name in out.list_auxiliary_states():
            if name not in inputs:
                kwargs = {"grad_req": "null", "allow_deferred_init": True}
                self._params.get(name, **kwargs, **types.get(name, {}))

    @staticmethod
    def imports(
        symbol_file: str,
        input_names: str | Sequence[str],
        param_file: str | None = None,
        ctx: Context | Sequence[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> SymbolBlock:
        """The block of a graph that `HybridBlock.export`, Module or MXNet wrote.

        Args:
            symbol_file: ``path-symbol.json``.
            input_names: names of its inputs.
            param_file: ``path-0000.params``; None: the parameters are to be initialized.
            ctx: contexts of the parameters.
            allow_missing: leave parameters alone that the file lacks.
            ignore_extra: ignore what is in the file only.
        """
        names = [input_names] if isinstance(input_names, str) else input_names
        if param_file is None:
            inputs = [sym.var(name, dtype="float32") for name in names]
        else:  # the file tells their types
            inputs = [sym.var(name) for name in names]
        outputs = sym.load(symbol_file)
        if is_np_array():
            outputs, inputs = outputs.as_np_ndarray(), [i.as_np_ndarray() for i in inputs]
        made = SymbolBlock(outputs, inputs)
        if param_file is not None:
            made.collect_params().load(
                param_file,
                ctx,
                allow_missing,
                ignore_extra,
                made.prefix,
                cast_dtype=True,
                dtype_source="saved",
            )
        return made

    def reset_ctx(self, ctx: Context | Sequence[Context]) -> None:
        """Moves its parameters to other contexts."""
        self._params.reset_ctx(ctx)

    def cast(self, dtype: Any) -> None:
        """Casts parameters; for float16 and bfloat16 those of a BatchNorm stay float32."""
        is_short = keeps_float32(torch_dtype(dtype))
        super().cast(dtype)
        if not is_short:
            return
        norms = (n for n in self._cached_graph[1].nodes if isinstance(n.op, BatchNormBase))
        for name in {e.node.name for norm in norms for e in norm.inputs[1:]}:
            if name in self._params:
                self._params[name].cast("float32")

    def __repr__(self) -> str:
        inputs, outputs = self._cached_graph
        return f"{type(self).__name__}(\n{outputs!r} : {len(inputs)} -> {len(outputs)}\n)"

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_cached_graph": self._cached_graph}

    def _clear_cached_op(self) -> None:
        graph = self._cached_graph
        super()._clear_cached_op()
        self._cached_graph = graph

    def forward(self, x: Any, *args: Any) -> Any:
        """Runs the graph on arrays; given symbols, puts them in place of its inputs."""
        if isinstance(x, NDArray):
            bound = self._bound.get(x._chunk.context)
            if bound is not None and bound.takes(x, args):
                return self._structured(bound((x, *args)))
        context = self._kind_of_inputs(x, *args)
        if context is not None:
            with context:
                return self._call_cached_op(x, *args)
        flat, form = _flatten((x, *args), "input")
        if form != self._in_format:
            raise AssertedError(
                f"SymbolBlock {self.name!r}: inputs of structure {form}, not {self._in_format}"
            )
        variables, out = self._cached_graph
        used = set(out.list_inputs())
        given = {v.name: s for v, s in zip(variables, flat, strict=True) if v.name in used}
        composed = out(**given)
        return restored(iter(composed), self._out_format)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Not there: a graph is computed as a whole."""
        raise NotImplementedError("SymbolBlock: hybrid_forward: its graph is computed by forward")


def _check_variables(variables: Sequence[Any], out: Symbol) -> None:
    for variable in variables:
        if not isinstance(variable, Symbol):
            raise ArgumentError(f"SymbolBlock: inputs: {variable!r} is no variable")
        if len(variable) != 1 or variable.entries[0].node.op is not None:
            raise AssertedError(f"SymbolBlock: inputs: {variable!r} is no variable")
    for node in out.nodes:
        # Programs of blocks take dense parameters.
        if node.op is None and node.attrs.get("__storage_type__", "0") == "1":
            raise AssertedError(
                f"SymbolBlock: variable {node.name!r} is stored as row_sparse, which parameters "
                "of a SymbolBlock cannot be"
            )


def _common_start(names: Sequence[str]) -> int:
    """How many characters all names begin with: of a single name all, as in MXNet."""
    first, last = (min(names), max(names)) if names else ("", "")
    differ = (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    return next(differ, min(len(first), len(last)))


def _types(variables: Sequence[Symbol], out: Symbol) -> dict[str, dict[str, Any]]:
    """Element types of arguments and states, where the inputs say theirs."""
    known = {}
    for variable in variables:
        attr = variable.attr("__dtype__")
        if attr is None:
            return {}
        known[str(variable.name)] = (variable.infer_type_partial()[0] or [None])[0]
    inputs = set(out.list_inputs())
    arguments, _, states = out.infer_type_partial(**{n: t for n, t in known.items() if n in inputs})
    found = zip(
        [*out.list_arguments(), *out.list_auxiliary_states()],
        [*(arguments or ()), *(states or ())],
        strict=True,
    )
    return {name: {"dtype": dtype} for name, dtype in found if dtype is not None}
