# SPDX-License-Identifier: Apache-2.0
"""Optimizers that MXNet 1.9.1 lacks, against the formulas of their papers in float64."""

import numpy as np

import mxnova as mx

RATES = {"learning_rate": 0.05, "wd": 0.1, "rescale_grad": 0.5, "clip_gradient": 0.6}
BETA1, BETA2, EPSILON, N_STEPS = 0.8, 0.95, 1e-3, 4


def check(name, step, way, **arguments):
    """Trains a matrix and a vector in a way: dense, "sparse" gradients, or "half" with copies.

    `step` takes weight, mean, var, gradient and number of the step, changes the means in place, and
    gives the new weight.
    """
    random = np.random.RandomState(3)
    shapes = [(4, 3), (5, 2)]
    first = [random.randn(*shape).astype("float16").astype("float32") for shape in shapes]
    dtype = "float16" if way == "half" else "float32"
    weights = [mx.nd.array(w, dtype=dtype) for w in first]
    wanted = [w.astype("float64") for w in first]
    means, variances = ([np.zeros(shape) for shape in shapes] for _ in range(2))
    updater = mx.optimizer.get_updater(
        mx.optimizer.create(
            name, beta1=BETA1, beta2=BETA2, epsilon=EPSILON, multi_precision=way == "half",
            **RATES, **arguments,
        )
    )  # fmt: skip
    for t in range(1, N_STEPS + 1):
        drawn = [random.randn(*shape).astype("float16").astype("float32") for shape in shapes]
        grads = [mx.nd.array(g, dtype=dtype) for g in drawn]
        grads = [g.tostype("row_sparse") for g in grads] if way == "sparse" else grads
        updater([0, 1], grads, weights)
        for i, g in enumerate(drawn):
            g = np.clip(g * RATES["rescale_grad"], -RATES["clip_gradient"], RATES["clip_gradient"])
            wanted[i] = step(wanted[i], means[i], variances[i], g.astype("float64"), t)
    tolerance = 2e-3 if way == "half" else 1e-5
    for weight, expected in zip(weights, wanted, strict=True):
        np.testing.assert_allclose(weight.asnumpy(), expected, rtol=tolerance, atol=tolerance)
    restored = mx.optimizer.get_updater(mx.optimizer.create("test"))
    restored.set_states(updater.get_states(dump_optimizer=True))
    assert type(restored.optimizer) is type(updater.optimizer)
    assert (restored.optimizer.beta1, restored.states.keys()) == (BETA1, {0, 1})
