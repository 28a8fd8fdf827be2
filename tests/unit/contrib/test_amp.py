# SPDX-License-Identifier: Apache-2.0
"""Mixed precision: arrays and symbols after `init`, trainers, converted models.

`init` is for good: what needs it runs in processes of its own.
"""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx
from mxnova.contrib import amp
from mxnova.contrib.amp.loss_scaler import LossScaler
from mxnova.core.base.errors import ArgumentError
from tests.clean_processes import printed_by

SYMBOL = mx.sym.SoftmaxOutput(
    mx.sym.FullyConnected(mx.sym.relu(mx.sym.var("data")), num_hidden=3, name="fc"), name="softmax"
)


each_dtype = pytest.mark.parametrize("dtype", ["float16", "bfloat16"])


def alone(code, dtype="bfloat16"):
    """What a program prints after amp.init(dtype)."""
    start = f"""
import mxnova as mx, numpy as np
from mxnova.contrib import amp
from mxnova.contrib.amp.loss_scaler import LossScaler
amp.init({dtype!r})
"""
    return printed_by(start + code).split()


def test_arrays_are_cast():
    code = """
x = mx.nd.ones((2, 3)); h = mx.nd.amp_cast(x, dtype="bfloat16")
bits = lambda a: 16 if a.dtype == h.dtype else np.dtype(a.dtype).itemsize * 8
print(*map(bits, [
    mx.nd.FullyConnected(x, x, no_bias=True, num_hidden=2), mx.nd.exp(h), h.softmax(), h + x,
    mx.nd.relu(h), mx.nd.Activation(h, act_type="softrelu"), h[0], h.reshape((3, 2)), h.copy(), h.T,
    mx.nd.FullyConnected(x.astype("float64"), x.astype("float64"), no_bias=True, num_hidden=2),
    mx.nd.exp(h, out=h)]))
"""
    # In bfloat16 whatever is not quicker goes back to float32, transposition too.
    assert alone(code) == ["16", "32", "32", "32", "16", "32", "16", "16", "16", "32", "64", "16"]


def test_arrays_of_all_threads_are_cast():
    code = """
import threading
def run(): print(mx.nd.dot(x, x).dtype is mx.nd.FullyConnected(x, x, no_bias=True, num_hidden=2).dtype)
x = mx.nd.ones((2, 2))
thread = threading.Thread(target=run); thread.start(); thread.join()
"""
    assert alone(code) == ["False"]


def test_symbols_are_composed_with_casts():
    code = """
x = mx.sym.var("x")
y = mx.sym.exp(mx.sym.FullyConnected(x, num_hidden=2, name="f"), name="e") + x
print(*[n for n in y.get_internals().list_outputs()])
print(*y.bind(mx.cpu(), {"x": mx.nd.ones((1, 2)), "f_weight": mx.nd.zeros((2, 2)),
                         "f_bias": mx.nd.zeros(2)}).forward()[0].asnumpy()[0])
print("amp_cast" in y.tojson())
"""
    assert alone(code) == [
        "x",
        "amp_cast0_output",
        "f_weight",
        "amp_cast1_output",
        "f_bias",
        "amp_cast2_output",
        "f_output",
        "amp_cast3_output",
        "e_output",
        "amp_multicast0_output0",
        "amp_multicast0_output1",
        "_plus0_output",
        "2.0",
        "2.0",
        "False",
    ]


@each_dtype
def test_training(dtype):
    code = """
for hybridized in (False, True):
    net = mx.gluon.nn.Dense(1, use_bias=False, in_units=2); net.initialize(mx.init.One())
    net.hybridize(hybridized)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    amp.init_trainer(trainer)
    trainer._amp_loss_scaler._loss_scale = trainer._amp_loss_scaler._next_loss_scale = 4.0
    for factor in (1.0, np.inf, 1.0):
        with mx.autograd.record():
            loss = (net(mx.nd.array([[1, 2]])) * factor).sum()
            with amp.scale_loss(loss, trainer) as scaled:
                scaled.backward()
        if factor == 1:
            print(*net.weight.grad().asnumpy()[0], end=" ")
        if trainer._amp_loss_scaler.loss_scale == 2:
            amp.unscale(trainer); print(*net.weight.grad().asnumpy()[0], end=" ")
        trainer.step(1)
    print(*net.weight.data().asnumpy()[0], trainer._amp_loss_scaler.loss_scale)
"""
    # A step, one that overflows and is left out, one whose scale is half.
    expected = "4.0 8.0 4.0 8.0 0.0 -1.0 2.0"
    assert alone(code, dtype) == [*expected.split(), *expected.split()]


