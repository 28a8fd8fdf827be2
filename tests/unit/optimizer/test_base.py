# SPDX-License-Identifier: Apache-2.0
"""What every optimizer has: the registry, rates of weights, counts."""

import copy
import pickle

import numpy as np
import pytest

import mxnova as mx

NAMES = [
    "adabelief",
    "adadelta",
    "adagrad",
    "adam",
    "adamw",
    "adamax",
    "ccsgd",
    "dcasgd",
    "ftml",
    "ftrl",
    "groupadagrad",
    "lamb",
    "lans",
    "lars",
    "lbsgd",
    "nadam",
    "nag",
    "rmsprop",
    "sgd",
    "sgld",
    "signum",
    "test",
]


@pytest.fixture
def registry(monkeypatch):
    """The registry, put back afterwards."""
    kept = dict(mx.optimizer.Optimizer.opt_registry)
    yield mx.optimizer.Optimizer.opt_registry
    mx.optimizer.Optimizer.opt_registry.clear()
    mx.optimizer.Optimizer.opt_registry.update(kept)


@pytest.mark.parametrize("name", NAMES)
def test_create(name):
    made = mx.optimizer.create(name.upper(), wd=0.5, rescale_grad=0.25, use_fused_step=False)
    assert type(made).__name__.lower() == name
    assert (made.wd, made.rescale_grad, made.num_update) == (0.5, 0.25, 0)


def test_names_that_are_unknown():
    with pytest.raises(ValueError, match="did you mean 'adam'"):
        mx.optimizer.create("adan")
    with pytest.raises(TypeError, match="name=3"):
        mx.optimizer.create(3)
    with pytest.raises(TypeError, match="klass=3"):
        mx.optimizer.register(3)


def test_register(registry):
    @mx.optimizer.register
    class Mine(mx.optimizer.SGD):
        pass

    assert registry["mine"] is Mine
    assert isinstance(mx.optimizer.create("MINE", momentum=0.5), Mine)
    with pytest.warns(UserWarning, match="'mine' was"):
        mx.optimizer.register(type("Mine", (mx.optimizer.Adam,), {}))


def test_multipliers_of_names():
    names = {0: "a_weight", 1: "a_bias", 2: "bn_gamma", 3: "bn_beta", 4: "x"}
    made = mx.optimizer.SGD(param_idx2name=names, wd=0.1, learning_rate=1.0)
    assert made._get_wds([0, 1, 2, 3, 4, 5]) == [0.1, 0, 0.1, 0, 0, 0.1]
    made.set_lr_mult({"a_weight": 2.0, 1: 3.0})
    made.set_wd_mult({"a_bias": 4.0, 2: 5.0})
    assert made._get_lrs([0, 1, 2]) == [2.0, 3.0, 1.0]
    assert made._get_wds([0, 1, 2]) == [0.1, 0.4, 0.5]
    assert (made._get_lr(0), made._get_wd(1)) == (2.0, 0.4)
    lars = mx.optimizer.LARS(param_idx2name=names, wd=0.1)
    assert lars._get_wds([0, 1, 2, 3, 4]) == [0.1, 0, 0, 0, 0]


def test_multipliers_of_symbols():
    weight = mx.sym.Variable("a_weight", lr_mult=2, wd_mult=3)
    bias = mx.sym.Variable("b_bias", attr={"__lr_mult__": "0.5"}, wd_mult=0.25)
    symbol = mx.sym.FullyConnected(weight * bias, name="fc", num_hidden=3)
    names = dict(enumerate(["a_weight", "b_bias", "fc_weight", "fc_bias"]))
    made = mx.optimizer.SGD(sym=symbol, param_idx2name=names, wd=1.0, learning_rate=1.0)
    assert made.lr_mult == {"a_weight": 2.0, "b_bias": 0.5}
    assert made.wd_mult == {"a_weight": 3.0, "b_bias": 0.25, "fc_bias": 0.0}
    made.set_wd_mult({"fc_weight": 9.0})
    assert made._get_wds([0, 1, 2, 3]) == [3.0, 0.25, 9.0, 0.0]


def test_multipliers_of_parameters():
    class Parameter:
        lr_mult, wd_mult = 3.0, 0.5

    made = mx.optimizer.SGD(param_dict={0: Parameter()}, wd=0.1, learning_rate=1.0)
    made.set_lr_mult({0: 7.0, 1: 2.0})
    assert made._get_lrs([0, 1, 2]) == [3.0, 2.0, 1.0]
    assert made._get_wds([0, 1]) == [0.05, 0.1]


