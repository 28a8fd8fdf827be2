# SPDX-License-Identifier: Apache-2.0
"""Checks for variables without values that the outputs of a network depend on."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from .base_symbol import BaseSymbol
from .labels import labels_of

__all__ = ["needed_values", "parameters_among"]

_PARAMETERS = {"weight", "bias", "gamma", "beta", "parameters"}
_STATES = {"state", "state_cell"}  # Initial states of RNN are zeros unless they are fed.


def parameters_among(symbol: BaseSymbol, names: Iterable[str]) -> list[str]:
    """Return those of `names` that operators read only as weights, biases and the like."""
    auxiliary = set(symbol.list_auxiliary_states())
    roles = _roles(symbol)
    return [n for n in names if n in auxiliary or (roles[n] and roles[n] <= _PARAMETERS)]


def needed_values(symbol: BaseSymbol, known: Collection[str]) -> list[str]:
    """Return the variables whose values the outputs depend on and that `known` lacks.

    Labels of losses and initial states of RNN are not among them.
    """
    labels, roles = labels_of(symbol), _roles(symbol)
    return [
        name
        for name in symbol.list_inputs()
        if name not in known and name not in labels and not (roles[name] and roles[name] <= _STATES)
    ]


def _roles(symbol: BaseSymbol) -> dict[str, set[str]]:
    """Return the names that operators have for each variable that they read."""
    roles: dict[str, set[str]] = {name: set() for name in symbol.list_inputs()}
    for node in symbol.nodes:
        names = () if node.op is None else node.op.inputs()
        for role, entry in zip(names, node.inputs, strict=False):
            if entry.node.op is None:
                roles[entry.node.name].add(role)
    return roles