@pytest.mark.parametrize("given", [None, mx.optimizer.SGD()])
def test_gradients_are_unscaled_for_a_trainer(given):
    with pytest.raises(TypeError, match="must be a Trainer"):
        mx.contrib.amp.unscale(given)


@pytest.mark.parametrize("scale, expected", [(1 / 8, 1 / 4), (1.0, 1.0)])
def test_a_worker_without_samples_takes_the_scale_of_the_others(scale, expected):
    net = mx.gluon.nn.Dense(1, in_units=1)
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd")
    trainer._amp_loss_scaler, trainer._amp_original_scale = LossScaler(), 1.0
    trainer._amp_loss_scaler._loss_scale, trainer._scale = 4.0, scale
    trainer._step_without_samples(2)
    assert trainer.optimizer.rescale_grad == expected / 2


def test_gradients_that_have_left_already_are_not_unscaled():
    net = mx.gluon.nn.Dense(1, in_units=1)
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", overlap=True)
    with pytest.raises(ArgumentError, match="its gradients have left already"):
        mx.contrib.amp.unscale(trainer)


def test_numbers_beyond_float16_lower_the_scale_and_change_no_weight():
    code = """
net = mx.gluon.nn.Dense(1, use_bias=False, in_units=2); net.initialize(mx.init.One())
trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
amp.init_trainer(trainer)
for size in (1, 100, 1):
    with mx.autograd.record():
        loss = net(mx.nd.array([[size, size]])).sum() / 64
        with amp.scale_loss(loss, trainer) as scaled:
            scaled.backward()
    before = net.weight.data().asnumpy().copy()
    trainer.step(1)
    print((net.weight.data().asnumpy() != before).any())
print(trainer._amp_loss_scaler.loss_scale)
"""
    assert alone(code, "float16") == ["True", "False", "True", "32768.0"]


def test_gradients_of_loss_operators_are_scaled():
    code = """
x = mx.nd.ones((1, 2)); x.attach_grad()
with mx.autograd.record():
    y = mx.nd.LinearRegressionOutput(x, mx.nd.zeros((1, 2)))
y.backward(); print(*x.grad.asnumpy()[0])
"""
    assert alone(code) == ["32768.0", "32768.0"]


def test_trainers_need_init():
    trainer = mx.gluon.Trainer([], "sgd")
    with pytest.raises(AssertionError, match=r"amp\.init"):
        amp.init_trainer(trainer)
    with (
        pytest.raises(AssertionError, match="init_trainer"),
        amp.scale_loss(mx.nd.ones(1), trainer),
    ):
        pass


@pytest.mark.parametrize(
    "arguments, text",
    [
        ({"sym": 3}, "sym=3"),
        ({"target_dtype": "float64"}, "target_dtype='float64'"),
        ({"target_dtype_ops": ["nope"]}, "target_dtype_ops=.*nope"),
        ({"fp32_ops": "exp"}, "fp32_ops='exp'"),
        ({"conditional_fp32_ops": ["a"]}, "conditional_fp32_ops"),
        ({"target_dtype_ops": ["exp"]}, "exp.* in target_dtype_ops and in fp32_ops"),
        ({"excluded_sym_names": "fc"}, "excluded_sym_names='fc'"),
        ({"data_names": ["x"]}, r"data_names=\['x'\]"),
    ],
)
def test_conversion_refuses(arguments, text):
    with pytest.raises(mx.MXNetError, match=text):
        amp.convert_symbol(**{"sym": SYMBOL, **arguments})


