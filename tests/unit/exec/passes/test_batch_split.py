# SPDX-License-Identifier: Apache-2.0
"""What batches that are shared out give is what they give together."""

from __future__ import annotations

from unittest import mock

import numpy as np

import mxnova as mx
from mxnova.core.exec.passes import batch_split


def answers(x):
    """(as it is, image by image)"""
    shape = (3, 2, 6, 6)
    rng = np.random.default_rng(1)
    given = {}
    for name, size in zip(x.list_arguments(), x.infer_shape(data=shape)[0]):
        if name != "data":
            given[f"arg:{name}"] = mx.nd.array(rng.normal(size=size))
    for name, size in zip(x.list_auxiliary_states(), x.infer_shape(data=shape)[2]):
        given[f"aux:{name}"] = mx.nd.array(rng.uniform(0.5, 1, size=size))
    data = rng.normal(size=shape)
    found = []
    for images in (0, 1):
        with mock.patch.object(batch_split, "images_at_once", return_value=images):
            predictor = mx.Predictor(x, given, {"data": shape})
        mx.random.seed(5)
        found.append([o.copy() for o in predictor.predict(data=data)])
    return found


def convolved(x, name):
    return mx.sym.Convolution(x, kernel=(3, 3), pad=(1, 1), num_filter=4, name=name)


def test_statistics_that_are_outputs_have_no_images(two_threads):
    x = convolved(mx.sym.relu(convolved(mx.sym.var("data"), "a")), "b")
    outputs = mx.sym.BatchNorm(mx.sym.relu(x), output_mean_var=True, name="n")
    for one, other in zip(*answers(outputs), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_one_random_stream_draws_for_all_images(two_threads):
    x = mx.sym.Dropout(convolved(mx.sym.var("data"), "a"), mode="always")
    (one,), (other,) = answers(convolved(x, "b"))
    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
