# SPDX-License-Identifier: Apache-2.0
"""Shapes of outputs, as examples print them."""

from __future__ import annotations

import pytest

import mxnova as mx

shape_of = mx.symbol_doc.SymbolDoc.get_output_shape


def test_shapes_by_names_of_outputs():
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    assert shape_of(net, data=(2, 5)) == {"fc_output": (2, 3)}
    parts = mx.sym.split(mx.sym.var("x"), num_outputs=2, name="parts")
    assert shape_of(parts, x=(4, 6)) == {"parts_output0": (4, 3), "parts_output1": (4, 3)}


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
def test_shapes_that_cannot_be_told():
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3)
    with pytest.raises(mx.MXNetError, match="more shapes are needed than none"):
        shape_of(net)
