# SPDX-License-Identifier: Apache-2.0
"""Against a step-by-step implementation in NumPy."""

import itertools
import json

import numpy as np
import pytest
import torch

import mxnova.core.op.nn.rnn  # noqa: F401
from mxnova.core.base.errors import ArgumentError, MXNetError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.kernels import recurrent
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample

GATES = {"rnn_relu": 1, "rnn_tanh": 1, "gru": 3, "lstm": 4}
TIME, BATCH, FEATURES, SIZE = 4, 3, 2, 3


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(mode, x, h, c, weights, clip):
    """One step of one cell: (hidden, cell state)."""
    w, r, wb, rb, *projection = weights
    a, b = x @ w.T + wb, h @ r.T + rb
    if mode in ("rnn_relu", "rnn_tanh"):
        return (np.tanh(a + b) if mode == "rnn_tanh" else np.maximum(a + b, 0)), c
    a, b = np.split(a, GATES[mode], 1), np.split(b, GATES[mode], 1)
    if mode == "gru":
        reset, update = sigmoid(a[0] + b[0]), sigmoid(a[1] + b[1])
        return (1 - update) * np.tanh(a[2] + reset * b[2]) + update * h, c
    c = sigmoid(a[1] + b[1]) * c + sigmoid(a[0] + b[0]) * np.tanh(a[2] + b[2])
    if clip:
        c = c.clip(*clip)
    h = sigmoid(a[3] + b[3]) * np.tanh(c)
    return (h @ projection[0].T if projection else h), c


def cells_of(parameters, mode, n_layers, n_directions, features, size, projected):
    """Weights of each cell, cut out of the vector in MXNet's order."""
    rows, out = GATES[mode] * size, projected or size
    taken = 0

    def take(*shape):
        nonlocal taken
        taken += np.prod(shape)
        return parameters[taken - np.prod(shape) : taken].reshape(shape)

    cells = []
    for layer, _ in itertools.product(range(n_layers), range(n_directions)):
        width = out * n_directions if layer else features
        weights = [take(rows, width), take(rows, out)]
        cells.append((weights, [take(out, size)] if projected else []))
    cells = [[*weights, take(rows), take(rows), *projection] for weights, projection in cells]
    assert taken == len(parameters)
    return cells


def network(mode, data, parameters, state, cell=None, lengths=None, *, layers=1, directions=1, clip=None, projected=None):  # fmt: skip
    """Output and final states."""
    size = SIZE
    cell = np.zeros((*state.shape[:2], size)) if cell is None else cell
    lengths = np.full(data.shape[1], len(data)) if lengths is None else lengths
    cells = cells_of(parameters, mode, layers, directions, data.shape[2], size, projected)
    hidden, memory = [], []
    for layer in range(layers):
        outputs = []
        for direction in range(directions):
            i = layer * directions + direction
            h, c = state[i], cell[i]
            out = np.zeros((*data.shape[:2], h.shape[1]))
            for t in range(len(data))[:: -1 if direction else 1]:
                alive = (t < lengths)[:, None]
                new_h, new_c = step(mode, data[t], h, c, cells[i], clip)
                h, c = np.where(alive, new_h, h), np.where(alive, new_c, c)
                out[t] = np.where(alive, new_h, 0)
            outputs.append(out)
            hidden.append(h)
            memory.append(c)
        data = np.concatenate(outputs, 2)
    states = (np.stack(hidden), np.stack(memory)) if mode == "lstm" else (np.stack(hidden),)
    return (data, *states)


def sample(mode, layers=1, directions=1, lengths=None, projected=None, clip=None, gradient=True):
    attrs = {
        "mode": mode,
        "state_size": SIZE,
        "num_layers": layers,
        "bidirectional": directions == 2,
        "state_outputs": True,
    }
    if projected:
        attrs["projection_size"] = projected
    if clip:
        attrs["lstm_state_clip_min"], attrs["lstm_state_clip_max"] = clip
    out, rows = projected or SIZE, GATES[mode] * SIZE
    count = 0
    for layer in range(layers):
        width = out * directions if layer else FEATURES
        count += directions * (rows * (width + out + 2) + (projected or 0) * SIZE)
    cells = layers * directions
    inputs = [(TIME, BATCH, FEATURES), (count,), (cells, BATCH, out)]
    if mode == "lstm":
        inputs.append((cells, BATCH, SIZE))
    if lengths is not None:
        attrs["use_sequence_length"] = True
        inputs.append(np.array(lengths, "int32"))

    def expected(data, parameters, state, *more):
        cell = more[0] if mode == "lstm" else None
        ends = more[-1] if lengths is not None else None
        return network(mode, data, parameters, state, cell, ends, layers=layers, directions=directions, clip=clip, projected=projected)  # fmt: skip

    return Sample("RNN", inputs, attrs, expected, gradient=gradient)


