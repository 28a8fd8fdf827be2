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
