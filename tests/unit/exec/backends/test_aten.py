# SPDX-License-Identifier: Apache-2.0
"""The passes of the default backend: what each changes, what it leaves, and that values stay."""

import os
import threading

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.base import MXNetError
from mxnova.core.exec.backends import aten
from mxnova.core.exec.passes import linear_fusion, low_precision
from mxnova.core.exec.passes.simplification import simplified
from mxnova.core.runtime import torch_api, tuning

SHAPE = (4, 8, 12, 12)
X = mx.sym.var("data")


def conv(x, name, **options):
    options = {"kernel": (3, 3), "pad": (1, 1), "num_filter": 8, **options}
    return mx.sym.Convolution(x, name=name, **options)


def residual(x, name):
    y = mx.sym.relu(mx.sym.BatchNorm(conv(x, f"{name}_a"), name=f"{name}_n", fix_gamma=False))
    return mx.sym.relu(conv(y, f"{name}_b") + x)


def parameters(symbol, shape=SHAPE):
    rng = np.random.default_rng(3)
    arguments, _, states = symbol.infer_shape(data=shape)
    pairs = [
        *zip(symbol.list_arguments(), arguments, ["arg"] * len(arguments)),
        *zip(symbol.list_auxiliary_states(), states, ["aux"] * len(states)),
    ]
    return {
        f"{kind}:{n}": mx.nd.array(rng.uniform(0.5, 1, s) if "var" in n else rng.normal(0, 0.2, s))
        for n, s, kind in pairs
        if n != "data"
    }


def answers(symbol, monkeypatch, shape=SHAPE, **options):
    """What the graph gives as it is and rewritten; the predictor."""
    given = parameters(symbol, shape)
    data = np.random.default_rng(5).normal(size=shape).astype("float32")
    monkeypatch.setenv("MXNOVA_FUSE", "0")
    plain = mx.Predictor(symbol, given, {"data": shape}).predict(data=data)
    monkeypatch.delenv("MXNOVA_FUSE")
    predictor = mx.Predictor(symbol, given, {"data": shape}, **options)
    return plain, predictor.predict(data=data), predictor


def close(some, others, **tolerance):
    tolerance = {"rtol": 1e-4, "atol": 1e-5, **tolerance}
    for one, other in zip(some, others, strict=True):
        np.testing.assert_allclose(one, other, **tolerance)


def operators(predictor):
    special = predictor.graph_network.inference._special
    if special is None and not torch_api.has_onednn_kernels():
        pytest.skip("values were right; without oneDNN's kernels the graph runs as it is")
    return [s.op for s in special.lowered.steps]


# Sums in place ------------------------------------------------------------------------------------


def test_sums_go_where_their_summand_was(monkeypatch):
    symbol = residual(residual(conv(X, "stem"), "one"), "two")
    plain, found, predictor = answers(symbol, monkeypatch)
    close(found, plain)
    assert [op.in_place for op in operators(predictor) if op.with_sum] == [True, True]
    again = predictor.predict(data=np.ones(SHAPE))
    close(predictor.predict(data=np.ones(SHAPE)), again, rtol=0, atol=0)


def read_later():
    stem = conv(X, "stem")
    block = residual(stem, "one")
    return mx.sym.broadcast_mul(conv(block, "after"), mx.sym.sum(stem, axis=1, keepdims=True))


def viewed():
    """A view of what is added to, read after the sum."""
    stem = conv(X, "stem")
    view = mx.sym.flatten(stem)
    block = mx.sym.flatten(residual(stem, "one"))
    return mx.sym.concat(mx.sym.slice_axis(view, axis=1, begin=0, end=9), mx.sym.exp(block), view)


IN_NEED = {
    "a view": viewed,
    "the input": lambda: residual(X, "one"),
    "an output": lambda: mx.sym.Group([residual(s := conv(X, "stem"), "one"), s]),
    "read later": read_later,
    "not ours": lambda: residual(mx.sym.tanh(mx.sym.sin(conv(X, "stem"))), "one"),
}


@pytest.mark.parametrize("name", IN_NEED)
def test_what_others_need_is_not_overwritten(monkeypatch, name):
    plain, found, predictor = answers(IN_NEED[name](), monkeypatch)
    close(found, plain)
    assert not any(op.in_place for op in operators(predictor) if getattr(op, "with_sum", 0))


# Products -----------------------------------------------------------------------------------------

ROWS = (64, 512)


