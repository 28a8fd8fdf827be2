# SPDX-License-Identifier: Apache-2.0
"""Lines that the code of several mistakes begins with."""

from __future__ import annotations

__all__ = ["HYBRID", "NET", "RECORD", "SAVED", "SYMBOL", "TORCH_RECORD"]

NET = "net = nn.Dense(4, in_units=3, prefix='fc_'); net.initialize()\n"
SAVED = "mx.nd.save('a.params', {%s})\n"
RECORD = "x = mx.nd.ones((2, 3)); x.attach_grad()\nwith autograd.record():\n    "
TORCH_RECORD = "x = torch.ones(2, 3, requires_grad=True)\n"
HYBRID = (
    "class Net(gluon.HybridBlock):\n"
    "    def hybrid_forward(self, F, x):\n        return {}\n"
    "net = Net(); net.initialize(); net.hybridize(); net(mx.nd.ones((2, 3)))"
)
SYMBOL = (
    "data = mx.sym.var('data')\n"
    "net = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(data, num_hidden=2, name='fc'), name='softmax')\n"
)