ENDS = (2, 4, 1)
SAMPLES = [
    *(sample(mode, n, d, gradient=n == d) for mode in GATES for n in (1, 2) for d in (1, 2)),
    *(sample(mode, 2, 2, ENDS, gradient=mode == "gru") for mode in GATES),
    sample("lstm", 2, 2, projected=2, gradient=False),
    sample("lstm", 2, 2, clip=(-0.2, 0.3)),
    sample("lstm", 2, 2, ENDS, projected=2, clip=(-0.2, 0.3), gradient=False),
]


@pytest.mark.parametrize("row", SAMPLES, ids=str)
def test_sample(row, check_sample):
    check_sample(row)


def random_inputs(op, rng):
    unknown = [None] * (len(op.inputs()) - 1)
    shapes = inferred_shapes("RNN", attrs_of(op), [(TIME, BATCH, FEATURES), *unknown])
    return [
        torch.rand(json.loads(shape), generator=rng)
        for shape in shapes.split(" -> ")[0].split(", ")
    ]


def attrs_of(op):
    return {field.name: op.attr(field.name) for field in op.type.fields}


def test_dropout_between_layers_follows_the_random_stream():
    attrs = {"mode": "lstm", "state_size": SIZE, "num_layers": 2, "p": 0.5}
    op = find("RNN").of(attrs)
    inputs = random_inputs(op, torch.Generator().manual_seed(0))

    def run(seed, train=True):
        return op.forward(*inputs, train=train, rng=torch.Generator().manual_seed(seed))

    assert torch.equal(run(1), run(1))
    assert not torch.equal(run(1), run(2))
    without = find("RNN").of({**attrs, "p": 0}).forward(*inputs, train=True, rng=None)
    torch.testing.assert_close(run(1, train=False), without)
    assert not torch.allclose(run(1), without)


def test_dropout_does_not_touch_the_first_layer():
    attrs = {"mode": "gru", "state_size": SIZE, "num_layers": 2, "state_outputs": True}
    ops = [find("RNN").of({**attrs, "p": p}) for p in (0, 0.5)]
    inputs = random_inputs(ops[0], torch.Generator().manual_seed(0))
    rng = torch.Generator().manual_seed(1)
    (_, without), (_, dropped) = (op.forward(*inputs, train=True, rng=rng) for op in ops)
    torch.testing.assert_close(without[0], dropped[0])
    assert not torch.allclose(without[1], dropped[1])


def test_clipping_can_turn_nan_into_the_lower_bound():
    attrs = {"mode": "lstm", "state_size": SIZE, "num_layers": 1, "state_outputs": True}
    attrs |= {"lstm_state_clip_min": -0.5, "lstm_state_clip_max": 0.5}
    for stops in (False, True):
        op = find("RNN").of({**attrs, "lstm_state_clip_nan": stops})
        inputs = random_inputs(op, torch.Generator().manual_seed(0))
        inputs[3][0, 0, 0] = float("nan")
        *_, cell = op.forward(inputs[0][:1], *inputs[1:], train=False, rng=None)
        assert cell[0, 0, 0].tolist() == (-0.5 if stops else pytest.approx(np.nan, nan_ok=True))