@pytest.mark.parametrize(
    "after",
    [
        lambda x: x,
        mx.sym.relu,
        mx.sym.sigmoid,
        lambda x: mx.sym.Activation(x, act_type="tanh"),
        lambda x: mx.sym.LeakyReLU(x, act_type="gelu"),
    ],
)
@pytest.mark.parametrize(
    "options",
    [{}, {"no_bias": True}, {"flatten": False}, {"bias": mx.sym.var("f_bias", shape=(128, 1))}],
)
def test_products_take_over_activations(monkeypatch, after, options):
    symbol = after(mx.sym.FullyConnected(X, num_hidden=128, name="f", **options))
    plain, found, predictor = answers(symbol, monkeypatch, ROWS)
    close(found, plain)
    assert [op.name for op in operators(predictor)] == ["_FusedLinear"]


@pytest.mark.parametrize("has_avx512", [True, False])
def test_gelu_inside_the_kernel_or_after_it(monkeypatch, has_avx512):
    monkeypatch.setattr(linear_fusion, "HAS_AVX512", has_avx512)
    product = mx.sym.FullyConnected(X, num_hidden=128, name="f")
    symbol = mx.sym.LeakyReLU(product, act_type="gelu")
    plain, found, predictor = answers(symbol, monkeypatch, ROWS)
    close(found, plain)
    assert [op.gelu_after for op in operators(predictor)] == [not has_avx512]


def test_products_of_more_axes(monkeypatch):
    symbol = mx.sym.FullyConnected(X, num_hidden=128, flatten=False, name="f")
    plain, found, predictor = answers(symbol, monkeypatch, (2, 32, 512))
    close(found, plain)
    assert found[0].shape == (2, 32, 128)
    assert [op.name for op in operators(predictor)] == ["_FusedLinear"]


def test_small_products_and_read_ones_stay(monkeypatch):
    small = mx.sym.FullyConnected(X, num_hidden=4, name="f")
    predictor = answers(small, monkeypatch, (2, 8))[2]
    assert predictor.graph_network.inference._special is None
    product = mx.sym.FullyConnected(X, num_hidden=128, name="f")
    plain, found, predictor = answers(
        mx.sym.Group([mx.sym.relu(product), product]), monkeypatch, ROWS
    )
    close(found, plain)
    assert [op.name for op in operators(predictor)] == ["_FusedLinear", "relu"]


# Copies, chains, constants ------------------------------------------------------------------------


def names(symbol):
    return [n.op.name for n in simplified(symbol).nodes if n.op]


def test_copies_that_are_written_to_stay():
    copied = mx.sym.identity(mx.sym.var("momentum"))
    updated = mx.sym.sgd_mom_update(mx.sym.var("w"), mx.sym.var("g"), copied, lr=0.1)
    assert names(mx.sym.relu(updated)) == ["_copy", "sgd_mom_update", "relu"]


def test_copies_and_chains_go():
    x = mx.sym.identity(mx.sym.var("x"))
    assert names(mx.sym.relu(mx.sym.Dropout(x))) == ["relu"]
    assert names(mx.sym.relu(mx.sym.Dropout(x, mode="always"))) == ["Dropout", "relu"]
    assert names(mx.sym.BlockGrad(mx.sym.relu(x))) == ["relu", "BlockGrad"]  # an output's memory
    chain = mx.sym.reshape(mx.sym.flatten(mx.sym.reshape(x, shape=(0, -1))), shape=(-1, 2))
    assert names(mx.sym.relu(chain)) == ["Reshape", "relu"]
    kept = mx.sym.reshape(mx.sym.reshape(x, shape=(4, 6)), shape=(0, 2, 3))
    assert names(mx.sym.relu(kept)) == ["Reshape", "Reshape", "relu"]
    casts = mx.sym.cast(
        mx.sym.cast(mx.sym.cast(x, dtype="float16"), dtype="float32"), dtype="uint8"
    )
    assert names(mx.sym.relu(casts)) == ["Cast", "Cast", "relu"]
    lossy = mx.sym.cast(mx.sym.cast(mx.sym.cast(x, dtype="float32"), dtype="uint8"), dtype="int32")
    assert names(mx.sym.relu(lossy)) == ["Cast", "Cast", "Cast", "relu"]


