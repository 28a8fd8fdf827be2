# SPDX-License-Identifier: Apache-2.0
"""The backend that measures: what it keeps, what it believes, and that nothing it reads can harm."""

import functools
import itertools
import json
import os

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.context import Context
from mxnova.core.base.cache_folder import cache_folder
from mxnova.core.exec import backends
from mxnova.core.exec.backends import BY_NAME, auto
from mxnova.core.exec.backends.choices import Choices
from mxnova.core.exec.backends.request import marked, parameters_of, wants
from mxnova.core.exec.program.program import ArrayFacts, Facts, Program
from mxnova.core.graph.node import Node
from mxnova.core.graph.rewrite import rewrite
from mxnova.core.op.schema import Op, OpType, find

from ...fake_gpu import FakeGpu, pretend

SHAPE = (2, 3)


class Halves:
    """A backend that runs ``x + 1`` as ``x + 0.5``, which shows that it was chosen."""

    name = "halves"
    compiled = 0

    def unavailable(self):
        return None

    def precisions(self):
        return ("float32",)

    def supports(self, program):
        return True

    def parameters(self, symbol):
        return parameters_of(symbol, self.name)

    def refusals(self, program, constants):
        return {}

    def compile(self, program, constants):
        self.compiled += 1

        def replace(node, inputs):
            if node.op is None or not wants(node, self.name) or len(inputs) != 1:
                return None
            return Node(find("_plus_scalar").of({"scalar": 0.5}), node.name, {}, inputs)

        return rewrite(program.symbol, replace)


