# SPDX-License-Identifier: Apache-2.0
"""What cannot be a module, or be traced, is named: all of it in one text."""

import pytest
import torch

import mxnova as mx
from mxnova.base import MXNetError


@mx.operator.register("torch_module_doubles")
class Doubles(mx.operator.CustomOpProp):
    def create_operator(self, ctx, in_shapes, in_dtypes):
        return mx.operator.CustomOp()


def test_all_nodes_that_cannot_run():
    own = mx.sym.Custom(mx.sym.var("a"), op_type="torch_module_doubles", name="own")
    sparse = mx.sym.cast_storage(mx.sym.var("b"), stype="csr", name="stored")
    with pytest.raises(MXNetError) as caught:
        mx.to_torch(mx.sym.Group([own, sparse]))
    assert "node 'own' (Custom): it runs Python code" in str(caught.value)
    assert "node 'stored' (cast_storage): it gives arrays stored as csr" in str(caught.value)


def test_all_nodes_that_cannot_be_traced():
    first = mx.sym.CTCLoss(mx.sym.var("a"), mx.sym.var("b"), name="first")
    inside, _ = mx.sym.contrib.foreach(
        lambda row, s: (mx.sym.CTCLoss(mx.sym.var("a"), row, name="second"), s),
        mx.sym.var("c"), mx.sym.var("s"),
    )  # fmt: skip
    module = mx.to_torch(mx.sym.Group([first, inside]))
    given = {
        "a": torch.zeros(4, 2, 3),
        "b": torch.ones(2, 1),
        "c": torch.ones(2, 2, 1),
        "s": torch.zeros(1),
    }
    inputs = tuple(given[n] for n in module.input_names)
    assert module(*inputs)[0].shape == (2,)
    with pytest.raises(
        MXNetError, match=r"node 'first' \(CTCLoss\): .*; node 'second' \(CTCLoss\): "
    ):
        torch.export.export(module, inputs, strict=False)
