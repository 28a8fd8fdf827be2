# SPDX-License-Identifier: Apache-2.0
"""Truth values are negated to integers, as in MXNet 1.9.1."""

import numpy as np
import pytest

import mxnova as mx


@pytest.mark.parametrize("module", [mx.nd, mx.np])
@pytest.mark.parametrize("values", [[1, 0], [[]]])
def test_negated(module, values):
    negated = -module.array(values, dtype="bool")
    assert np.dtype(negated.dtype) == np.int64
    assert negated.asnumpy().tolist() == (-np.array(values)).tolist()


@pytest.mark.parametrize("limits", [(0, 3), (3, 1), (-2, 4)])
def test_ranges_are_checked_at_every_call(limits):
    data = mx.nd.array([0, 1, 2], dtype="uint8")
    mx.nd.histogram(data, bins=3, range=(0, 4))
    if limits == (3, 1):
        with pytest.raises(mx.MXNetError, match="low, high"):
            mx.nd.histogram(data, bins=3, range=limits)
    else:
        counts, _ = mx.nd.histogram(data, bins=3, range=limits)
        assert counts.sum().asscalar() == 3