def test_an_operator_that_takes_one_type_only_gets_float32():
    x = mx.sym.var("x")
    low = mx.sym.FullyConnected(x, num_hidden=2, no_bias=True, name="f")
    made = amp.convert_symbol(mx.sym.concat(low, mx.sym.exp(x), name="c"), "bfloat16")
    run = made.bind(mx.cpu(), {"x": mx.nd.zeros((1, 2)), "f_weight": mx.nd.ones((2, 2))})
    assert run.forward()[0].asnumpy().tolist() == [[0, 0, 1, 1]]


@each_dtype
@pytest.mark.parametrize("cast", [False, True])
def test_a_model_and_a_block_compute_the_same(cast, dtype):
    x = mx.nd.array(np.linspace(-1, 1, 8).reshape(2, 4))
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(5, activation="relu"), mx.gluon.nn.BatchNorm(), mx.gluon.nn.Dense(3))
    net.initialize(mx.init.Xavier())
    with pytest.raises(mx.MXNetError, match="hybridize"):
        amp.convert_hybrid_block(net, ctx=mx.cpu())
    net.hybridize()
    expected = net(x).asnumpy()
    made = amp.convert_hybrid_block(net, dtype, ctx=mx.cpu(), cast_optional_params=cast)
    assert np.allclose(made(x).asnumpy(), expected, atol=0.02)
    low = {name for name, p in made.collect_params().items() if p.dtype != np.float32}
    weights = {n for n in net.collect_params() if n.endswith(("_weight", "_bias"))}
    assert low == (weights if cast else set())


@each_dtype
@pytest.mark.parametrize("cast", [False, True])
def test_parameters_beside_low_precision_are_of_it(cast, dtype):
    """Of an operator in no list: FullyConnected, whose alias stands among those in float32."""
    conv = mx.sym.Convolution(mx.sym.var("x"), kernel=(1, 1), num_filter=2, name="c")
    net = mx.sym.FullyConnected(mx.sym.BatchNorm(conv, name="b"), num_hidden=2, name="f")
    shapes, _, aux_shapes = net.infer_shape(x=(1, 1, 1, 2))
    args = {n: mx.nd.ones(s) for n, s in zip(net.list_arguments(), shapes, strict=True)}
    aux = dict(zip(net.list_auxiliary_states(), map(mx.nd.ones, aux_shapes), strict=True))
    x = args.pop("x")
    made, args, aux = amp.convert_model(
        net, args, aux, dtype, target_dtype_ops=["Convolution"], cast_optional_params=cast
    )
    assert (args["f_weight"].dtype, args["f_bias"].dtype) == (mx.nd.ones(1, dtype=dtype).dtype,) * 2
    assert (args["c_weight"].dtype == np.float32) is not cast
    run = made.bind(mx.cpu(), {**args, "x": x}, aux_states=aux)
    assert np.allclose(run.forward()[0].asnumpy(), 9, atol=0.05)


def test_buckets_share_converted_parameters():
    def sym_gen(length):
        fc = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4, flatten=False, name="fc")
        return (
            mx.sym.SoftmaxOutput(mx.sym.mean(fc, axis=1), name="softmax"),
            ["data"],
            ["softmax_label"],
        )

    module = mx.mod.BucketingModule(sym_gen, default_bucket_key=6)
    with pytest.raises(AssertionError, match="bind"):
        amp.amp.convert_bucketing_module(module)
    module.bind([("data", (2, 6, 3))], [("softmax_label", (2,))])
    module.init_params(mx.init.Xavier())
    made = amp.amp.convert_bucketing_module(module, "bfloat16", cast_optional_params=True)
    for length in (6, 4):
        batch = mx.io.DataBatch(
            [mx.nd.ones((2, length, 3))],
            [mx.nd.zeros(2)],
            bucket_key=length,
            provide_data=[("data", (2, length, 3))],
            provide_label=[("softmax_label", (2,))],
        )
        outputs = []
        for each in (module, made):
            each.forward(batch, is_train=False)
            outputs.append(each.get_outputs()[0].asnumpy())
        assert np.allclose(*outputs, atol=0.02)
