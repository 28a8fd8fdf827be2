# SPDX-License-Identifier: Apache-2.0
"""Chains of blocks; `tests/conformance/test_gluon_layers.py` compares what they compute."""

from __future__ import annotations

import warnings

import pytest

import mxnova as mx
from mxnova.gluon import nn

KINDS = [nn.Sequential, nn.HybridSequential]


def chain(kind, n=3, **kwargs):
    net = kind(**kwargs)
    with net.name_scope():
        net.add(*(nn.Dense(i + 2) for i in range(n)))
    return net


@pytest.mark.parametrize("kind", KINDS)
def test_items_and_slices_are_the_blocks_themselves(kind):
    net = chain(kind, prefix="net_")
    assert len(net) == 3
    assert [block.prefix for block in net] == ["net_dense0_", "net_dense1_", "net_dense2_"]
    assert net[-1] is net[2]
    for key in (slice(1, None), slice(None, None, 2), slice(None, None, -1), slice(3, 5)):
        part = net[key]
        assert type(part) is kind
        assert part.prefix == "net_"
        assert [*part] == [*net][key]
    with pytest.raises(IndexError):
        net[3]
    with pytest.raises(TypeError):
        net["0"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_slice_computes_with_shared_parameters(kind):
    net = chain(kind, prefix="net_")
    net.initialize()
    x = mx.nd.ones((1, 5))
    out = net(x)
    assert net[1:](net[:1](x)).asnumpy().tolist() == out.asnumpy().tolist()
    assert net[1:].collect_params().keys() <= net.collect_params().keys()


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_chain_is_the_identity(kind):
    assert kind()(mx.nd.ones(2)).asnumpy().tolist() == [1, 1]
    assert repr(kind()) == f"{kind.__name__}(\n\n)"


def test_text_is_nested():
    net = chain(nn.Sequential, 1)
    net.add(chain(nn.HybridSequential, 1))
    assert repr(net).splitlines() == [
        "Sequential(",
        "  (0): Dense(None -> 2, linear)",
        "  (1): HybridSequential(",
        "    (0): Dense(None -> 2, linear)",
        "  )",
        ")",
    ]


def test_hybridizing_a_chain_of_hybrid_blocks_alone_warns():
    net = chain(nn.Sequential)
    with pytest.warns(UserWarning, match="HybridSequential"):
        net.hybridize()
    assert all(block._active for block in net)
    mixed = chain(nn.Sequential)
    mixed.add(nn.Lambda("relu"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mixed.hybridize()
        nn.Sequential().hybridize()
        chain(nn.HybridSequential).hybridize()


def test_a_hybrid_chain_takes_hybrid_blocks_only():
    net = nn.HybridSequential()
    with pytest.raises(ValueError, match="Lambda"):
        net.add(nn.Lambda("relu"))
    assert len(net) == 0
