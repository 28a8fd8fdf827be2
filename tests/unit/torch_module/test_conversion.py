# SPDX-License-Identifier: Apache-2.0
import copy
import pickle

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.base import MXNetError
from mxnova.gluon import nn
from mxnova.torch_module import GraphModule

RNG = np.random.default_rng(5)


def symbol_of(name="fc", label="softmax_label"):
    data = mx.sym.var("data")
    net = mx.sym.FullyConnected(data, num_hidden=3, name=name)
    net = mx.sym.BatchNorm(net, name="bn", fix_gamma=True)
    return mx.sym.SoftmaxOutput(net, mx.sym.var(label), name="softmax")


def arrays_of(name="fc"):
    arguments = {
        f"{name}_weight": mx.nd.array(RNG.normal(size=(3, 4))),
        f"{name}_bias": mx.nd.array(RNG.normal(size=3)),
        "bn_gamma": mx.nd.array([2, 3, 4]),
        "bn_beta": mx.nd.array(RNG.normal(size=3)),
    }
    states = {"bn_moving_mean": mx.nd.array([1, 2, 3]), "bn_moving_var": mx.nd.array([4, 5, 6])}
    return arguments, states


def outputs_of(symbol, arguments, states, data):
    given = {**arguments, "data": mx.nd.array(data)}
    (label,) = set(symbol.list_arguments()) - given.keys() or {None}
    if label is not None:
        given[label] = mx.nd.zeros((len(data),))
    executor = symbol.bind(mx.cpu(), given, grad_req="null", aux_states=states)
    return executor.forward()[0].asnumpy()


@pytest.fixture
def data():
    return RNG.normal(size=(5, 4)).astype("float32")


@pytest.fixture
def checkpoint(tmp_path):
    prefix = str(tmp_path / "model")
    mx.model.save_checkpoint(prefix, 7, symbol_of(), *arrays_of())
    return prefix


def as_symbol(prefix):
    symbol, arguments, states = mx.model.load_checkpoint(prefix, 7)
    return mx.to_torch(symbol, arguments, aux=states)


def as_saved_dict(prefix):
    arrays = mx.nd.load(f"{prefix}-0007.params")
    return mx.to_torch(mx.sym.load(f"{prefix}-symbol.json"), arrays)


def as_module(prefix):
    module = mx.mod.Module.load(prefix, 7)
    module.bind([("data", (5, 4))], [("softmax_label", (5,))])
    return mx.to_torch(module)


def as_block(prefix):
    files = f"{prefix}-symbol.json", ["data", "softmax_label"], f"{prefix}-0007.params"
    return mx.to_torch(mx.gluon.SymbolBlock.imports(*files))


SOURCES = {
    "Symbol": as_symbol,
    "saved dict": as_saved_dict,
    "prefix": mx.to_torch,
    "prefix, epoch": lambda prefix: mx.to_torch(prefix, epoch=7),
    "file": lambda prefix: mx.to_torch(f"{prefix}-symbol.json"),
    "files": lambda prefix: mx.to_torch(f"{prefix}-symbol.json", f"{prefix}-0007.params"),
    "Module": as_module,
    "SymbolBlock": as_block,
    "Predictor": lambda p: mx.to_torch(mx.Predictor.from_checkpoint(p, 7, {"data": (5, 4)})),
}


@pytest.mark.parametrize("source", SOURCES)
def test_any_form_of_a_model(source, checkpoint, data):
    module = SOURCES[source](checkpoint)
    want = outputs_of(*mx.model.load_checkpoint(checkpoint, 7), data)
    assert isinstance(module, GraphModule)
    assert not module.training
    with torch.no_grad():
        np.testing.assert_allclose(module(torch.from_numpy(data)), want, rtol=1e-6)
        np.testing.assert_allclose(module(data=torch.from_numpy(data)), want, rtol=1e-6)
    assert set(module.state_dict()) == {
        "fc_weight", "fc_bias", "bn_gamma", "bn_beta", "bn_moving_mean", "bn_moving_var",
    }  # fmt: skip
    assert {n for n, _ in module.named_buffers()} == {"bn_moving_mean", "bn_moving_var"}


