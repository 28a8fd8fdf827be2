# SPDX-License-Identifier: Apache-2.0

import mxnova.core.op.nn.fully_connected  # noqa: F401
from tests.unit.op.samples import Sample

# fmt: off
SAMPLES = [
    Sample("FullyConnected", [(2, 3, 2), (4, 6), (4,)], {"num_hidden": 4}, lambda x, w, b: x.reshape(2, 6) @ w.T + b),
    Sample("FullyConnected", [(2, 3), (4, 3), (4, 1)], {"num_hidden": 4}, lambda x, w, b: x @ w.T + b[:, 0]),
    Sample("FullyConnected", [(2, 3, 2), (4, 2)], {"num_hidden": 4, "no_bias": True, "flatten": False}, lambda x, w: x @ w.T),
]
# fmt: on
