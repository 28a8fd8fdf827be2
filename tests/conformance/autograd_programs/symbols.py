# SPDX-License-Identifier: Apache-2.0
"""Symbols of recorded arrays."""

import numpy as np

from .kit import graph_of, program


def graph(k, *arrays):
    return [graph_of(k.ag.get_symbol(a)) for a in arrays]


@program
def symbol_of_arithmetic(k, x):
    with k.ag.record():
        y = x * x + 2
    return graph(k, y)


@program
def symbol_of_leaf(k, x):
    return graph(k, x)


@program
def symbol_of_network(k, x):
    w = k.leaf(np.ones((3, 2)))
    c = k.nd.ones((2, 3))
    with k.ag.record():
        y = k.nd.FullyConnected(x, w, no_bias=True, num_hidden=3)
        z = k.nd.elemwise_mul(k.nd.relu(y) + c, y, name="product")
    return graph(k, z, y)


@program
def symbol_with_shared_constant(k, x):
    c = k.nd.ones((2, 2))
    with k.ag.record():
        y = x + c
        z = y + c
    return graph(k, z)


@program
def symbol_of_outputs(k, x):
    with k.ag.record():
        a, b = k.nd.split(x, 2, axis=1)
        y = a + b
    return graph(k, y, b)


@program
def symbol_of_states(k, x):
    gamma, state = k.nd.ones((2,)), k.nd.zeros((2,))
    with k.ag.record():
        y = k.nd.BatchNorm(x, gamma, gamma, state, state)
    return graph(k, y)


@program
def symbol_of_views(k, x):
    with k.ag.record():
        y = x[0]
        z = x.reshape((4,))[1:3] + y + x[:, 1]
    return graph(k, z)


@program
def symbol_of_copies(k, x):
    with k.ag.record():
        y = k.nd.concat(x, x.copy(), dim=0)
    return graph(k, y)


@program
def symbol_after_attach(k, x):
    with k.ag.record():
        y = x * 2
        y.attach_grad()
        z = y + x
    return graph(k, z)


@program
def symbol_of_overwritten(k, x):
    with k.ag.record():
        c = k.nd.zeros((2, 2))
        k.nd.exp(x, out=c)
        y = c * c.detach()
    return graph(k, y)


@program
def symbol_binds(k, x):
    with k.ag.record():
        y = k.nd.tanh(x * x + x[0]) / 2
    symbol = k.ag.get_symbol(y)
    bound = symbol.bind(k.mx.cpu(), dict.fromkeys(symbol.list_arguments(), x))
    return bound.forward()


@program
def symbol_of_used_up(k, x):
    with k.ag.record():
        y = x * x
    y.backward()
    k.ag.get_symbol(y)


@program
def symbol_of_constant(k, x):
    k.ag.get_symbol(k.nd.ones((2,)))
