# SPDX-License-Identifier: Apache-2.0
import pytest
import torch

import mxnova as mx
from mxnova.core.runtime import context


@pytest.mark.parametrize("is_initialized", [False, True])
def test_waitall_waits_for_each_gpu_in_use(monkeypatch, is_initialized):
    waited = []
    monkeypatch.setattr(context, "_IN_USE", {3, 1})
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: is_initialized)
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)
    mx.nd.waitall()
    assert waited == ([1, 3] if is_initialized else [])


@pytest.mark.parametrize(
    "is_apple, told", [(False, "no GPU"), (True, "Apple's, which mxnova does not use")]
)
@pytest.mark.parametrize("number", [7, -1])
def test_a_gpu_that_is_not_there(monkeypatch, is_apple, told, number):
    monkeypatch.setattr(context, "num_gpus", lambda: 0)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: is_apple)
    assert not context.is_there(mx.gpu(number))
    with pytest.raises(mx.MXNetError, match=rf"gpu\({number}\): this machine has .*{told}"):
        _ = mx.Context("gpu", number).device