# fmt: off
@pytest.mark.parametrize("attrs, inputs, expected", [
    ({"mode": "gru"}, [(5, 2, 3), None, None], "[5,2,3], [228], [2,2,4] -> [5,2,4]"),
    ({"mode": "gru"}, [(UNKNOWN, 2, 3), None, None], "[?,2,3], [228], [2,2,4] -> [?,2,4]"),
    ({"mode": "gru"}, [None, None, (2, 2, 4)], "unknown, unknown, [2,2,4] -> unknown"),
    ({"mode": "lstm", "state_outputs": 1, "bidirectional": 1}, [(5, 2, 3), None, None, None], "[5,2,3], [736], [4,2,4], [4,2,4] -> [5,2,8], [4,2,4], [4,2,4]"),
    ({"mode": "lstm", "projection_size": 3}, [(5, 2, 3), None, None, None], "[5,2,3], [280], [2,2,3], [2,2,4] -> [5,2,3]"),
    ({"mode": "rnn_relu", "use_sequence_length": 1}, [(5, 2, 3), None, None, None], "[5,2,3], [76], [2,2,4], [2] -> [5,2,4]"),
])
# fmt: on
def test_shapes(attrs, inputs, expected):
    assert inferred_shapes("RNN", {"state_size": 4, "num_layers": 2, **attrs}, inputs) == expected


def test_lengths_may_have_a_type_of_their_own():
    attrs = {"mode": "gru", "state_size": 4, "num_layers": 1, "use_sequence_length": True}
    double, integer = torch.float64, torch.int32
    found = inferred_dtypes("RNN", attrs, [double, None, None, integer])
    assert found == "float64, float64, float64, int32 -> float64"
    assert inferred_dtypes("RNN", attrs, [double, None, None, None]).count("float64") == 5


# fmt: off
@pytest.mark.parametrize("attrs, data, message", [
    ({"mode": "gru"}, (5, 2), r"data has shape \[5,2\]: it must have 3"),
    ({"mode": "gru", "projection_size": 3}, (5, 2, 3), "projection_size=3: only mode lstm"),
    ({"mode": "gru", "num_layers": 0}, (5, 2, 3), "num_layers=0"),
])
# fmt: on
def test_bad_arguments_are_named(attrs, data, message):
    with pytest.raises(MXNetError, match=message):
        inferred_shapes("RNN", {"state_size": 4, "num_layers": 2, **attrs}, [data, None, None])


def test_a_parameter_vector_of_the_wrong_size_is_named():
    attrs = {"mode": "rnn_tanh", "state_size": 4, "num_layers": 1}
    with pytest.raises(MXNetError, match=r"parameters has shape \[7\]"):
        inferred_shapes("RNN", attrs, [(5, 2, 3), (7,), None])


def test_mode_is_required_and_one_of_four():
    with pytest.raises(ArgumentError, match="mode"):
        find("RNN").of({"state_size": 4, "num_layers": 1})
    with pytest.raises(ArgumentError, match="elman"):
        find("RNN").of({"state_size": 4, "num_layers": 1, "mode": "elman"})


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("mode", ["rnn_relu", "rnn_tanh", "gru"])
def test_steps_of_layers_without_a_kernel_are_those_of_torch(mode, bidirectional):
    generator = torch.Generator().manual_seed(3)
    gates, directions = 3 if mode == "gru" else 1, 2 if bidirectional else 1
    shapes = [(gates * 4, 3), (gates * 4, 4), (gates * 4,), (gates * 4,)]
    weights = [torch.rand(s, generator=generator, dtype=torch.double) - 0.5 for s in shapes * 2]
    weights = [w.requires_grad_() for w in weights[: 4 * directions]]
    data = torch.rand((5, 2, 3), generator=generator, dtype=torch.double).requires_grad_()
    state = torch.rand((directions, 2, 4), generator=generator, dtype=torch.double)
    state.requires_grad_()
    inputs = [data, state, *weights]
    results = [
        recurrent.layer(mode, data, state[i], weights[4 * i : 4 * i + 4], i == 1)
        for i in range(directions)
    ]
    output = torch.cat([output for output, _ in results], 2)
    last = torch.stack([last for _, last in results])
    settings = (True, 1, 0.0, True, bidirectional, False)
    wanted, wanted_last = getattr(torch._VF, mode)(data, state, weights, *settings)
    torch.testing.assert_close(output, wanted)
    torch.testing.assert_close(last, wanted_last)

    def gradients(output, last):
        loss = (output**2).sum() + last.sum()
        alone = torch.autograd.grad(loss, inputs, retain_graph=True)
        first = torch.autograd.grad(loss, inputs, create_graph=True)
        second = torch.autograd.grad(sum((g**2).sum() for g in first), inputs)
        return [*alone, *first, *second]

    for got, want in zip(gradients(output, last), gradients(wanted, wanted_last), strict=True):
        torch.testing.assert_close(got, want)
