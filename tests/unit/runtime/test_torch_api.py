# SPDX-License-Identifier: Apache-2.0
"""Every private name of torch is replaced by public calls that give the same where it is absent."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from mxnova.core.runtime import torch_api, torch_optimizers

CACHED = (
    torch_api.has_onednn_kernels,
    torch_api.has_onednn_bfloat16,
    torch_optimizers.has_fused_optimizers,
    torch_api._has_int_mm,
    torch_api._has_standard_gamma,
)


@pytest.fixture
def tried_anew():
    """What was found out about torch is forgotten before a test, and after it."""
    for cached in CACHED:
        cached.cache_clear()
    yield
    for cached in CACHED:
        cached.cache_clear()


def refused(*_args, **_options):
    raise TypeError("got an unexpected keyword argument")


def wrong(*_args, **_options):
    return torch.zeros(1)


BROKEN = {"absent": None, "another signature": refused, "other numbers": wrong}


def damage(monkeypatch, holder, name, how):
    if how is None:
        monkeypatch.delattr(holder, name)
    else:
        monkeypatch.setattr(holder, name, how)


@pytest.mark.usefixtures("tried_anew")
@pytest.mark.parametrize("how", BROKEN.values(), ids=BROKEN)
def test_products_of_integers(how, monkeypatch):
    damage(monkeypatch, torch, "_int_mm", how)
    a, b = torch.randint(-128, 128, (2, 33, 65), dtype=torch.int8)
    found = torch_api.int_mm(a, b.T)
    assert found.dtype is torch.int32
    assert torch.equal(found.double(), a.double() @ b.T.double())


@pytest.mark.usefixtures("tried_anew")
@pytest.mark.parametrize("how", BROKEN.values(), ids=BROKEN)
def test_gamma(how, monkeypatch):
    damage(monkeypatch, torch, "_standard_gamma", how)
    shape = torch.tensor([0.5, 4.0]).expand(20_000, 2)
    drawn = [torch_api.standard_gamma(shape, torch.Generator().manual_seed(7)) for _ in range(2)]
    assert drawn[0].dtype is torch.float32
    assert torch.equal(*drawn)
    np.testing.assert_allclose(drawn[0].mean(0), [0.5, 4.0], rtol=0.05)
    np.testing.assert_allclose(drawn[0].var(0), [0.5, 4.0], rtol=0.1)


@pytest.mark.usefixtures("tried_anew")
@pytest.mark.parametrize("name", ["_fused_sgd_", "_fused_adam_", "_fused_adamw_"])
@pytest.mark.parametrize("how", BROKEN.values(), ids=BROKEN)
def test_fused_optimizers_are_tried_before(name, how, monkeypatch):
    assert torch_optimizers.has_fused_optimizers()
    torch_optimizers.has_fused_optimizers.cache_clear()
    damage(monkeypatch, torch, name, how)
    assert not torch_optimizers.has_fused_optimizers()


LISTS = {
    "mul": (2.0,),
    "mul_": ([0.5, 2.0],),
    "add_": ("others",),
    "sub": ("others",),
    "addcmul_": ("others", "others"),
    "clamp_max_": (0.25,),
    "sqrt": (),
    "norm": (),
    "zero_": (),
    "copy_": ("others",),
    "sign": (),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_one_by_one(name):
    tensors, others = (
        [torch.rand(size, generator=torch.Generator().manual_seed(at)) for size in (3, 5)]
        for at in (0, 1)
    )
    arguments = [others if a == "others" else a for a in LISTS[name]]
    copies = [t.clone() for t in tensors]
    torch_results = getattr(torch, f"_foreach_{name}")(copies, *arguments)
    ours = torch_optimizers._one_by_one(name)(tensors, *arguments)
    for one, other in zip([*tensors, *ours], [*copies, *(torch_results or copies)], strict=True):
        assert torch.equal(one, other)


def test_backward_passes():
    def passes(run):
        leaf, other = (torch.tensor([2.0], requires_grad=True) for _ in range(2))
        result = leaf**3
        place = ((result,), (torch.ones(1),), True)
        (first, none) = run(*place, True, (leaf, other), True, False)
        (second,) = run((first,), (torch.ones(1),), True, False, (leaf,), True, False)
        run(*place, False, (leaf,), True, True)
        run(*place, False, (leaf,), True, True)
        return first.item(), none, second.item(), leaf.grad.item()

    assert passes(torch_api._run_backward_publicly) == passes(torch_api.run_backward)
    assert passes(torch_api.run_backward) == (12.0, None, 12.0, 24.0)


# A build without oneDNN: torch.ops has none of its operators.
MASKED = """
import sys, numpy as np, torch
torch.ops.mkldnn = type(sys)("torch.ops.mkldnn")
{also}
import mxnova as mx
from mxnova import gluon
from mxnova.core.runtime import torch_api, torch_optimizers
assert not torch_api.has_onednn_kernels()
rng = np.random.default_rng(0)
data = mx.sym.var("data")
net = mx.sym.Convolution(data, kernel=(3, 3), num_filter=64, pad=(1, 1), name="c")
net = mx.sym.relu(mx.sym.BatchNorm(net, name="n", fix_gamma=False) + data)
net = mx.sym.FullyConnected(net, num_hidden=256, name="f")
executor = net.simple_bind(mx.cpu(), grad_req="write", data=(8, 64, 8, 8))
for name, array in (executor.arg_dict | executor.aux_dict).items():
    array[:] = np.abs(rng.standard_normal(array.shape)) * 0.1
found = [executor.forward()[0].asnumpy() for _ in range(3)]
parameters = {{f"arg:{{n}}": a for n, a in executor.arg_dict.items() if n != "data"}}
parameters |= {{f"aux:{{n}}": a for n, a in executor.aux_dict.items()}}
predictor = mx.Predictor(net, parameters, {{"data": (8, 64, 8, 8)}})
found += predictor.predict(data=executor.arg_dict["data"].asnumpy())
layer = gluon.nn.Conv2D(64, 3, in_channels=64)
layer.initialize()
layer.hybridize()
plain = [layer(executor.arg_dict["data"]).asnumpy() for _ in range(3)]
for one in (found, plain):
    for other in one[1:]:
        np.testing.assert_allclose(one[0], other, rtol=1e-5, atol=1e-5)
executor.forward(is_train=True)
executor.backward(executor.outputs[0])
assert np.isfinite(executor.grad_dict["c_weight"].asnumpy()).all()
"""
WITHOUT = {
    "operators": "",
    "build": "torch.backends.mkldnn.is_available = lambda: False",
}


@pytest.mark.parametrize("also", WITHOUT.values(), ids=WITHOUT)
def test_networks_without_onednn(also):
    code = MASKED.format(also=also)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
