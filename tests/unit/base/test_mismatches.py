# SPDX-License-Identifier: Apache-2.0
"""All differences of named arrays in one error: core/base/mismatches.py and its users."""

from __future__ import annotations

from functools import partial

import pytest

import mxnova as mx
from mxnova import gluon, nd
from mxnova.core.base.errors import ArgumentError, MXNetError
from mxnova.core.base.mismatches import Mismatches
from mxnova.gluon.parameter import parameter_dict


def differences(n):
    told = Mismatches()
    for i in range(n):
        told.add("missing", f"'w{i}'", partial(ArgumentError, f"w{i} is missing"))
    return told


def test_nothing_is_no_error():
    differences(0).check()


def test_one_is_told_as_it_is():
    with pytest.raises(ArgumentError) as caught:
        differences(1).check()
    assert str(caught.value) == "w0 is missing"


def test_several_follow_the_first():
    with pytest.raises(ArgumentError) as caught:
        differences(3).check()
    assert str(caught.value) == "w0 is missing\nIn all:\n  missing: 'w0', 'w1', 'w2'"


def test_lists_are_bounded():
    with pytest.raises(ArgumentError, match="'w19', and 980 more$"):
        differences(1000).check()


def test_only_the_error_that_is_raised_is_made():
    made = []
    told = Mismatches()
    for name in ("a", "b", "c"):
        told.add("missing", name, lambda name=name: made.append(name) or ArgumentError(name))
    with pytest.raises(ArgumentError, match="^a\n"):
        told.check()
    assert made == ["a"]


def test_a_thousand_wrong_names_take_no_time(monkeypatch):
    asked = []
    monkeypatch.setattr(parameter_dict, "candidates", lambda *_: asked.append(1) or "")
    with pytest.raises(MXNetError, match="and 980 more"):
        parameter_dict.ParameterDict().load_dict({f"w{i}": nd.ones(1) for i in range(1000)})
    assert len(asked) == 1


def network():
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Dense(2, in_units=3), gluon.nn.Dense(2, in_units=2))
    net.initialize()
    return net


WRONG = {  # missing: 0.bias, 1.bias; unexpected: 2.weight; unfit: both weights
    "0.weight": nd.ones((5, 3)),
    "1.weight": nd.ones((2, 7)),
    "2.weight": nd.ones(1),
}
ALL = (
    "missing: '0.bias', '1.bias'",
    "unexpected: '2.weight'",
    "'net_dense0_weight' shape incompatible expected (2, 3) vs saved (5, 3)",
    "'net_dense1_weight' shape incompatible expected (2, 2) vs saved (2, 7)",
)


def symbol():
    return mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")


def module():
    made = mx.mod.Module(symbol(), label_names=None)
    made.bind([("data", (1, 3))], for_training=False)
    return made


def load_parameters(path):
    nd.save(path, WRONG)
    network().load_parameters(path)


def load_by_names(path):
    net = network()
    nd.save(path, {f"net_dense{n[0]}_{n[2:]}": a for n, a in WRONG.items()})
    net.collect_params().load(path)


USERS = {
    "load_parameters": (load_parameters, ALL),
    "ParameterDict.load": (
        load_by_names,
        (
            "missing: 'net_dense0_bias', 'net_dense1_bias'",
            "unexpected: 'net_dense2_weight'",
            *ALL[2:],
        ),
    ),
    "set_params": (
        lambda _: module().set_params({"fc_weight": nd.ones((1, 1))}, {}),
        ("missing: 'fc_bias'", "'fc_weight' has shape (1, 1), it has (2, 3)"),
    ),
    "copy_params_from": (
        lambda _: (
            symbol()
            .simple_bind(mx.cpu(), data=(1, 3))
            .copy_params_from({"fc_wieght": nd.ones(1), "fc_bias": nd.ones(1)})
        ),
        (
            "unexpected: 'fc_wieght'",
            "'fc_bias' has shape (2,), not (1,)",
            "did you mean 'fc_weight'",
        ),
    ),
    "bind": (
        lambda _: symbol().bind(mx.cpu(), {"data": nd.ones((1, 3))}),
        ("missing: 'fc_weight', 'fc_bias'",),
    ),
}


@pytest.mark.parametrize("name", USERS)
def test_all_is_told_at_once(name, tmp_path):
    run, parts = USERS[name]
    with pytest.raises(MXNetError) as caught:
        run(str(tmp_path / "saved.params"))
    assert [part for part in parts if part not in str(caught.value)] == []


def test_nothing_is_loaded_where_something_does_not_fit(tmp_path):
    path = str(tmp_path / "saved.params")
    nd.save(path, {**WRONG, "0.bias": nd.ones(2), "1.bias": nd.ones(2)})
    net = network()
    with pytest.raises(MXNetError):
        net.load_parameters(path, ignore_extra=True)
    assert net[0].bias.data().asnumpy().tolist() == [0, 0]


def test_nothing_is_copied_where_something_does_not_fit():
    executor = symbol().simple_bind(mx.cpu(), data=(1, 3))
    with pytest.raises(MXNetError):
        executor.copy_params_from({"fc_bias": nd.ones(2), "other": nd.ones(1)})
    assert executor.arg_dict["fc_bias"].asnumpy().tolist() == [0, 0]
