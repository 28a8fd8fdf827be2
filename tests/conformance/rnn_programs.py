# SPDX-License-Identifier: Apache-2.0
"""Cells of the symbolic interface, written once for any package with MXNet's API."""

from __future__ import annotations

import json
import zlib

import numpy as np

STEPS, BATCH, WIDTH = 3, 2, 4
SPACE = (4, 5, 4)  # channels and size, or size and channels

ONE = {"inputs": "one", "layout": "NTC", "merge_outputs": True}
STEPWISE = {"inputs": "list", "layout": "TNC", "merge_outputs": False}
LOOSE = {"inputs": "one", "layout": "TNC"}
LOOSE_STEPS = {"inputs": "list", "layout": "NTC"}
ALL = (ONE, STEPWISE, LOOSE, LOOSE_STEPS)


def bidirectional(rnn, **kwargs):
    cells = rnn.GRUCell(3, prefix="l_"), rnn.LSTMCell(1, prefix="r_")
    return rnn.BidirectionalCell(*cells, **kwargs)


def stacked(rnn):
    stack = rnn.SequentialRNNCell()
    stack.add(rnn.LSTMCell(4, prefix="a_"))
    stack.add(rnn.DropoutCell(0.3))
    stack.add(bidirectional(rnn))
    stack.add(rnn.ResidualCell(rnn.RNNCell(4, prefix="b_")))
    stack.add(rnn.ZoneoutCell(rnn.LSTMCell(4, prefix="c_"), 0.0, 0.3))
    return stack


def stacked_fused(rnn):
    stack = rnn.SequentialRNNCell()
    stack.add(rnn.FusedRNNCell(4, 2, prefix="a_"))
    stack.add(rnn.FusedRNNCell(3, 1, "gru", prefix="b_"))
    return stack


def fused(mode, *args, **kwargs):
    return lambda rnn: rnn.FusedRNNCell(4, 2, mode, *args, **kwargs)


CELLS = {
    "rnn": lambda r: r.RNNCell(4),
    "rnn_relu": lambda r: r.RNNCell(4, "relu", prefix="p_"),
    "lstm": lambda r: r.LSTMCell(4, forget_bias=2.0),
    "gru": lambda r: r.GRUCell(4),
    "dropout": lambda r: r.DropoutCell(0.5),
    "no_dropout": lambda r: r.DropoutCell(0.0),
    "zoneout": lambda r: r.ZoneoutCell(r.LSTMCell(4), 0.2, 0.3),
    "zoneout_states": lambda r: r.ZoneoutCell(r.RNNCell(4), 0.0, 0.3),
    "residual": lambda r: r.ResidualCell(r.GRUCell(4)),
    "residual_fused": lambda r: r.ResidualCell(r.FusedRNNCell(4, prefix="f_")),
    "bidirectional": bidirectional,
    "bidirectional_named": lambda r: bidirectional(r, output_prefix="both_"),
    "sequential": stacked,
    "sequential_fused": stacked_fused,
    **{f"fused_{m}": fused(m) for m in ("lstm", "gru", "rnn_tanh", "rnn_relu")},
    "fused_states": fused("lstm", True, 0.3, True, 3.0, "f_"),
    "fused_gru_states": fused("gru", get_next_state=True),
    "unfused_lstm": lambda r: fused("lstm", True, 0.3, prefix="f_")(r).unfuse(),
    "unfused_gru": lambda r: fused("gru", dropout=0.3)(r).unfuse(),
    "unfused_rnn": lambda r: fused("rnn_relu", True)(r).unfuse(),
}
SPATIAL = {
    "conv_rnn": lambda r: r.ConvRNNCell((1, *SPACE), 4),
    "conv_lstm": lambda r: r.ConvLSTMCell((1, *SPACE), 2, activation="tanh", prefix="p_"),
    "conv_gru": lambda r: r.ConvGRUCell((1, *SPACE), 2, (3, 5), i2h_weight_initializer="ones"),
    "conv_strided": lambda r: r.ConvLSTMCell(
        (1, *SPACE), 2, (3, 5), (1, 1), (2, 3), (2, 1), (0, 1), (1, 1)
    ),
    "conv_channels_last": lambda r: r.ConvRNNCell((1, *SPACE), 2, conv_layout="NHWC"),
}