@pytest.mark.parametrize("hybridized", [True, False])
def test_a_block(hybridized, data):
    net = nn.HybridSequential()
    net.add(nn.Dense(6, activation="relu"), nn.BatchNorm(), nn.Dropout(0.5), nn.Dense(2))
    net.initialize()
    if hybridized:
        net.hybridize()
    want = net(mx.nd.array(data)).asnumpy()
    module = mx.to_torch(net)
    with torch.no_grad():
        np.testing.assert_allclose(module(torch.from_numpy(data)), want, rtol=1e-6, atol=1e-7)


def test_parameters_that_are_not_trained():
    net = nn.HybridSequential()
    net.add(nn.Dense(6, in_units=4), nn.Dense(2, in_units=6))
    net.initialize()
    net[0].collect_params().setattr("grad_req", "null")
    module = mx.to_torch(net)
    trained = [p.requires_grad for p in module.parameters()]
    assert trained == [False, False, True, True]


def test_memory_is_shared_unless_copied(data):
    arguments, states = arrays_of()
    shared = mx.to_torch(symbol_of(), arguments, aux=states)
    copied = mx.to_torch(symbol_of(), arguments, aux=states, copy=True)
    with torch.no_grad():
        shared.fc_weight.fill_(7)
        shared.bn_moving_mean.fill_(8)
    assert (arguments["fc_weight"].asnumpy() == 7).all()
    assert (states["bn_moving_mean"].asnumpy() == 8).all()
    assert not (copied.fc_weight == 7).any()
    arguments["fc_bias"][:] = 9
    assert (shared.fc_bias == 9).all()


def test_an_executor_sees_what_torch_trains(data):
    arguments, states = arrays_of()
    module = mx.to_torch(symbol_of(), arguments, aux=states)
    given = {**arguments, "data": mx.nd.array(data), "softmax_label": mx.nd.zeros(5)}
    executor = symbol_of().bind(mx.cpu(), given, grad_req="null", aux_states=states)
    for step in range(3):  # the second forward folds parameters
        executor.forward()
        with torch.no_grad():
            module.fc_weight.add_(step + 1)
            want = module(torch.from_numpy(data))
            np.testing.assert_allclose(executor.forward()[0].asnumpy(), want, rtol=1e-5, atol=1e-6)


def test_heads_are_kept_or_stripped(data):
    arguments, states = arrays_of()
    kept = mx.to_torch(symbol_of(), arguments, aux=states)
    stripped = mx.to_torch(symbol_of(), arguments, aux=states, heads="strip")
    assert kept.input_names == ("data", "softmax_label")
    assert stripped.input_names == ("data",)
    assert stripped.output_names == ("bn_output",)
    x = torch.from_numpy(data)
    with torch.no_grad():
        torch.testing.assert_close(stripped(x).softmax(1), kept(x))
    symbol, *_ = mx.from_torch(stripped)
    assert symbol.list_outputs() == ["softmax_output"]


def test_names_that_torch_refuses():
    arguments, states = arrays_of("block.0.fc")
    arguments["forward"] = mx.nd.ones(3)
    symbol = mx.sym.broadcast_add(symbol_of("block.0.fc")[0], mx.sym.var("forward"))
    module = mx.to_torch(symbol, arguments, aux=states)
    assert "block_0_fc_weight" in module.state_dict()
    assert module.name_map["block_0_fc_weight"] == "block.0.fc_weight"
    assert module.name_map["forward_1"] == "forward"
    _, found, _ = mx.from_torch(module)
    assert found.keys() == arguments.keys()


def test_names_that_are_no_identifiers():
    symbol = mx.sym.var("class") * mx.sym.var("a b") + mx.sym.var("self") + mx.sym.var("'); x=(")
    module = mx.to_torch(symbol)
    assert module.input_names == ("class", "a b", "self", "'); x=(")
    assert float(module(*map(torch.tensor, (2.0, 3.0, 4.0, 5.0)))) == 15


def test_copies_and_pickles(checkpoint, data):
    module, x = mx.to_torch(checkpoint), torch.from_numpy(data)
    with torch.no_grad():
        want = module(x)
        copied = copy.deepcopy(module)
        module.fc_weight.zero_()
        assert torch.equal(copied(x), want)
        assert torch.equal(pickle.loads(pickle.dumps(copied))(x), want)


