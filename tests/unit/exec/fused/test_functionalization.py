# SPDX-License-Identifier: Apache-2.0
"""What a backward pass writes, apart from the graph."""

import mxnova as mx
from mxnova.core.exec.fused.functionalization import WritesApart


def test_images_do_not_leave_a_graph_for_what_is_written():
    data = mx.sym.var("data")
    symbol = mx.sym.relu(mx.sym.BatchNorm(mx.sym.BatchNorm(data, name="a"), name="b"))
    apart = WritesApart(symbol, symbol.list_inputs())
    assert [entry.output for entry in apart.pure.entries] == [0, 1, 2, 1, 2]  # not the images