@pytest.fixture
def halves(monkeypatch, tmp_path):
    made = Halves()
    monkeypatch.setitem(BY_NAME, "halves", made)
    monkeypatch.setenv("MXNOVA_AUTO_BACKENDS", "halves")
    monkeypatch.setenv("MXNOVA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(auto, "_MIN_OPERATORS", 0)
    monkeypatch.setattr(auto, "is_busy", lambda: False)
    monkeypatch.setattr(auto, "waited", lambda: 0.0)
    monkeypatch.setattr(BY_NAME["auto"], "_found", Forgetful())
    return made


class Forgetful(dict):
    """As in a process of its own, each time."""

    def get(self, key):
        return None


@pytest.fixture
def faster(monkeypatch):
    """Says which is the fastest, instead of a clock."""

    def choose(name):
        def measured(runners):
            for run in runners.values():
                run()
            return {n: 1.0 + (n != name) for n in runners}

        monkeypatch.setattr(auto, "measured", measured)

    return choose


def answer(backend="auto", symbol=None):
    symbol = mx.sym.var("x") + 1 if symbol is None else symbol
    predictor = mx.Predictor(symbol, {}, {"x": SHAPE}, backend=backend)
    return predictor.predict(x=np.zeros(SHAPE))[0][0, 0]


def files():
    return sorted((cache_folder() / "backends").glob("*"))


def test_the_fastest_is_chosen_and_kept(halves, faster):
    faster("halves")
    assert answer() == 0.5
    (file,) = files()
    assert json.loads(file.read_text())["backend"] == "halves"
    faster("aten")
    assert answer() == 0.5  # as kept
    file.unlink()
    assert answer() == 1


def test_another_graph_or_shape_is_measured_for_itself(halves, faster):
    faster("halves")
    answer()
    answer(symbol=mx.sym.var("x", lr_mult=2) + 1)
    assert len(files()) == 1  # names and users' attributes are no part of it
    answer(symbol=mx.sym.var("x") + 2)
    mx.Predictor(mx.sym.var("x") + 1, {}, {"x": (5,)}, backend="auto")
    assert len(files()) == 3


HOSTILE = {
    "nothing": b"",
    "no JSON": b"\x80\x04{",
    "no object": b"[1, 2]",
    "another version": b'{"version": 99, "backend": "halves"}',
    "no name": b'{"version": 2, "backend": ["halves"]}',
    "large": b" " * 100_000,
    "deep": b"[" * 3000,
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_what_cannot_be_read_is_measured_again(halves, faster, content):
    faster("halves")
    answer()
    (file,) = files()
    file.write_bytes(content)
    assert answer() == 0.5
    assert json.loads(file.read_text())["backend"] == "halves"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_in_a_files_place_keeps_nobody_waiting(halves, faster):
    faster("halves")
    answer()
    (file,) = files()
    file.unlink()
    os.mkfifo(file)
    assert answer() == 0.5


def test_who_does_not_compute_in_a_precision_is_no_candidate(halves):
    facts = Facts({"x": ArrayFacts(SHAPE, torch.float32)}, Context("cpu", 0))

    def has_choice(precision):
        symbol = marked(mx.sym.var("x") + 1, "auto", precision)
        return BY_NAME["auto"].supports(Program(symbol, facts))

    assert has_choice("float32")
    assert not has_choice("bfloat16")


def test_a_name_that_is_no_candidate_is_not_believed(halves, faster):
    faster("halves")
    answer()
    (file,) = files()
    entry = json.loads(file.read_text())
    for name in ("inductor", "no such backend", "../../x"):
        file.write_text(json.dumps({**entry, "backend": name}))
        assert answer() == 0.5
    file.write_text(json.dumps({**entry, "key": "of another"}))
    assert Choices().find(entry["key"]) == ""


def test_a_folder_that_cannot_be_written_is_no_error(halves, faster, monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("MXNOVA_CACHE", str(blocked))
    faster("halves")
    assert answer() == 0.5
    assert blocked.read_text() == ""


class Fails(Op):
    """What a backend's runtime may do."""

    def forward(self, data):
        raise RuntimeError("no such kernel")


Fails.type = OpType(["_Fails"], Fails, Fails.forward)


def test_a_candidate_that_fails_is_none(halves, faster, monkeypatch, caplog):
    faster("halves")

    failing = Node(Fails(), "f", {}, mx.sym.var("x").entries)
    monkeypatch.setattr(
        halves,
        "compile",
        lambda program, constants: rewrite(
            program.symbol, lambda node, inputs: node.op and failing.copy(inputs)
        ),
    )
    assert answer() == 1
    assert "halves cannot run a graph" in caplog.text


def test_what_refuses_the_values_to_measure_with_is_not_measured(halves, faster):
    faster("halves")
    rows = mx.sym.take(mx.sym.var("w"), mx.sym.var("i"), mode="raise") + 1
    given = {"arg:w": mx.nd.zeros((1, 3))}
    predictor = mx.Predictor(rows, given, {"i": (2,)}, backend="auto")
    assert predictor.predict(i=np.zeros(2))[0][0, 0] == 1  # as aten does it
    assert files() == []


@pytest.mark.parametrize(("layers", "n_compiled"), [(4, 0), (5, 1)])
def test_auto_tiny_graph_is_not_measured(halves, faster, monkeypatch, layers, n_compiled):
    monkeypatch.setattr(auto, "_MIN_OPERATORS", 5)
    faster("halves")
    symbol = mx.sym.var("x") + 1
    for _ in range(layers - 1):
        symbol = mx.sym.relu(symbol)
    answer(symbol=symbol)
    assert halves.compiled == n_compiled


def test_measuring_is_done_with_numbers_of_both_signs(halves, monkeypatch):
    """Also where an executor's parameters are still 0; integers are ones."""
    seen = []

    def measured(runners):
        return dict.fromkeys(runners, 1.0)

    def runner(program, symbol, inputs):
        seen.append(dict(zip(program.facts.inputs, inputs, strict=True)))
        return lambda: None

    monkeypatch.setattr(auto, "measured", measured)
    monkeypatch.setattr(auto, "_runner", runner)
    x = mx.sym.FullyConnected(mx.sym.var("x"), mx.sym.var("w"), mx.sym.var("b"), num_hidden=50)
    symbol = marked(mx.sym.broadcast_add(x, mx.sym.Cast(mx.sym.var("i"), dtype="float32")), "auto")
    types = {"i": "int32"}
    symbol.simple_bind(mx.cpu(), x=(9, 40), i=(9, 50), type_dict=types, grad_req="null").optimize()
    for name in "xw":
        assert all({-1.0, 1.0} <= {*found[name].sign().flatten().tolist()} for found in seen)
    assert all((found["i"] == 1).all() for found in seen)


def test_nothing_is_made_to_measure_with_where_the_choice_is_known(halves, faster, monkeypatch):
    faster("halves")
    symbol = marked(mx.sym.var("x") + 1, "auto")
    symbol.simple_bind(mx.cpu(), x=SHAPE, grad_req="null")
    assert len(files()) == 1
    monkeypatch.setattr(auto, "_initialized", None)
    monkeypatch.setattr(auto, "_inputs", None)
    symbol.simple_bind(mx.cpu(), x=SHAPE, grad_req="null")


def test_measuring_draws_nothing_from_random_streams(halves, faster):
    faster("aten")
    symbol = mx.sym.Dropout(mx.sym.var("x") + 1, mode="always", p=0.5)
    found = []
    for backend in ("aten", "auto"):
        mx.random.seed(3)
        predictor = mx.Predictor(symbol, {}, {"x": (8, 8)}, backend=backend)
        found.append(predictor.predict(x=np.ones((8, 8)))[0])
    assert np.array_equal(*found)


def test_measuring_writes_to_no_weights(halves, faster):
    faster("aten")
    weight, gradient = mx.sym.var("weight"), mx.sym.var("grad")
    symbol = mx.sym.sgd_update(weight, gradient + 1, lr=1.0).optimize_for("auto")
    arrays = {"weight": mx.nd.zeros(SHAPE), "grad": mx.nd.zeros(SHAPE)}
    executor = symbol.bind(mx.cpu(), arrays, grad_req="null")
    executor.optimize()
    assert not arrays["weight"].asnumpy().any()


def test_a_turn_has_several_runs_so_that_threads_of_the_runtime_before_rest():
    order = []
    seconds = auto.measured({name: functools.partial(order.append, name) for name in "ab"})
    assert set(order) == set("ab") == set(seconds)
    changes = sum(one != other for one, other in itertools.pairwise(order))
    assert changes < len(order) / 10


def test_the_clock_decides():
    slow = auto.measured({"one": lambda: sum(range(20_000)), "other": lambda: None})
    assert slow["other"] < slow["one"]


def test_marks_ask_for_it_in_executors(halves, faster):
    faster("halves")
    executor = marked(mx.sym.var("x") + 1, "auto").simple_bind(mx.cpu(), x=SHAPE, grad_req="null")
    assert executor.forward()[0].asnumpy()[0, 0] == 0.5
    assert halves.compiled == 2  # to be measured, when it was bound, and to run


# When it measures ---------------------------------------------------------------------------------


@pytest.fixture
def measurements(halves, monkeypatch):
    """How often candidates have been measured; `halves` is the fastest, and remembered."""
    counts = []

    def measured(runners):
        counts.append(len(runners))
        return {n: 1.0 + (n != "halves") for n in runners}

    monkeypatch.setattr(auto, "measured", measured)
    monkeypatch.setattr(BY_NAME["auto"], "_found", {})
    return counts


def layer():
    return mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=2, name="fc") + 1


def test_a_predictor_measures_when_it_is_made(measurements):
    given = {"arg:fc_weight": mx.nd.ones((2, 3)), "arg:fc_bias": mx.nd.zeros(2)}
    predictor = mx.Predictor(layer(), given, {"x": SHAPE}, backend="auto")
    assert measurements == [2]
    for _ in range(3):
        assert predictor.predict(x=np.zeros(SHAPE))[0][0, 0] == 0.5
    assert measurements == [2]


def asked_in_graph(monkeypatch):
    return layer().optimize_for("auto")


def asked_in_environment(monkeypatch):
    monkeypatch.setenv("MXNET_SUBGRAPH_BACKEND", "auto")
    return layer()


@pytest.mark.parametrize("asked", [asked_in_graph, asked_in_environment])
@pytest.mark.parametrize("grad_req", ["null", "write"])
def test_executors_measure_when_they_are_bound(asked, grad_req, measurements, monkeypatch):
    executor = asked(monkeypatch).simple_bind(mx.cpu(), x=SHAPE, grad_req=grad_req)
    assert measurements == [2]
    for _ in range(3):
        assert executor.forward()[0].asnumpy()[0, 0] == (0.5 if _ else 1)  # plain, then rewritten
    executor.forward(is_train=True)
    executor.arg_dict["fc_weight"][:] = 1
    for _ in range(3):
        executor.forward()
    assert measurements == [2]
    executor.reshape(x=(1, 3)).forward()
    assert measurements == [2, 2]


def test_executors_that_do_not_ask_measure_nothing(measurements):
    executor = layer().simple_bind(mx.cpu(), x=SHAPE)
    for _ in range(3):
        executor.forward()
    assert measurements == []


def test_blocks_measure_in_their_first_call_outside_training(measurements):
    net = mx.gluon.nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize(backend="auto")
    x = mx.nd.ones(SHAPE)
    with mx.autograd.record():
        net(x)
    assert measurements == []  # training passes are as they are
    net(x)
    assert measurements == [2]
    for _ in range(3):
        net(x)
    assert measurements == [2]


@pytest.mark.parametrize("sign", ["is_busy", "waited"])
def test_what_a_busy_machine_shows_is_not_kept(halves, faster, monkeypatch, sign):
    seconds = itertools.count(step=60)
    signs = {"is_busy": lambda: True, "waited": lambda: next(seconds)}
    monkeypatch.setattr(auto, sign, signs[sign])
    monkeypatch.setattr(BY_NAME["auto"], "_found", {})
    faster("halves")
    assert answer() == 0.5
    assert files() == []
    faster("aten")
    assert answer() == 0.5  # this process remembers


def test_without_candidates_nothing_is_measured(monkeypatch, tmp_path):
    monkeypatch.setenv("MXNOVA_AUTO_BACKENDS", "")
    monkeypatch.setenv("MXNOVA_CACHE", str(tmp_path))
    assert answer() == 1
    assert files() == []


def test_on_a_gpu_the_candidates_run_there(halves, faster, monkeypatch):
    pretend(monkeypatch)
    waits = []
    monkeypatch.setattr(torch.cuda, "synchronize", waits.append)
    faster("halves")
    with FakeGpu():
        symbol = (mx.sym.var("x") + 1).optimize_for("auto")
        executor = symbol.simple_bind(mx.gpu(0), x=SHAPE, grad_req="null")
        assert len(waits) == 4  # two runs of each are over before the clock is looked at
        found = executor.forward(x=mx.nd.zeros(SHAPE, ctx=mx.gpu(0)))[0].asnumpy()
    assert (found == 0.5).all()


def test_predictors_measure_where_there_may_be_something_faster(monkeypatch):
    pretend(monkeypatch)
    monkeypatch.setenv("MXNOVA_AUTO_BACKENDS", "cudagraph")
    assert backends.is_worth_measuring(mx.gpu(0))
    assert not backends.is_worth_measuring(mx.cpu())
    monkeypatch.setenv("MXNOVA_AUTO_BACKENDS", "")
    assert not backends.is_worth_measuring(mx.gpu(0))
