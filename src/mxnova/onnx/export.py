# SPDX-License-Identifier: Apache-2.0
"""From symbols to ONNX files."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import Tensor

from .. import ndarray as nd
from .. import symbol as sym_module
from ..core.base.errors import ArgumentError, ArgumentTypeError, shown
from ..core.base.shapes import from_user
from ..core.graph.labels import labels_of, without_label_graphs
from ..core.graph.symbol import Symbol
from ..core.nd.array import NDArray
from ..core.op.dtypes import torch_dtype
from ..core.op.schema import REGISTRY
from .opsets import checked
from .package import require_onnx

if TYPE_CHECKING:
    from ..core.graph.open_sizes import OpenSizes
    from .model import Exported, Inputs

__all__ = ["export_for_runtime", "export_model", "get_operator_support"]

_log = logging.getLogger("mxnova")
_PREFIX = re.compile(r"^(arg|aux):")


def export_model(
    sym: Symbol | str,
    params: str | Mapping[str, NDArray] | Sequence[Mapping[str, NDArray]],
    in_shapes: Sequence[Sequence[int]] | None = None,
    in_types: Any = np.float32,
    onnx_file_path: str = "model.onnx",
    verbose: bool = False,
    dynamic: bool = False,
    dynamic_input_shapes: Sequence[Sequence[Any]] | None = None,
    run_shape_inference: bool = False,
    input_type: Any = None,
    input_shape: Sequence[Sequence[int]] | None = None,
    metadata: Mapping[str, str] | None = None,
    opset_version: int | None = None,
) -> str:
    """Write a symbol and its parameters to an ONNX file; returns the file's path.

    Inputs and initializers have MXNet's names, outputs the names of their nodes, with a number
    behind where a node has several. Labels are left out: outputs of losses do not read them.

    Args:
        sym: a symbol, or the path of its JSON.
        params: parameters by name, with or without ``arg:`` and ``aux:``; a pair of such dicts; or
            the path of a .params file.
        in_shapes: shape of each input that is no parameter, in the order of ``sym.list_inputs()``.
        in_types: element type of all of them, or a list of their types.
        onnx_file_path: the file, which is replaced as a whole. Parameters of more than 2 GB go into
            a second file, ``onnx_file_path.data``.
        verbose: log what each node becomes.
        dynamic: sizes of inputs are left open, those of `dynamic_input_shapes` that are no numbers,
            or all that the network does not fix.
        dynamic_input_shapes: as `in_shapes`; a name instead of a size stands for the same size
            everywhere, None for any size.
        run_shape_inference: note the shapes of all inner values in the file.
        input_type: older name of `in_types`.
        input_shape: older name of `in_shapes`.
        metadata: texts by name that the file shall carry.
        opset_version: of the file, 13 to 21; default: 13, which whatever reads ONNX knows. Later
            ones have LayerNormalization (17), Gelu (20) and GroupNormalization (21).

    Raises:
        MXNetError: the package onnx is not installed; an operator that cannot be said in ONNX,
            with its node; shapes that do not fit.
    """
    require_onnx("export_model")
    from .files import write

    shapes = in_shapes if input_shape is None else input_shape
    types = in_types if input_type is None else input_type
    open_shapes = dynamic_input_shapes
    exported = _exported(sym, params, shapes, types, dynamic, open_shapes, opset_version)
    write(exported.ops, os.fspath(onnx_file_path), run_shape_inference, metadata)
    if verbose:
        for node in exported.ops.nodes:
            _log.info("%s: %s(%s)", node.name, node.op_type, ", ".join(node.input))
    return onnx_file_path


def export_for_runtime(
    sym: Symbol,
    params: Mapping[str, NDArray],
    in_shapes: Sequence[Sequence[int]],
    in_types: Any,
    onnx_file_path: str,
    dynamic: bool = False,
    dynamic_input_shapes: Sequence[Sequence[Any]] | None = None,
    metadata: Mapping[str, str] | None = None,
    opset_version: int | None = None,
) -> None:
    """As `export_model`, for a model that is run only: what nobody reads is not computed.

    Raises:
        MXNetError: as of `export_model`.
    """
    require_onnx("export_model")
    from .files import write

    exported = _exported(
        sym, params, in_shapes, in_types, dynamic, dynamic_input_shapes, opset_version, True
    )
    write(exported.ops, onnx_file_path, False, metadata)


def _exported(
    sym: Symbol | str,
    params: Any,
    shapes: Any,
    types: Any,
    dynamic: bool,
    open_shapes: Any,
    opset_version: int | None,
    for_runtime: bool = False,
) -> Exported:
    from ..core.graph.open_sizes import OpenSizes
    from .model import Exported, shapes_fit

    version = checked(opset_version, "export_model: opset_version")
    symbol = without_label_graphs(_symbol_of(sym))
    parameters = _parameters_of(params, set(symbol.list_inputs()))
    inputs = _inputs_of(symbol, parameters, shapes, types)
    open_sizes = OpenSizes()
    if dynamic:
        fits = partial(shapes_fit, symbol, parameters)
        inputs = _opened(inputs, open_shapes, open_sizes, fits)
    return Exported(symbol, parameters, inputs, open_sizes, version, for_runtime)


def get_operator_support(opset_version: int | None = None) -> list[str]:
    """Return the names of the operators that `export_model` supports, as MXNet registers them.

    Args:
        opset_version: opset of the files, 13 to 21; default: 13.

    Raises:
        ArgumentError: another opset.
    """
    from ..core.exec.backends.conversion.graph import CONVERTERS
    from ..core.exec.passes.qdq import OPERATORS

    version = checked(opset_version, "get_operator_support: opset_version")
    known = [key for key, converter in CONVERTERS.items() if converter.since <= version]
    return sorted({name for key in (*known, *OPERATORS) for name in _names_of(key)})


def _names_of(key: str) -> tuple[str, ...]:
    """All names of an operator; none of one that only passes over graphs make."""
    if key not in REGISTRY:
        return ()
    kind = REGISTRY[key]
    return (kind.name, *kind.aliases)


def _symbol_of(source: Symbol | str) -> Symbol:
    if isinstance(source, Symbol):
        return source
    if isinstance(source, (str, os.PathLike)):
        return sym_module.load(os.fspath(source))
    raise ArgumentTypeError(f"export_model: sym={shown(source)}: must be a Symbol or a path")


def _parameters_of(params: Any, names: set[str]) -> dict[str, Tensor]:
    """Return tensors by name; `names` are the symbol's, which may themselves begin with arg:."""
    if isinstance(params, (str, os.PathLike)):
        params = nd.load(os.fspath(params))
    parts = [params] if isinstance(params, Mapping) else params
    if not isinstance(parts, (list, tuple)) or not all(isinstance(p, Mapping) for p in parts):
        raise ArgumentTypeError(
            f"export_model: params={shown(params)}: must be a path, a dict of arrays or two of them"
        )
    found = {}
    for name, array in (pair for part in parts for pair in part.items()):
        if not isinstance(array, NDArray):
            raise ArgumentTypeError(f"export_model: params: {name} is {shown(array)}, no array")
        dense = array if array.stype == "default" else array.tostype("default")
        found[name if name in names else _PREFIX.sub("", name)] = dense._tensor.detach().cpu()
    return found