def flat(nested):
    if isinstance(nested, (list, tuple)):
        return [leaf for item in nested for leaf in flat(item)]
    return [nested]


def form(nested):
    return [form(item) for item in nested] if isinstance(nested, (list, tuple)) else "*"


def values(name, shape):
    start = zlib.crc32(name.encode()) % 97
    return (np.sin(np.arange(np.prod(shape, dtype=int)) * 1.7 + start) / 2).reshape(shape)


def facts_of(cell):
    return {
        "weights": list(cell.params._params),
        "states": [sorted((k, str(v)) for k, v in s.items()) for s in cell.state_info],
        "shapes": [list(s) for s in cell.state_shape],
    }


def unrolled(mx, cell, setting, shape):
    """The symbol of a cell over steps, what it looks like, and the shapes of its inputs."""
    leading = (STEPS, BATCH) if setting["layout"] == "TNC" else (BATCH, STEPS)
    if setting["inputs"] == "list":
        inputs = [mx.sym.Variable(f"x{i}") for i in range(STEPS)]
        shapes = {f"x{i}": (BATCH, *shape) for i in range(STEPS)}
    else:
        inputs = mx.sym.Variable("data")
        shapes = {"data": (*leading, *shape)}
    options = {k: v for k, v in setting.items() if k != "inputs"}
    outputs, states = cell.unroll(STEPS, inputs, **options)
    symbol = mx.sym.Group(flat([outputs, states]))
    nodes = [
        [n["op"], n["name"], sorted(n.get("attrs", {}).items()), [i[:2] for i in n["inputs"]]]
        for n in json.loads(symbol.tojson())["nodes"]
    ]
    looks = {"form": form([outputs, states]), "outputs": symbol.list_outputs()}
    return symbol, {**looks, "nodes": zlib.crc32(json.dumps(nodes).encode())}, shapes


def run(mx, symbol, shapes):
    """Outputs and gradients of a symbol, as one vector."""
    # MXNet takes the gradient of the last only of outputs that are the same.
    symbol = mx.sym.Group(list({output.list_outputs()[0]: output for output in symbol}.values()))
    executor = symbol.simple_bind(mx.cpu(), **shapes)
    for name, array in executor.arg_dict.items():
        array[:] = values(name, array.shape)
    outputs = executor.forward(is_train=False)
    found = [o.asnumpy().ravel() for o in outputs]
    if "Dropout" not in symbol.tojson() and all(p == 0 for p in dropouts(symbol)):
        executor.forward(is_train=True)
        executor.backward([mx.nd.array(values(str(i), o.shape)) for i, o in enumerate(outputs)])
        found += [executor.grad_dict[n].asnumpy().ravel() for n in symbol.list_arguments()]
    return np.concatenate(found)


def dropouts(symbol):
    nodes = json.loads(symbol.tojson())["nodes"]
    return [float(n["attrs"].get("p", 0)) for n in nodes if n["op"] == "RNN"]


def packings(mx, cell, symbol, shapes):
    """Weights as they are in files, and joined again."""
    arguments = symbol.list_arguments()
    sizes = dict(zip(arguments, symbol.infer_shape(**shapes)[0]))
    weights = {n: mx.nd.array(values(n, sizes[n])) for n in arguments if n not in shapes}
    parts = cell.unpack_weights(weights)
    again = cell.pack_weights(parts)
    return weights, parts, again


def brief_packing(parts):
    return [
        [n, list(parts[n].shape), round(float(parts[n].sum().asscalar()), 3)] for n in sorted(parts)
    ]