def test_what_parameters_decide_is_computed_once(monkeypatch):
    scale = mx.sym.exp(mx.sym.var("scale", shape=(8,))) * 2
    shaped = mx.sym.reshape(scale, shape=(1, 8, 1, 1))
    symbol = mx.sym.broadcast_mul(conv(X, "c"), shaped)
    plain, found, predictor = answers(symbol, monkeypatch)
    close(found, plain)
    assert [op.name for op in operators(predictor)] == [
        "_FusedConvolution", "_Constant", "broadcast_mul", "_Owned",
    ]  # fmt: skip
    large = mx.sym.broadcast_to(mx.sym.var("one", shape=(1, 1)), shape=(2000, 2000))
    predictor = answers(mx.sym.sum(conv(X, "c")) + mx.sym.sum(large + 1), monkeypatch)[2]
    assert "broadcast_to" in [op.name for op in operators(predictor)]


VIEWS = {
    "reshape": lambda x: mx.sym.reshape(x, shape=(-1,)),
    "part": lambda x: mx.sym.slice_axis(x, axis=0, begin=1, end=3),
    "part of parts": lambda x: mx.sym.expand_dims(mx.sym.split(x, num_outputs=2)[1], axis=0),
    "copy": mx.sym.identity,
}


@pytest.mark.parametrize("backend", ["aten", pytest.param("onednn", marks=pytest.mark.onednn)])
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_writing_to_an_output_changes_no_constant(view, backend):
    weight = mx.sym.var("c_weight")
    computed = mx.sym.exp(weight)
    heads = [conv(X, "c", weight=weight), view(computed), mx.sym.sum(computed)]
    executor = mx.sym.Group(heads).optimize_for(backend).simple_bind(mx.cpu(), data=SHAPE)
    expected = [o.asnumpy() for o in executor.forward()]
    for _ in range(3):
        outputs = executor.forward()
        close([o.asnumpy() for o in outputs], expected)
        for output in outputs:
            output[:] = -7


def test_random_numbers_are_no_constants(monkeypatch):
    noise = mx.sym.random.normal(mx.sym.var("mean", shape=(8,)) * 0, 1, shape=(1,))
    symbol = mx.sym.sum(conv(X, "c")) * 0 + mx.sym.sum(noise)
    _, first, predictor = answers(symbol, monkeypatch)
    assert first[0] != predictor.predict(data=np.zeros(SHAPE))[0]


# Padding ------------------------------------------------------------------------------------------

PADS = {
    "zeros": ({"mode": "constant", "pad_width": (0, 0, 0, 0, 1, 1, 2, 2)}, False),
    "a number": (
        {"mode": "constant", "constant_value": 1, "pad_width": (0, 0, 0, 0, 1, 1, 2, 2)}, True,
    ),
    "one side": ({"mode": "constant", "pad_width": (0, 0, 0, 0, 1, 0, 2, 2)}, True),
    "edge": ({"mode": "edge", "pad_width": (0, 0, 0, 0, 1, 1, 2, 2)}, True),
}  # fmt: skip


@pytest.mark.parametrize("name", PADS)
def test_convolutions_pad_for_themselves(monkeypatch, name):
    options, stays = PADS[name]
    padded = mx.sym.pad(X, **options)
    plain, found, predictor = answers(conv(padded, "c", stride=(2, 1)), monkeypatch)
    close(found, plain)
    assert ("Pad" in [op.name for op in operators(predictor)]) == stays
    both = mx.sym.Group([conv(padded, "c"), mx.sym.sum(padded)])
    plain, found, _ = answers(both, monkeypatch)
    close(found, plain, rtol=1e-3)


# Batches ------------------------------------------------------------------------------------------


@pytest.fixture
def small_batches(monkeypatch, two_threads):
    """Batches are shared out however little they are."""
    monkeypatch.setattr(tuning, "THREAD_MIN_MULTIPLICATIONS", 1)


def network(**options):
    x = residual(conv(X, "stem"), "one")
    x = mx.sym.Pooling(x, global_pool=True, pool_type="avg", kernel=(1, 1))
    return mx.sym.softmax(mx.sym.FullyConnected(x, num_hidden=6, name="f"))


@pytest.mark.parametrize("batch", [2, 3])
@pytest.mark.parametrize("name", IN_NEED)
def test_sums_in_shared_out_batches(monkeypatch, small_batches, batch, name):
    plain, found, _ = answers(IN_NEED[name](), monkeypatch, (batch, *SHAPE[1:]))
    close(found, plain)