def _inputs_of(symbol: Symbol, parameters: Mapping[str, Tensor], shapes: Any, types: Any) -> Inputs:
    """Shapes and element types of what is no parameter, by name."""
    names = [name for name in symbol.list_inputs() if name not in parameters]
    labels = labels_of(symbol)
    shapes = list(shapes or ())
    if len(shapes) < len(names):
        names = [name for name in names if name not in labels]
    if len(shapes) != len(names):
        raise ArgumentError(
            f"export_model: in_shapes={shown(shapes)}: there must be one for each input that is no "
            f"parameter: {', '.join(names) or 'none'}"
        )
    types = types if isinstance(types, (list, tuple)) else [types] * len(names)
    if len(types) < len(names):
        raise ArgumentError(
            f"export_model: in_types={shown(types)}: there must be one for each of "
            f"{', '.join(names)}"
        )
    facts = zip(shapes, types, strict=False)
    found: dict[str, Any] = {
        n: (from_user(s), torch_dtype(t)) for n, (s, t) in zip(names, facts, strict=False)
    }
    return {name: facts for name, facts in found.items() if name not in labels}


def _opened(
    inputs: Inputs,
    given: Sequence[Sequence[Any]] | None,
    open_sizes: OpenSizes,
    fits: Callable[[Inputs], bool],
) -> Inputs:
    """`inputs` with open sizes where `given` has no numbers; without it, with all that may be open.

    Args:
        inputs: shapes and types by name.
        given: as the caller has it.
        open_sizes: is told of them.
        fits: whether the graph's shapes can be inferred.
    """
    if given is None:
        return _all_opened(inputs, open_sizes, fits)
    if len(given) != len(inputs):
        raise ArgumentError(
            f"export_model: dynamic_input_shapes={shown(given)}: there must be one for each of "
            f"{', '.join(inputs)}"
        )
    found = {}
    for (name, (fixed, dtype)), shape in zip(inputs.items(), given, strict=True):
        if len(shape) != len(fixed):
            raise ArgumentError(
                f"export_model: dynamic_input_shapes: {shown(tuple(shape))} for {name!r}, "
                f"whose shape is {tuple(fixed)}"
            )
        found[name] = open_sizes.shape_of(shape, name), dtype
    return found


def _all_opened(inputs: Inputs, open_sizes: OpenSizes, fits: Callable[[Inputs], bool]) -> Inputs:
    """Each axis is open with which, and those before it, the graph's shapes can be inferred."""
    found = dict(inputs)
    for name, (fixed, dtype) in inputs.items():
        axes: list[int] = []
        for axis in range(len(fixed)):
            tried = {**found, name: (open_sizes.opened(name, fixed, [*axes, axis]), dtype)}
            if fits(tried):
                axes, found = [*axes, axis], tried
    return found