def test_counts_by_device():
    made = mx.optimizer.SGD(begin_num_update=5)
    made._update_count([0, 1])
    made._update_count(1)
    assert (made.num_update, made._index_update_count) == (7, {0: 6, 1: 7})
    made._set_current_context(1)
    made._update_count(1)
    assert made._all_index_update_counts == {0: {0: 6, 1: 7}, 1: {1: 6}}
    assert made.num_update == 7


def test_learning_rate():
    assert mx.optimizer.SGD().learning_rate == 0.01
    assert mx.optimizer.SGD(learning_rate=0).learning_rate == 0
    made = mx.optimizer.SGD(learning_rate=0.5)
    made.set_learning_rate(0.2)
    assert made.learning_rate == 0.2
    with pytest.raises(DeprecationWarning, match="set_lr_mult"):
        made.set_lr_scale({})


def test_scheduler(caplog):
    scheduler = mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.3)
    made = mx.optimizer.SGD(lr_scheduler=scheduler)
    assert (made.lr, made.learning_rate) == (None, 0.3)
    made._update_count([0] * 3)
    assert made._get_lrs([0]) == [0.15]
    with pytest.raises(UserWarning, match="lr_scheduler"):
        made.set_learning_rate(1.0)
    mx.optimizer.SGD(learning_rate=0.2, lr_scheduler=scheduler)
    assert scheduler.base_lr == 0.2
    assert "replaces the scheduler's base_lr" in caplog.text


def test_ftrl_leaves_the_rate_to_its_scheduler():
    scheduler = mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.3)
    made = mx.optimizer.Ftrl(learning_rate=0.2, lr_scheduler=scheduler)
    assert (made.lr, made.learning_rate, scheduler.base_lr) == (0.2, 0.3, 0.3)
    assert mx.optimizer.Ftrl().learning_rate == 0.1


def test_adadelta_has_no_rate_to_ask_its_scheduler_for():
    made = mx.optimizer.AdaDelta(lr_scheduler=lambda num_update: pytest.fail("asked"))
    update = mx.optimizer.get_updater(made)
    update(0, mx.nd.ones(2), mx.nd.ones(2))
    assert made.num_update == 1


@pytest.mark.parametrize(
    ("make", "error", "named"),
    [
        (lambda: mx.optimizer.SGD(param_idx2name=[1]), TypeError, r"param_idx2name=\[1\]"),
        (lambda: mx.optimizer.SGD(foo=1), TypeError, "foo"),
        (lambda: mx.optimizer.Optimizer().update(0, 0, 0, 0), NotImplementedError, "update"),
        (
            lambda: mx.optimizer.create("groupadagrad").create_state(3, mx.nd.ones(2)),
            ValueError,
            "weight 3",
        ),
    ],
)
def test_refused(make, error, named):
    with pytest.raises(error, match=named):
        make()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))])
def test_copies_leave_parameters_out(copied):
    made = mx.optimizer.Adam(beta1=0.5, param_dict={0: "a Parameter"})
    made._update_count(0)
    other = copied(made)
    assert (other.param_dict, other.beta1, other.num_update) == ({}, 0.5, 1)
    assert other._index_update_count is other._all_index_update_counts[0]
    assert made.param_dict == {0: "a Parameter"}


def test_float16_without_copies_is_warned_of():
    with pytest.warns(UserWarning, match="multi_precision=True"):
        mx.optimizer.SGD().create_state_multi_precision(0, mx.nd.ones(2, dtype="float16"))


def test_sgld_adds_noise_of_the_learning_rate():
    mx.random.seed(5)
    weight = mx.nd.zeros((100, 100))
    made = mx.optimizer.SGLD(learning_rate=0.04, wd=0.5)
    made.update(0, weight, mx.nd.ones((100, 100)), None)
    values = weight.asnumpy()
    assert values.mean() == pytest.approx(-0.02, abs=0.01)
    assert values.std() == pytest.approx(0.2, rel=0.03)
    assert np.unique(values).size > 9000


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("ftrl", "sgld")])
def test_weights_without_gradients_stay_finite(name):
    weight = mx.nd.array([[1.0, -2.0], [0.0, 3.0]])
    updater = mx.optimizer.get_updater(mx.optimizer.create(name))
    for _ in range(2):
        updater(0, mx.nd.zeros((2, 2)), weight)
    np.testing.assert_array_equal(weight.asnumpy(), [[1.0, -2.0], [0.0, 3.0]])