def test_other_element_types(checkpoint, data):
    module = mx.to_torch(checkpoint, copy=True)
    with torch.no_grad():
        want = module(torch.from_numpy(data))
        for dtype, tolerance in ((torch.float64, 1e-6), (torch.bfloat16, 5e-2)):
            found = module.to(dtype)(torch.from_numpy(data).to(dtype))
            assert found.dtype is dtype
            torch.testing.assert_close(found.float(), want, rtol=tolerance, atol=tolerance)


def test_training_mode_drops_and_evaluation_does_not():
    module = mx.to_torch(mx.sym.Dropout(mx.sym.var("data"), p=0.5))
    x = torch.ones(1000)
    assert torch.equal(module(x), x)
    dropped = module.train()(x)
    assert set(dropped.tolist()) == {0.0, 2.0}
    torch.manual_seed(1)
    first = module(x)
    torch.manual_seed(1)
    assert torch.equal(module(x), first)


def test_way_back(checkpoint, tmp_path, data):
    module = mx.to_torch(checkpoint, copy=True)
    with torch.no_grad():
        module.fc_bias.fill_(0.5)
        want = module(torch.from_numpy(data))
    prefix = str(tmp_path / "back")
    symbol, arguments, _ = mx.from_torch(module, prefix, 3)
    assert (arguments["fc_bias"].asnumpy() == 0.5).all()
    assert symbol.tojson() == mx.sym.load(f"{checkpoint}-symbol.json").tojson()
    found = outputs_of(*mx.model.load_checkpoint(prefix, 3), data)
    np.testing.assert_allclose(found, want, rtol=1e-6)
    with torch.no_grad():
        module.fc_bias.fill_(1.5)
    assert (arguments["fc_bias"].asnumpy() == 1.5).all()


def test_a_round_trip_changes_no_byte(checkpoint, tmp_path):
    mx.from_torch(mx.to_torch(checkpoint), str(tmp_path / "back"), 7)
    for ending in ("-symbol.json", "-0007.params"):
        with open(f"{checkpoint}{ending}", "rb") as a, open(f"{tmp_path}/back{ending}", "rb") as b:
            assert a.read() == b.read()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_compiled_and_parallel_modules_are_unwrapped(checkpoint):
    module = mx.to_torch(checkpoint)
    assert mx.from_torch(torch.compile(module))[0] is mx.from_torch(module)[0]


REFUSED = [
    (lambda p: mx.to_torch(3), "model=3: must be a Symbol, the prefix of a checkpoint"),
    (lambda p: mx.to_torch(p, heads="drop"), "heads='drop': must be 'keep' or 'strip'"),
    (lambda p: mx.to_torch(p + "x"), "No such file|no file of parameters"),
    (lambda p: mx.to_torch(p, {}), "params: the checkpoint .* has its own"),
    (lambda p: mx.to_torch(symbol_of(), epoch=1), "epoch=1: a Symbol has none"),
    (lambda p: mx.to_torch(symbol_of(), arrays_of()[0]), "bn_moving_mean, bn_moving_var"),
    (lambda p: mx.to_torch(symbol_of(), {"fc_weight": 3}), "params: fc_weight is 3, no array"),
    (lambda p: mx.to_torch(p, shapes={"dat": (1, 4)}), "there is no input 'dat'.*data"),
    (lambda p: mx.to_torch(p, shapes={"data": (1, 5)}), "fc.*weight"),
    (lambda p: mx.from_torch(torch.nn.Linear(2, 3)), "must be a module that to_torch made"),
]


@pytest.mark.parametrize("call, text", REFUSED)
def test_errors(call, text, checkpoint):
    with pytest.raises(MXNetError, match=text):
        call(checkpoint)


def test_the_newest_of_several_epochs_is_taken(checkpoint, caplog):
    mx.model.save_checkpoint(checkpoint, 9, symbol_of(), *arrays_of())
    mx.to_torch(checkpoint)
    assert "epoch 9 is taken, the newest of 2" in caplog.text
