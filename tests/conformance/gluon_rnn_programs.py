# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells and layers, written once for any package with MXNet's API.

A cell is a function of the package `gluon` and comes with the settings that it is unrolled in; the
values of parameters and inputs follow from their names and shapes.
"""

from __future__ import annotations

import json
import zlib

import numpy as np

STEPS, BATCH, WIDTH = 3, 2, 3
LENGTHS = [1, 3]

ONE = {"inputs": "one", "layout": "NTC", "merge_outputs": True}
STEPWISE = {"inputs": "list", "layout": "TNC", "merge_outputs": False}
LOOSE = {"inputs": "one", "layout": "TNC"}
LOOSE_STEPS = {"inputs": "list", "layout": "NTC"}
VALID = {"inputs": "one", "layout": "NTC", "valid_length": True}
VALID_STEPS = {"inputs": "list", "layout": "TNC", "merge_outputs": False, "valid_length": True}
ALL = (ONE, STEPWISE, LOOSE, LOOSE_STEPS, VALID, VALID_STEPS)
FEW = (ONE, STEPWISE, VALID)


def stacked(gluon, kind, modified=False):
    rnn = gluon.rnn
    stack = kind(prefix="stack_")
    with stack.name_scope():
        stack.add(rnn.RNNCell(4, input_size=WIDTH))
        stack.add(rnn.DropoutCell(0.3))
        if modified:
            cells = [rnn.GRUCell(2, input_size=4) for _ in range(2)]
            stack.add(rnn.BidirectionalCell(*cells))
            stack.add(rnn.ZoneoutCell(rnn.LSTMCell(4, input_size=4), 0.1, 0.2))
        stack.add(rnn.ResidualCell(rnn.LSTMCell(4, input_size=4)))
    return stack


def bidirectional(gluon, **kwargs):
    rnn = gluon.rnn
    cells = rnn.LSTMCell(2, input_size=3, prefix="l_"), rnn.GRUCell(4, input_size=3, prefix="r_")
    return rnn.BidirectionalCell(*cells, **kwargs)


def unfused(gluon, kind, *args, **kwargs):
    return getattr(gluon.rnn, kind)(*args, prefix="fused_", input_size=WIDTH, **kwargs)._unfuse()


def variational(gluon, *rates):
    return gluon.contrib.rnn.VariationalDropoutCell(base_lstm(gluon), *rates)


def base_lstm(gluon):
    return gluon.rnn.LSTMCell(3, input_size=WIDTH, prefix="base_")


CELLS = {  # name -> cell, settings
    "rnn": (lambda g: g.rnn.RNNCell(4, input_size=WIDTH), ALL),
    "rnn_relu": (lambda g: g.rnn.RNNCell(4, "relu", input_size=WIDTH, prefix="p_"), FEW),
    "rnn_softrelu": (lambda g: g.rnn.RNNCell(4, "softrelu", input_size=WIDTH), FEW),
    "lstm": (lambda g: g.rnn.LSTMCell(4, input_size=WIDTH), ALL),
    "lstm_activations": (
        lambda g: g.rnn.LSTMCell(
            4, input_size=WIDTH, activation="relu", recurrent_activation="softsign", prefix="x_"
        ),
        FEW,
    ),
    "gru": (lambda g: g.rnn.GRUCell(4, input_size=WIDTH, h2h_bias_initializer="ones"), ALL),
    "lstmp": (lambda g: g.contrib.rnn.LSTMPCell(4, 2, input_size=WIDTH), FEW),
    "residual": (lambda g: g.rnn.ResidualCell(base_lstm(g)), ALL),
    "zoneout": (lambda g: g.rnn.ZoneoutCell(base_lstm(g), 0.3, 0.4), ALL),
    "zoneout_outputs": (lambda g: g.rnn.ZoneoutCell(base_lstm(g), 0.3), FEW),
    "zoneout_states": (lambda g: g.rnn.ZoneoutCell(base_lstm(g), 0, 0.3), FEW),
    "dropout": (lambda g: g.rnn.DropoutCell(0.3, prefix="drop_"), (ONE, STEPWISE, LOOSE)),
    "dropout_axes": (lambda g: g.rnn.DropoutCell(0.3, (1,), prefix="drop_"), (ONE, STEPWISE)),
    "no_dropout": (lambda g: g.rnn.DropoutCell(0.0), (ONE, STEPWISE)),
    "bidirectional": (bidirectional, ALL),
    "bidirectional_named": (lambda g: bidirectional(g, output_prefix="both_"), (ONE, STEPWISE)),
    "residual_bidirectional": (
        lambda g: g.rnn.ResidualCell(
            g.rnn.BidirectionalCell(
                g.rnn.GRUCell(1, input_size=3, prefix="l_"),
                g.rnn.GRUCell(2, input_size=3, prefix="r_"),
            )
        ),
        ALL,
    ),
    "sequential": (lambda g: stacked(g, g.rnn.SequentialRNNCell), ALL),
    "hybrid_sequential": (lambda g: stacked(g, g.rnn.HybridSequentialRNNCell), FEW),
    "sequential_of_all": (lambda g: stacked(g, g.rnn.SequentialRNNCell, True), FEW),
    "variational": (lambda g: variational(g, 0.1, 0.2, 0.3), ALL),
    "variational_stateless": (lambda g: variational(g, 0.1, 0.0, 0.3), ALL),
    "variational_inputs": (lambda g: variational(g, 0.1), FEW),
    "variational_nothing": (lambda g: variational(g), FEW),
    "unfused_lstm": (lambda g: unfused(g, "LSTM", 2, 2, dropout=0.2, bidirectional=True), FEW),
    "unfused_gru": (lambda g: unfused(g, "GRU", 4, 3, dropout=0.5), (ONE,)),
    "unfused_rnn": (lambda g: unfused(g, "RNN", 4, 1, "tanh", bidirectional=True), (ONE,)),
}

SPATIAL = {  # name -> cell, shape of an input without batch
    "conv1d_rnn": (lambda c: c.Conv1DRNNCell((3, 7), 4, 3, 3), (3, 7)),
    "conv1d_lstm": (lambda c: c.Conv1DLSTMCell((3, 7), 4, (3,), (5,), i2h_pad=1), (3, 7)),
    "conv1d_gru": (
        lambda c: c.Conv1DGRUCell((3, 7), 4, 3, 3, h2h_dilate=2, prefix="p_"),
        (3, 7),
    ),
    "conv2d_rnn": (
        lambda c: c.Conv2DRNNCell((3, 6, 7), 4, (3, 1), 3, activation="relu"),
        (3, 6, 7),
    ),
    "conv2d_lstm": (
        lambda c: c.Conv2DLSTMCell(
            (6, 7, 3), 4, (3, 3), (3, 5), (1, 0), conv_layout="NHWC", h2h_bias_initializer="ones"
        ),
        (6, 7, 3),
    ),
    "conv2d_dilated": (  # MXNet cannot run it on CPUs
        lambda c: c.Conv2DLSTMCell((3, 6, 7), 2, 3, 3, (1, 0), (1, 2), (2, 1), prefix="p_"),
        (3, 6, 7),
    ),
    "conv2d_gru": (lambda c: c.Conv2DGRUCell((3, 6, 7), 2, 3, 3), (3, 6, 7)),
    "conv3d_rnn": (
        lambda c: c.Conv3DRNNCell((2, 3, 4, 3), 2, 2, 3, activation="softsign"),
        (2, 3, 4, 3),
    ),
    "conv3d_lstm": (lambda c: c.Conv3DLSTMCell((2, 3, 4, 3), 2, 2, 1), (2, 3, 4, 3)),
    "conv3d_gru": (
        lambda c: c.Conv3DGRUCell((2, 3, 4, 3), 2, 2, 3, activation="sigmoid"),
        (2, 3, 4, 3),
    ),
}

LAYERS = {  # name -> layer
    "rnn": lambda r: r.RNN(4),
    "rnn_tanh": lambda r: r.RNN(4, 2, "tanh", bidirectional=True, layout="NTC"),
    "lstm": lambda r: r.LSTM(4, 2, input_size=WIDTH),
    "lstm_ntc": lambda r: r.LSTM(4, 2, "NTC", 0.2, True, prefix="p_"),
    "lstm_projected": lambda r: r.LSTM(4, 2, bidirectional=True, projection_size=2),
    "lstm_clipped": lambda r: r.LSTM(
        4, 2, state_clip_min=-0.3, state_clip_max=0.2, state_clip_nan=True
    ),
    "lstm_lengths": lambda r: r.LSTM(4, 2, bidirectional=True, use_sequence_length=True),
    "gru": lambda r: r.GRU(4),
    "gru_bidirectional": lambda r: r.GRU(4, 2, "NTC", dropout=0.5, bidirectional=True),
}

IGNORED = ("lstm_clipped", "lstm_lengths")  # MXNet's kernels for CPUs ignore what they ask for


def flat(nested):
    if isinstance(nested, (list, tuple)):
        return [leaf for item in nested for leaf in flat(item)]
    return [nested]


def form(nested):
    return [form(item) for item in nested] if isinstance(nested, (list, tuple)) else "*"


def values(name, shape):
    start = zlib.crc32(name.encode()) % 97
    return np.sin(np.arange(np.prod(shape, dtype=int)) * 1.7 + start).reshape(shape).astype("f4")


def brief_json(symbol):
    """A check sum of the nodes of a symbol, and its outputs."""
    graph = json.loads(symbol.tojson())
    nodes = [
        [n["op"], n["name"], sorted(n.get("attrs", {}).items()), [i[:2] for i in n["inputs"]]]
        for n in graph["nodes"]
    ]
    return {"nodes": zlib.crc32(json.dumps(nodes).encode()), "outputs": symbol.list_outputs()}


def facts_of(block):
    params = block.collect_params()
    return {
        "repr": repr(block),
        "prefix": block.prefix,
        "params": [[n, list(p.shape)] for n, p in params.items()],
        "files": sorted(block._collect_params_with_prefix()),
        "states": [sorted((k, str(v)) for k, v in s.items()) for s in block.state_info(BATCH)],
    }


def set_values(block):
    for parameter in block.collect_params().values():
        parameter.shape = tuple(size or WIDTH for size in parameter.shape)
    block.initialize()
    for name, parameter in block.collect_params().items():
        parameter.set_data(values(name, parameter.shape) / 2)


def sequence(make, setting, shape):
    """Inputs as `setting` wants them: one tensor, or a list of steps."""
    if setting["inputs"] == "list":
        return [make(f"x{i}", (BATCH, *shape)) for i in range(STEPS)]
    time_first = setting["layout"] == "TNC"
    leading = (STEPS, BATCH) if time_first else (BATCH, STEPS)
    return make("data", (*leading, *shape))


def unrolled_symbol(mx, cell, setting, shape):
    inputs = sequence(lambda name, _: mx.sym.var(name), setting, shape)
    options = {k: v for k, v in setting.items() if k != "inputs"}
    if options.get("valid_length"):
        options["valid_length"] = mx.sym.var("lengths")
    outputs, states = cell.unroll(STEPS, inputs, **options)
    made = {"form": form([outputs, states])}
    return {**made, **brief_json(mx.sym.Group(flat([outputs, states])))}


def unrolled_arrays(mx, cell, setting, shape):
    """Outputs, states and gradients of a loss in which each of them counts."""
    inputs = sequence(lambda name, size: mx.nd.array(values(name, size)), setting, shape)
    options = {k: v for k, v in setting.items() if k != "inputs"}
    if options.get("valid_length"):
        options["valid_length"] = mx.nd.array(LENGTHS)
    return trained(mx, cell, flat([inputs]), lambda: cell.unroll(STEPS, inputs, **options))


def joined(arrays):
    """All of `arrays`, name -> array, as one vector."""
    return np.concatenate([arrays[name].ravel() for name in sorted(arrays)])


def trained(mx, block, inputs, run, differentiable=True):
    if not differentiable:
        return {f"out{i}": r.asnumpy() for i, r in enumerate(flat(run()))}
    for array in inputs:
        array.attach_grad()
    with mx.autograd.record(train_mode=False):
        results = flat(run())
        heads = [(r * mx.nd.array(values(str(i), r.shape))).sum() for i, r in enumerate(results)]
    mx.autograd.backward(heads)
    made = {f"out{i}": r.asnumpy() for i, r in enumerate(results)}
    made.update({f"grad{i}": a.grad.asnumpy() for i, a in enumerate(inputs)})
    params = block.collect_params().items()
    made.update({f"grad:{n}": p.grad().asnumpy() for n, p in params if p.grad_req != "null"})
    return made


def layer_calls(layer):
    """Names and further arguments of the ways in which a layer is called."""
    lengths = layer._use_sequence_length
    return ["states_lengths"] if lengths else ["plain", "states"]


def called(make, layer, way):
    """What `layer` gives for inputs and states that `make` makes."""
    leading = (STEPS, BATCH) if layer._layout == "TNC" else (BATCH, STEPS)
    inputs = [make("data", (*leading, WIDTH))]
    if "states" in way:
        inputs += [make(f"s{i}", s["shape"]) for i, s in enumerate(layer.state_info(BATCH))]
    args = [inputs[1:]] if "states" in way else []
    return inputs, args


def layer_symbol(mx, layer, way):
    inputs, args = called(lambda name, _: mx.sym.var(name), layer, way)
    if "lengths" in way:
        args.append(mx.sym.var("lengths"))
    out = layer(inputs[0], *args)
    return {"form": form(out), **brief_json(mx.sym.Group(flat(out)))}


def layer_arrays(mx, layer, way):
    inputs, args = called(lambda n, s: mx.nd.array(values(n, s)), layer, way)
    if "lengths" in way:
        args.append(mx.nd.array(LENGTHS))
    differentiable = not layer._projection_size  # MXNet has no gradient of it on CPUs
    return trained(mx, layer, inputs, lambda: layer(inputs[0], *args), differentiable)
