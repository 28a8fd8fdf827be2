# SPDX-License-Identifier: Apache-2.0
"""Updaters: states by index, lists of weights, states as bytes."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
import mxnova.contrib.svrg_optimization  # registers optimizers
from mxnova.core.base.errors import FormatError

FOLDER = Path(__file__).parents[2] / "data" / "optimizer"


def arrays(n, dtype="float32", seed=0):
    random = np.random.RandomState(seed)
    return [mx.nd.array(random.randn(3, 2), dtype=dtype) for _ in range(n)]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("sgd", {"momentum": 0.9}),
        ("sgd", {}),
        ("adam", {"wd": 0.1}),
        ("adam", {"wd": 0.1, "clip_gradient": 0.2}),
        ("lamb", {}),
        ("lars", {"momentum": 0.9, "momentum_correction": False}),
        ("nag", {"momentum": 0.9}),
        ("nag", {"momentum": 0.9, "wd": 0.1, "clip_gradient": 0.5, "rescale_grad": 2.0}),
        ("nag", {}),
        ("signum", {"wd": 0.1, "wd_lh": 0.2}),
        ("signum", {"momentum": 0.0}),
        ("rmsprop", {"wd": 0.1, "clip_gradient": 0.5}),
        ("rmsprop", {"clip_weights": 0.7}),
        ("rmsprop", {"centered": True, "wd": 0.1}),
        ("ftrl", {"wd": 0.1, "clip_gradient": 0.5}),
        ("ftrl", {"lamda1": 0.5}),
    ],
)
def test_lists_are_one_weight_after_another(name, arguments):
    together, apart = (
        mx.optimizer.get_updater(mx.optimizer.create(name, **arguments)) for _ in "ab"
    )
    weights, others = ([*arrays(3), *arrays(2, "float64")] for _ in "ab")
    for step in range(3):
        grads = [*arrays(3, seed=step + 1), *arrays(2, "float64", seed=step + 1)]
        together(list(range(5)), grads, weights)
        for i, grad in enumerate(grads):
            apart(i, grad, others[i])
    for weight, other in zip(weights, others):
        np.testing.assert_allclose(weight.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6)


def test_lists_may_be_empty():
    updater = mx.optimizer.get_updater(mx.optimizer.SGD())
    updater([], [], [])
    assert updater.states == {}


class Counting(mx.optimizer.SGD):
    """Says how many weights its updates got."""

    def update_multi_precision(self, index, weight, grad, state):
        self.sizes = [*getattr(self, "sizes", []), len(index)]
        super().update_multi_precision(index, weight, grad, state)


_ROWS = ("row_sparse", "row_sparse")  # weight and gradient


@pytest.mark.parametrize(
    ("name", "options", "stypes", "expected"),
    [
        ("sgd", {"momentum": 0.9}, _ROWS, [4]),
        ("sgd", {"wd": 0.1}, _ROWS, [4]),
        ("adam", {"wd": 0.1, "clip_gradient": 0.5}, _ROWS, [4]),
        ("adam", {}, ("default", "row_sparse"), [4]),
        ("sgd", {"momentum": 0.9, "multi_precision": True}, ("default", "row_sparse"), [2, 2]),
        ("adam", {"multi_precision": True}, ("default", "row_sparse"), [2, 2]),
        ("sgd", {}, ("default", "csr"), [2, 2]),
        ("adam", {}, ("default", "csr"), [2, 2]),
        ("sgd", {"momentum": 0.9, "lazy_update": False}, _ROWS, [2, 2]),
        ("nag", {"momentum": 0.9}, _ROWS, [2, 2]),
        ("lars", {"momentum": 0.9}, _ROWS, [2, 2]),
    ],
)
def test_dense_weights_are_updated_together_whatever_else_is_in_a_list(
    name, options, stypes, expected, monkeypatch
):
    """Weights with gradients of rows keep the rows that have none."""
    made = mx.optimizer.create(name, **options)
    together = mx.optimizer.get_updater(made)
    apart = mx.optimizer.get_updater(mx.optimizer.create(name, **options))
    sizes, update = [], made.update_multi_precision

    def counted(index, *rest):
        sizes.extend([len(index)] if isinstance(index, (list, tuple)) else [])
        update(index, *rest)

    monkeypatch.setattr(made, "update_multi_precision", counted)
    dtype = "float16" if made.multi_precision else "float32"
    weights, others = (arrays(4, dtype) for _ in "ab")
    for every in (weights, others):
        every[1], every[3] = (every[i].tostype(stypes[0]) for i in (1, 3))
    for step in range(3):
        grads = arrays(4, dtype, seed=step + 1)
        for i in (1, 3):
            grads[i][:2] = 0
            grads[i] = grads[i].tostype(stypes[1])
        together(list(range(4)), grads, weights)
        for i, grad in enumerate(grads):
            apart(i, grad, others[i])
    assert sizes == expected * 3
    for weight, other in zip(weights, others):
        np.testing.assert_allclose(weight.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("size", "sizes"), [(None, [4, 1]), (2, [2, 2, 1])])
def test_subclasses_get_as_many_weights_as_they_say(size, sizes, monkeypatch):
    if size is not None:
        monkeypatch.setenv("MXNET_OPTIMIZER_AGGREGATION_SIZE", str(size))
    made = Counting()
    mx.optimizer.get_updater(made)(list(range(5)), arrays(5), arrays(5))
    assert made.sizes == sizes


def test_one_weight_at_a_time_where_the_environment_says_so(monkeypatch):
    monkeypatch.setenv("MXNET_OPTIMIZER_AGGREGATION_SIZE", "0")
    for name in ("sgd", "adam", "nag", "signum", "rmsprop", "ftrl"):
        assert not mx.optimizer.get_updater(mx.optimizer.create(name)).aggregate_updates


def test_subclasses_of_adam_get_single_weights():
    class Single(mx.optimizer.Adam):
        def update(self, index, weight, grad, state):
            assert isinstance(weight, mx.nd.NDArray)
            super().update(index, weight, grad, state)

    updater = mx.optimizer.get_updater(Single())
    updater([0, 1], arrays(2), arrays(2))
    assert sorted(updater.states) == [0, 1]


@pytest.mark.parametrize("name", ["Adam", "RMSProp", "NAG", "Signum", "Ftrl", "LAMB"])
@pytest.mark.parametrize("asked", ["_get_lr", "_get_wd"])
def test_rates_of_a_subclass_are_asked_for_each_weight(name, asked):
    base = getattr(mx.optimizer, name)

    def rate(self, index):
        return 0.25 * (index + 1)

    updater = mx.optimizer.get_updater(type("Rated", (base,), {asked: rate})())
    weights, wanted = arrays(2), arrays(2)
    updater([0, 1], arrays(2, seed=1), weights)
    factor = {"_get_lr": "learning_rate", "_get_wd": "wd"}[asked]
    for index, grad in enumerate(arrays(2, seed=1)):
        alone = mx.optimizer.get_updater(base(**{factor: rate(None, index)}))
        alone(0, grad, wanted[index])
        np.testing.assert_allclose(weights[index].asnumpy(), wanted[index].asnumpy(), rtol=1e-6)


def test_a_subclass_that_counts_by_itself_counts_single_weights():
    class Counted(mx.optimizer.Adam):
        counted = ()

        def _update_count(self, index):
            self.counted += (index,)
            super()._update_count(index)

    made = Counted()
    mx.optimizer.get_updater(made)([3, 5], arrays(2), arrays(2))
    assert made.counted == (3, 5)


# States -------------------------------------------------------------------------------------------


def trained(steps=1, optimizer=None):
    made = optimizer or mx.optimizer.Adam(
        learning_rate=0.1,
        lr_scheduler=mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.1),
        param_idx2name={0: "a_weight", 1: "b_bias"},
        multi_precision=True,
    )
    updater = mx.optimizer.get_updater(made)
    weights = [arrays(1)[0], arrays(1, "float16")[0]]
    grads = [arrays(1, seed=1)[0], arrays(1, "float16", seed=1)[0]]
    train(updater, weights, grads, steps)
    return updater, weights, grads


def train(updater, weights, grads, steps):
    for _ in range(steps):
        for i, grad in enumerate(grads):
            updater(i, grad, weights[i])


@pytest.mark.parametrize("dumped", [True, False])
def test_states_resume(dumped):
    updater, weights, grads = trained()
    other = mx.optimizer.get_updater(mx.optimizer.Test() if dumped else updater.optimizer)
    content = updater.get_states(dump_optimizer=dumped)
    other.set_states(content)
    resumed = [w.copy() for w in weights]
    if dumped:
        assert type(other.optimizer) is mx.optimizer.Adam
        counts = other.optimizer._all_index_update_counts
        assert counts == {0: {0: 1, 1: 1}}
        assert other.optimizer._index_update_count is counts[0]
        train(updater, weights, grads, 3)
        train(other, resumed, grads, 3)
        for weight, again in zip(weights, resumed):
            np.testing.assert_array_equal(weight.asnumpy(), again.asnumpy())
    mean = updater.states[1][1][0] if not dumped else other.states[1][1][0]
    assert mean.dtype == np.float32
    assert other.states_synced.keys() == {0, 1}


def test_states_of_mxnet_resume():
    """`mxnet.states` and `mxnet.npz` were written by scripts/record/optimizers.py."""
    updater, weights, grads = trained(steps=0)
    updater.set_states((FOLDER / "mxnet.states").read_bytes())
    with np.load(FOLDER / "mxnet.npz") as file:
        for weight, name in zip(weights, ("before0", "before1")):
            weight[:] = mx.nd.array(file[name], dtype=weight.dtype)
        assert updater.optimizer.lr_scheduler.factor == 0.5
        assert updater.optimizer.num_update == 2
        train(updater, weights, grads, 3)
        np.testing.assert_allclose(weights[0].asnumpy(), file["after0"], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(weights[1].asnumpy(), file["after1"], rtol=2e-3)


class Stepwise(mx.lr_scheduler.LRScheduler):
    def __init__(self, parts):
        super().__init__()
        self.parts = parts

    def __call__(self, num_update):
        return self.parts[-1].base_lr


class Own(mx.optimizer.SGD):
    pass


def test_classes_of_the_program_are_found():
    scheduler = Stepwise([mx.lr_scheduler.PolyScheduler(3, 0.5)])
    made = Own(lr_scheduler=scheduler, momentum=0.5, multi_precision=True)
    updater, _, _ = trained(optimizer=made)
    other = mx.optimizer.get_updater(mx.optimizer.Test())
    other.set_states(updater.get_states(dump_optimizer=True))
    assert type(other.optimizer) is Own
    assert type(other.optimizer.lr_scheduler) is Stepwise
    assert other.optimizer.lr_scheduler.parts[0].max_update == 3


class Evil:
    def __reduce__(self):
        return print, ("run by a pickle",)


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps(({}, Evil())),
        pickle.dumps(({}, np.ones(2))),
        pickle.dumps([1]),
        b"",
        pickle.dumps(({}, Own()))[:-30],
    ],
)
def test_bytes_that_are_no_states(content, capsys):
    updater, _, _ = trained()
    before = dict(updater.states)
    with pytest.raises(FormatError):
        updater.set_states(content)
    assert capsys.readouterr().out == ""
    assert updater.states == before


def test_classes_that_nobody_imported():
    content = pickle.dumps(({}, Own()), protocol=2).replace(b"Own", b"Owm")
    with pytest.raises(FormatError, match=r"test_updater\.Owm, which is no optimizer"):
        trained()[0].set_states(content)


def test_attributes_that_are_no_data():
    made = mx.optimizer.SGD(multi_precision=True)
    made.callback = print
    with pytest.raises(TypeError, match="print"):
        trained(optimizer=made)[0].get_states(dump_optimizer=True)


@pytest.mark.parametrize("dumped", [True, False])
def test_set_states_continues_counts_on_another_device(dumped):
    updater = mx.optimizer.get_updater(mx.optimizer.Adam())
    weight, grad = arrays(1)[0], arrays(1, seed=1)[0]
    train(updater, [weight], [grad], 3)
    again = mx.optimizer.get_updater(mx.optimizer.Adam())
    again.set_states(updater.get_states(dump_optimizer=dumped))
    moved = weight.as_in_context(mx.cpu(1))
    train(updater, [weight], [grad], 2)
    train(again, [moved], [grad.as_in_context(mx.cpu(1))], 2)
    np.testing.assert_array_equal(moved.asnumpy(), weight.asnumpy())


def test_states_move_to_the_weights_device():
    updater, _, _ = trained(optimizer=mx.optimizer.SGD(momentum=0.9, multi_precision=True))
    moved = updater.sync_state_context((updater.states[0], [None, updater.states[0]]), mx.cpu(1))
    assert moved[0].context == mx.cpu(1)
    assert moved[1][1].context == mx.cpu(1)


def test_what_states_do_not_tell_of_an_optimizer_is_its_default():
    updater = mx.optimizer.get_updater(mx.optimizer.create("adam", beta1=0.5))
    del updater.optimizer.epsilon
    again = mx.optimizer.get_updater(mx.optimizer.create("sgd"))
    again.set_states(updater.get_states(dump_optimizer=True))
    assert (again.optimizer.beta1, again.optimizer.epsilon) == (0.5, 1e-8)


REGISTERED = mx.optimizer.Optimizer.opt_registry
OWN = sorted(n for n, cls in REGISTERED.items() if cls.__module__.startswith("mxnova"))
MADE_OF = {"_svrgoptimizer": {"default_optimizer": "adam"}}


@pytest.mark.parametrize("name", OWN)
def test_every_optimizer_is_read_again(name):
    updater = mx.optimizer.get_updater(mx.optimizer.create(name, **MADE_OF.get(name, {})))
    again = mx.optimizer.get_updater(mx.optimizer.create("sgd"))
    again.set_states(updater.get_states(dump_optimizer=True))
    assert type(again.optimizer) is REGISTERED[name]
    assert vars(again.optimizer).keys() == vars(updater.optimizer).keys()
