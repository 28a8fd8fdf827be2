# SPDX-License-Identifier: Apache-2.0
"""Gradients of modules are MXNet's: those of an executor, to the last bit or nearly so."""

import numpy as np
import pytest
import torch
from torch.func import functional_call, grad, vmap

import mxnova as mx

RNG = np.random.default_rng(3)


def layers(data):
    net = mx.sym.Convolution(data, kernel=(3, 3), num_filter=4, name="conv")
    net = mx.sym.BatchNorm(net, fix_gamma=False, name="bn")
    net = mx.sym.Activation(net, act_type="relu")
    net = mx.sym.Pooling(net, kernel=(2, 2), stride=(2, 2), pool_type="max")
    return mx.sym.FullyConnected(net, num_hidden=3, name="fc")


def losses():
    data, label = mx.sym.var("data"), mx.sym.var("label")
    scores = layers(data)
    yield "SoftmaxOutput", mx.sym.SoftmaxOutput(scores, label, grad_scale=0.5)
    yield "LinearRegressionOutput", mx.sym.LinearRegressionOutput(scores, label)
    yield "LogisticRegressionOutput", mx.sym.LogisticRegressionOutput(scores, label)
    yield "MAERegressionOutput", mx.sym.MAERegressionOutput(scores, label)
    yield "SVMOutput", mx.sym.SVMOutput(scores, label)
    yield "MakeLoss", mx.sym.MakeLoss(mx.sym.square(scores - label), grad_scale=2.0)
    yield "BlockGrad", mx.sym.MakeLoss(scores * mx.sym.BlockGrad(scores - label))


@pytest.mark.parametrize(
    "name, symbol", list(losses()), ids=lambda p: p if isinstance(p, str) else ""
)
def test_training_passes_are_those_of_an_executor(name, symbol):
    wide = name not in ("SoftmaxOutput", "SVMOutput")
    given = {
        "data": RNG.normal(size=(6, 2, 8, 8)).astype("float32"),
        "label": RNG.normal(size=(6, 3)).astype("float32") if wide else np.arange(6.0) % 3,
    }
    executor = symbol.simple_bind(mx.cpu(), **{n: a.shape for n, a in given.items()})
    for array in executor.arg_dict.values():
        array[:] = RNG.normal(size=array.shape)
    executor.aux_dict["bn_moving_var"][:] = 1
    parameters = {n: a.copy() for n, a in executor.arg_dict.items() if n not in given}
    states = {n: a.copy() for n, a in executor.aux_dict.items()}
    module = mx.to_torch(symbol, parameters, aux=states).train()

    wanted = executor.forward(is_train=True, **{n: mx.nd.array(a) for n, a in given.items()})[0]
    executor.backward()
    found = module(**{n: torch.from_numpy(a.astype("float32")) for n, a in given.items()})
    found.sum().backward()

    np.testing.assert_allclose(found.detach(), wanted.asnumpy(), rtol=1e-6, atol=1e-6)
    for key, parameter in module.named_parameters():
        want = executor.grad_dict[module.name_map[key]].asnumpy()
        np.testing.assert_allclose(parameter.grad, want, rtol=1e-5, atol=1e-5, err_msg=key)
    for key, buffer in module.named_buffers():
        want = executor.aux_dict[module.name_map[key]].asnumpy()
        np.testing.assert_allclose(buffer, want, rtol=1e-6, err_msg=key)


def softmax_module():
    symbol = mx.sym.SoftmaxOutput(
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc"), mx.sym.var("label")
    )
    weight, bias = (mx.nd.array(RNG.normal(size=s)) for s in ((3, 4), (3,)))
    return mx.to_torch(symbol, {"fc_weight": weight, "fc_bias": bias}, copy=True)


def test_a_loss_without_its_label_has_the_derivative_of_what_it_computes():
    module, data = softmax_module(), torch.randn(5, 4)
    module(data)[:, 0].sum().backward()
    weight = module.fc_weight.detach().clone().requires_grad_()
    torch.softmax(data @ weight.T + module.fc_bias.detach(), 1)[:, 0].sum().backward()
    torch.testing.assert_close(module.fc_weight.grad, weight.grad)


def test_transforms_of_torch_see_the_gradient_of_the_loss():
    module, data, label = softmax_module(), torch.randn(5, 4), torch.tensor([0.0, 1, 2, 0, 1])
    parameters = dict(module.named_parameters())

    def loss(values, row, number):
        return functional_call(module, values, (row[None], number[None])).sum()

    each = vmap(grad(loss), in_dims=(None, 0, 0))(
        {n: p.detach() for n, p in parameters.items()}, data, label
    )
    module(data, label).sum().backward()
    for name, parameter in parameters.items():
        torch.testing.assert_close(each[name].sum(0), parameter.grad)


def test_gradients_share_no_memory_with_what_they_are_computed_of():
    symbol = mx.sym.MAERegressionOutput(mx.sym.var("data"), mx.sym.var("label"))
    module = mx.to_torch(symbol)
    data, label = torch.randn(3, 2, requires_grad=True), torch.zeros(3, 2)
    output = module(data, label)
    (gradient,) = torch.autograd.grad(output.sum(), data)
    places = {t.untyped_storage().data_ptr() for t in (data, label, output)}
    assert gradient.untyped_storage().data_ptr() not in places


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
def test_a_compiled_module_trains_alike():
    module, data, label = softmax_module(), torch.randn(5, 4), torch.tensor([0.0, 1, 2, 0, 1])
    module(data, label).sum().backward()
    wanted = {n: p.grad.clone() for n, p in module.named_parameters()}
    module.zero_grad()
    torch.compile(module, fullgraph=True, backend="aot_eager")(data, label).sum().backward()
    for name, parameter in module.named_parameters():
        torch.testing.assert_close(parameter.grad, wanted[name])
