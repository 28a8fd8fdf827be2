# SPDX-License-Identifier: Apache-2.0
import pytest

import mxnova as mx
from mxnova.convert.proof.comparison import Difference
from mxnova.quantization.layers import checked_names, layer_of, layers_of, ranked

from .conftest import network


def row(name, error):
    return Difference(name, "", 0.0, 0.0, 1 - error, None, 0.0)


@pytest.mark.parametrize(
    "errors, excluded, expected",
    [
        ({"conv0": 0.1, "conv1": 0.1, "fc0": 0.3}, (), ["fc0", "conv0", "conv1"]),
        ({"conv0": 0.1, "conv1": 0.3, "fc0": 0.3}, ("conv1",), ["conv0", "fc0"]),
        # A BatchNorm that was folded into its convolution tells for it.
        ({"bn0": 0.2, "conv1": 0.3, "relu1": 0.3, "fc0": 0.35}, (), ["conv0", "conv1", "fc0"]),
    ],
)
def test_layers_are_ranked_by_what_they_add(errors, excluded, expected):
    rows = [row(name, error) for name, error in errors.items()]
    assert ranked(network(), rows, excluded) == expected


def test_the_layer_behind_a_value():
    assert layers_of(network()) == ["conv0", "conv1", "fc0"]
    names = ("conv0", "relu0", "pool0", "softmax", "data", "other")
    expected = ["conv0", "conv0", "conv1", "fc0", "data", "other"]
    assert [layer_of(network(), name) for name in names] == expected


def test_names_of_nodes_are_checked():
    assert checked_names(network(), ["relu0"]) == {"relu0"}
    with pytest.raises(mx.MXNetError, match="--exclude cov0: .* did you mean 'conv0'"):
        checked_names(network(), ["cov0"])
