# SPDX-License-Identifier: Apache-2.0
"""Networks of Gluon's model zoo, of which a file holds the parameters only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.base.errors import FormatError, MXNetError
from ..core.graph.symbol import Symbol
from ..core.nd.array import NDArray

__all__ = ["is_known", "network_of"]

_SIZES = {"inceptionv3": 299}  # pixels
_SIZE = 224


def is_known(name: str) -> bool:
    """Whether the zoo has a network of that name."""
    from ..gluon.model_zoo.model_store import _model_sha1

    return name.lower() in _model_sha1


def network_of(name: str, arrays: Mapping[str, NDArray]) -> tuple[Symbol, dict[str, NDArray], int]:
    """The network that parameters belong to.

    Args:
        name: of the network, such as resnet50_v1.
        arrays: the parameters as ``save_parameters`` names them, or ``collect_params().save``.

    Returns:
        The symbol; the parameters by names of its variables, with ``arg:`` or ``aux:``; and how
        many pixels an image is wide and high.

    Raises:
        MXNetError: there is no such network, or the parameters are not its.
    """
    from ..gluon.model_zoo.vision import get_model
    from ..symbol import var

    last = list(arrays.values())[-1]
    size = _SIZES.get(name.lower(), _SIZE)
    try:
        net = get_model(name, classes=last.shape[0])
        symbol = net(var("data"))
    except (TypeError, IndexError) as error:  # a scalar
        raise FormatError(f"{name}: its last array has no classes: {error}") from None
    named = _by_variable(net, arrays)
    states = set(symbol.list_auxiliary_states())
    wanted = {n for n in symbol.list_inputs() if n != "data"}
    if missing := sorted(wanted - set(named)) or sorted(set(named) - wanted):
        raise MXNetError(f"these are no parameters of Gluon's {name}: {missing[0]} has no match")
    _check_shapes(name, symbol, named, size)
    return symbol, {f"{'aux' if n in states else 'arg'}:{n}": a for n, a in named.items()}, size


def _by_variable(net: Any, arrays: Mapping[str, NDArray]) -> dict[str, NDArray]:
    """The arrays by the names of the network's variables."""
    if any("." in name for name in arrays):
        known = net._collect_params_with_prefix()
        return {known[n].name if n in known else n: array for n, array in arrays.items()}
    plain = {name.rpartition(":")[2]: array for name, array in arrays.items()}
    return {f"{net.prefix}{name}": array for name, array in plain.items()}


def _check_shapes(name: str, symbol: Symbol, named: Mapping[str, NDArray], size: int) -> None:
    shapes: Any
    states: Any
    shapes, _, states = symbol.infer_shape(data=(1, 3, size, size))
    told = dict(zip(symbol.list_arguments(), shapes, strict=True))
    told.update(zip(symbol.list_auxiliary_states(), states, strict=True))
    for variable, array in named.items():
        if tuple(told[variable]) != array.shape:
            raise MXNetError(
                f"these are no parameters of Gluon's {name}: {variable} has shape {array.shape}, "
                f"expected {told[variable]}"
            )