@pytest.mark.parametrize("batch", [1, 2, 5, 8])
def test_batches_are_shared_out(monkeypatch, small_batches, batch):
    shape = (batch, *SHAPE[1:])
    plain, found, predictor = answers(network(), monkeypatch, shape)
    close(found, plain)
    parts = [op for op in operators(predictor) if op.name == "_Group"]
    assert len(parts) == (batch > 1)
    assert torch.get_num_threads() == 2
    other = predictor.reshape({"data": (7, *SHAPE[1:])})  # the same code
    data = np.random.default_rng(7).normal(size=(7, *SHAPE[1:]))
    halves = predictor.reshape({"data": (1, *SHAPE[1:])})
    close(other.predict(data=data)[0][:1], halves.predict(data=data[:1])[0])


def test_what_joins_images_stays_whole(monkeypatch, small_batches):
    x = conv(conv(X, "a"), "b")
    mixed = mx.sym.broadcast_add(x, mx.sym.mean(x, axis=0, keepdims=True))
    symbol = mx.sym.sum(conv(conv(mixed, "c"), "d"), axis=0)
    plain, found, predictor = answers(symbol, monkeypatch)
    close(found, plain)
    assert [op.name for op in operators(predictor)] == [
        "_Group", "mean", "broadcast_add", "_Group", "sum",
    ]  # fmt: skip


def test_weights_that_change_are_not_cut(monkeypatch, small_batches):
    """As many filters as images: a weight could be taken for a batch."""
    weight = mx.sym.var("given", shape=(4, 8, 1, 1))
    x = conv(conv(conv(X, "a"), "b"), "c")
    options = {"kernel": (1, 1), "num_filter": 4, "no_bias": True}
    symbol = mx.sym.Convolution(x, mx.sym.relu(weight), name="d", **options)
    executor = symbol.simple_bind(mx.cpu(), data=SHAPE, grad_req="null")
    rng = np.random.default_rng(1)
    for array in executor.arg_arrays:
        array[:] = rng.normal(size=array.shape)
    results = [executor.forward()[0].asnumpy() for _ in range(3)]
    close(results[:1] * 2, results[1:], atol=1e-3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
def test_a_forked_child_has_threads_of_its_own(monkeypatch, small_batches):
    plain, _, predictor = answers(network(), monkeypatch)
    data = np.random.default_rng(5).normal(size=SHAPE).astype("float32")
    child = os.fork()
    if not child:
        found = predictor.predict(data=data)[0]
        os._exit(0 if np.allclose(found, plain[0], rtol=1e-4) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_what_goes_wrong_inside_names_the_node(monkeypatch, small_batches):
    predictor = answers(network(), monkeypatch)[2]
    (group,) = [op for op in operators(predictor) if op.name == "_Group"]
    with pytest.raises(MXNetError, match="one_b|stem|one_a"):
        group.forward(torch.zeros(4, 9, 12, 12))


def test_many_callers(monkeypatch, small_batches):
    plain, _, predictor = answers(network(), monkeypatch)
    data = np.random.default_rng(5).normal(size=SHAPE).astype("float32")
    wrong = []

    def work():
        for _ in range(10):
            if not np.allclose(predictor.predict(data=data)[0], plain[0], rtol=1e-4):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# bfloat16 -----------------------------------------------------------------------------------------


@pytest.mark.skipif(not torch_api.has_onednn_bfloat16(), reason="no instructions for bfloat16")
@pytest.mark.parametrize("batch", [1, 4])
def test_bfloat16_is_what_was_asked_for(monkeypatch, small_batches, batch):
    shape = (batch, *SHAPE[1:])
    plain, found, predictor = answers(network(), monkeypatch, shape, precision="bfloat16")
    assert any(row.reason.endswith(", in bfloat16") for row in predictor.explain())
    assert found[0].dtype == np.float32
    close(found, plain, atol=0.02, rtol=0.1)
    assert np.abs(found[0] - plain[0]).max() > 0  # it is no float32
    default = answers(network(), monkeypatch, shape)[1]
    close(default, plain)


@pytest.mark.onednn
def test_bfloat16_is_never_silently_float32(monkeypatch):
    def refuse():
        raise MXNetError("aten: precision='bfloat16': no")

    monkeypatch.setattr(low_precision, "check_bfloat16", refuse)
    assert aten.low_precision is low_precision
    with pytest.raises(MXNetError, match="precision='bfloat16'"):
        answers(network(), monkeypatch, precision="bfloat16")


def test_where_nothing_can_be_bfloat16_it_is_said(caplog):
    predictor = mx.Predictor(X + 1, {}, {"data": (2,)}, precision="bfloat16")
    assert predictor.predict(data=[1, 2])[0].tolist() == [2, 3]
    assert "nothing is computed in bfloat16" in caplog.text
