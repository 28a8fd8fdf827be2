# SPDX-License-Identifier: Apache-2.0
"""ONNX's recurrent layers, whose weights become one vector, as MXNet has them."""

from __future__ import annotations

import numpy as np

from .budget import cost_of
from .elementwise import cast
from .site import RefusalError, Site, translator
from .values import Value

__all__: list[str] = []

_GATES = {"LSTM": (0, 2, 3, 1), "GRU": (1, 0, 2), "RNN": (0,)}  # MXNet's, as numbers of ONNX's
_ACTIVATIONS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}
_DIRECTIONS = ("forward", "reverse", "bidirectional")


@translator("LSTM GRU RNN")
def _recurrent(site: Site) -> list[Value]:
    direction, mode = site.only("direction", *_DIRECTIONS), _mode(site)
    count = 2 if direction == "bidirectional" else 1
    x, lengths = site.x, site.optional(4)
    is_batch_first = bool(site.attribute("layout", 0))
    x = site.op("SwapAxis", x, dim1=0, dim2=1) if is_batch_first else x
    units = site.attribute("hidden_size", site.input(2).shape[-1])
    states = [_state(site, i, x, count, units) for i in ((5, 6) if mode == "lstm" else (5,))]
    lengths = None if lengths is None or _is_whole(lengths, x.shape[0]) else lengths
    is_reversed = direction == "reverse"
    x = _reversed(site, x, lengths) if is_reversed else x
    given = [x, _packed(site, count, units), *states]
    facts = {"mode": mode, "state_size": units, "num_layers": 1, "bidirectional": count == 2}
    if lengths is not None:
        given.append(cast(site, lengths, np.dtype("int32")))
        facts["use_sequence_length"] = True
    outputs, *final = site.ops("RNN", *given, state_outputs=True, **facts)
    outputs = _reversed(site, outputs, lengths) if is_reversed else outputs
    return _as_onnx(site, outputs, final, count, units, is_batch_first)


def _mode(site: Site) -> str:
    """MXNet's name of a kind of layer.

    Raises:
        RefusalError: its cells are not those of MXNet's operator.
    """
    site.only("clip", None)
    site.only("input_forget", 0)
    site.ignore("activation_alpha", "activation_beta")  # of activations that are refused
    found = site.attribute("activations", _ACTIVATIONS[site.kind])
    if site.optional(7) is not None:
        raise RefusalError("input 7 (peepholes): MXNet has no operator for that")
    if site.kind == "GRU" and not site.attribute("linear_before_reset", 0):
        raise RefusalError("attribute linear_before_reset=0: MXNet has no operator for that")
    if site.kind == "RNN" and found and set(found) == {"Relu"}:
        return "rnn_relu"
    once = _ACTIVATIONS[site.kind]
    if found not in (once, once * 2):
        raise RefusalError(f"attribute activations={found}: MXNet has no operator for that")
    return "rnn_tanh" if site.kind == "RNN" else site.kind.lower()


def _is_whole(lengths: Value, steps: int) -> bool:
    """Whether all sequences are as long as there are steps."""
    return lengths.array is not None and bool((lengths.array == steps).all())


def _state(site: Site, position: int, x: Value, count: int, units: int) -> Value:
    """What a state begins with: zeros, unless an input tells."""
    state = site.optional(position)
    if state is None:
        return site.builder.zeros((count, x.shape[1], units), x.dtype)
    if site.attribute("layout", 0):
        state = site.op("SwapAxis", state, dim1=0, dim2=1)
    return state


def _reversed(site: Site, x: Value, lengths: Value | None) -> Value:
    if lengths is None:
        return site.op("reverse", x, axis=(0,))
    steps = cast(site, lengths, np.dtype("float32"))
    return site.op("SequenceReverse", x, steps, use_sequence_length=True)


def _packed(site: Site, count: int, units: int) -> Value:
    """All weights, then all biases, of gates in MXNet's order."""
    n_gates = len(_GATES[site.kind])
    weights = [site.numbers(i, name) for i, name in ((1, "W"), (2, "R"))]
    features, rows = site.x.shape[-1], n_gates * units
    given = weights if site.optional(3) is None else [*weights, site.numbers(3, "B")]
    shapes = [(count, rows, features), (count, rows, units), (count, 2 * rows)][: len(given)]
    if [a.shape for a in given] != shapes:
        raise RefusalError(f"weights have the shapes {[a.shape for a in given]}, not {shapes}")
    site.budget.take(2 * sum(map(cost_of, given)))
    bias = given[2] if len(given) == 3 else np.zeros((count, 2 * rows), weights[0].dtype)

    def ordered(array: np.ndarray) -> np.ndarray:
        gates = np.split(array, n_gates)
        return np.concatenate([gates[i] for i in _GATES[site.kind]]).reshape(-1)

    parts = [ordered(kind[i]) for i in range(count) for kind in weights]
    parts += [ordered(half) for i in range(count) for half in np.split(bias[i], 2)]
    return Value.constant(f"{site.builder.base}_parameters", np.concatenate(parts))


def _as_onnx(
    site: Site, outputs: Value, final: list[Value], count: int, units: int, is_batch_first: bool
) -> list[Value]:
    """Outputs as (steps, directions, batch, units), or (batch, steps, directions, units)."""
    if count == 1:
        outputs = site.op("expand_dims", outputs, axis=2)
    else:
        outputs = site.op("Reshape", outputs, shape=(0, 0, -4, count, units))
    if not is_batch_first:
        return [site.op("transpose", outputs, axes=(0, 2, 1, 3)), *final]
    outputs = site.op("transpose", outputs, axes=(1, 0, 2, 3))
    return [outputs, *(site.op("SwapAxis", state, dim1=0, dim2=1) for state in final)]
