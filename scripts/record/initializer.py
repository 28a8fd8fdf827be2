# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet 1.9.1 fills parameters with: ``python scripts/record/initializer.py OUT``.

Values that are not random, and, for those that are, mean, deviation and bounds of many.
"""

from __future__ import annotations

import json
import sys

import mxnet as mx

FIXED = [  # initializer, its arguments, name, shape
    ("Zero", {}, "a_weight", (2, 3)),
    ("One", {}, "a_weight", (2, 3)),
    ("Constant", {"value": 3}, "a_weight", (2, 2)),
    ("Constant", {"value": [1, 2]}, "a_weight", (3, 2)),
    *[("Bilinear", {}, "a_weight", (2, 1, n, n)) for n in (1, 2, 3, 4, 5, 8)],
    ("Bilinear", {}, "a_weight", (1, 2, 3, 2)),
    ("LSTMBias", {"forget_bias": 2.0}, "a_weight", (8,)),
    ("LSTMBias", {}, "a_weight", (12,)),
    ("LSTMBias", {}, "a_bias", (8,)),
    *[("Uniform", {}, f"a_{end}", (3,)) for end in ("bias", "gamma", "beta", "min", "max")],
    ("Uniform", {}, "a_bias_quantize", (3,)),
]
FIXED_BY_PLAIN_NAME = [
    ("Uniform", {}, f"a_{end}", (3,))
    for end in ("moving_mean", "moving_var", "moving_inv_var", "moving_avg", "bias", "gamma")
] + [
    ("Uniform", {}, "upsampling0_weight", (1, 1, 4, 4)),
    ("Uniform", {}, "stn_loc_weight", (3, 2)),
    ("Uniform", {}, "stn_loc_bias", (6,)),
]
FUSED = [
    (mode, both, layers)
    for mode in ("lstm", "gru", "rnn_tanh", "rnn_relu")
    for both in (False, True)
    for layers in (1, 3)
]
DRAWN = [
    ("Uniform", {"scale": 0.3}),
    ("Normal", {"sigma": 0.5}),
    *[
        ("Xavier", {"rnd_type": kind, "factor_type": factor, "magnitude": 2})
        for kind in ("uniform", "gaussian")
        for factor in ("avg", "in", "out")
    ],
    ("MSRAPrelu", {"factor_type": "in", "slope": 0.1}),
    ("MSRAPrelu", {}),
    ("Orthogonal", {}),
    ("Orthogonal", {"scale": 2, "rand_type": "normal"}),
]


def filled(init: object, desc: str, shape: tuple[int, ...]) -> object:
    array = mx.nd.full(shape, 7)
    init(desc, array)
    return array.asnumpy()


def fixed(cases: list, as_desc: bool) -> list:
    found = []
    for name, kwargs, desc, shape in cases:
        init = getattr(mx.init, name)(**kwargs)
        values = filled(init, mx.init.InitDesc(desc) if as_desc else desc, shape)
        found.append([name, kwargs, desc, shape, values.ravel().tolist()])
    return found


def fused() -> list:
    found = []
    for mode, both, layers in FUSED:
        data = [mx.sym.var(n) for n in ("data", "p", "state", "cell")[: 4 if mode == "lstm" else 3]]
        rnn = mx.sym.RNN(*data, state_size=3, num_layers=layers, mode=mode, bidirectional=both)
        (shape,) = rnn.infer_shape(data=(2, 1, 2))[0][1:2]
        init = mx.init.FusedRNN(mx.init.Constant(5), 3, layers, mode, both, 2.0)
        found.append([mode, both, layers, shape, filled(init, _desc(), shape).astype(int).tolist()])
    return found


def _desc() -> object:
    return mx.init.InitDesc("a_weight")


def drawn() -> list:
    found = []
    for name, kwargs in DRAWN:
        for shape in ((200, 300), (40, 30, 5, 5)):
            values = filled(getattr(mx.init, name)(**kwargs), _desc(), shape)
            numbers = [float(f()) for f in (values.mean, values.std, values.min, values.max)]
            found.append([name, kwargs, shape, numbers])
    return found


def dumped() -> list:
    kinds = [*DRAWN, ("Zero", {}), ("One", {}), ("Bilinear", {}), ("LSTMBias", {})]
    kinds += [("Constant", {"value": 3}), ("Xavier", {}), ("Orthogonal", {}), ("Uniform", {})]
    return [[name, kwargs, getattr(mx.init, name)(**kwargs).dumps()] for name, kwargs in kinds]


def main() -> None:
    mx.random.seed(1)
    recorded = {
        "fixed": fixed(FIXED, True),
        "fixed_by_plain_name": fixed(FIXED_BY_PLAIN_NAME, False),
        "fused": fused(),
        "drawn": drawn(),
        "dumped": dumped(),
        "registered": sorted(mx.registry.get_registry(mx.init.Initializer)),
    }
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        json.dump(recorded, out, separators=(",", ":"))


if __name__ == "__main__":
    main()
