# SPDX-License-Identifier: Apache-2.0
"""Optimizers and schedulers in files have the attributes that their constructors allow."""

from __future__ import annotations

import pickle

import pytest

import mxnova as mx
from mxnova.core.base.errors import FormatError
from mxnova.formats import states
from mxnova.lr_scheduler import CosineScheduler, FactorScheduler, MultiFactorScheduler
from mxnova.optimizer import Updater
from mxnova.optimizer.states import dumps_updater

SCHEDULERS = {
    "factor": lambda: FactorScheduler(2, 0.5),
    "several": lambda: MultiFactorScheduler([2, 4]),
    "cosine": lambda: CosineScheduler(10),
}


def _with(scheduler, change):
    """States of SGD, after `change` of the records of optimizer and scheduler."""
    optimizer = mx.optimizer.SGD(momentum=0.9, lr_scheduler=SCHEDULERS[scheduler]())
    file = states.read_states(dumps_updater({0: mx.nd.ones((2,))}, optimizer))
    change(file.states, file.optimizer.state, file.optimizer.state["lr_scheduler"].state)
    return states.dumps_states(file.states, file.optimizer)


def _updater(content):
    updater = Updater(mx.optimizer.SGD())
    updater.set_states(content)
    return updater


REFUSED = {
    "step 0": ("factor", lambda _, o, s: s.update(step=0), "step=0"),
    "step -1": ("factor", lambda _, o, s: s.update(step=-1), "step=-1"),
    "a count below 0": ("factor", lambda _, o, s: s.update(count=-(10**12)), "count=-10"),
    "a factor of any length": ("factor", lambda _, o, s: s.update(factor=-(2**70)), "factor=-"),
    "steps that fall": ("several", lambda _, o, s: s.update(step=[4, 2]), "must increase"),
    "a step of text": ("several", lambda _, o, s: s.update(step=["4"]), "a list of numbers"),
    "an index": ("several", lambda _, o, s: s.update(cur_step_ind=-9), "cur_step_ind=-9"),
    "another end": ("cosine", lambda _, o, s: s.update(max_steps=0), "max_steps=0"),
    "a missing number": ("cosine", lambda _, o, s: s.pop("final_lr"), "no final_lr"),
    "the name of a method": ("cosine", lambda _, o, s: o.update(update=1), "'update'"),
    "a name of Python's": ("cosine", lambda _, o, s: s.update(__class__=1), "'__class__'"),
    "counts": ("cosine", lambda _, o, s: o.update(num_update=-(10**12)), "num_update=-"),
    "a dictionary": ("cosine", lambda _, o, s: o.update(lr_mult=1), "lr_mult=1"),
    "no scheduler": ("cosine", lambda _, o, s: o.update(lr_scheduler=1), "lr_scheduler=1"),
    "a large number": ("cosine", lambda _, o, s: o.update(wd=2**2000), "whose wd="),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_when_read(case):
    scheduler, change, text = REFUSED[case]
    with pytest.raises(FormatError, match=text):
        _updater(_with(scheduler, change))


@pytest.mark.parametrize("state", [1, "x", (1, 2), {}, [None]])
def test_a_state_of_another_form_is_told_by_the_update(state):
    updater = _updater(_with("factor", lambda all_, o, s: all_.update({0: state})))
    with pytest.raises(mx.MXNetError):
        updater(0, mx.nd.ones((2,)), mx.nd.ones((2,)))


PROGRESS = {
    "a negative count": ("Adam", {"num_update": -1}, "num_update=-1"),
    "a count of text": ("Adam", {"_index_update_count": {0: "1"}}, "_index_update_count="),
    "a product of text": ("Nadam", {"m_schedule": "1"}, "m_schedule='1'"),
    "no dictionary": ("Adam", [1], "a pickled list, expected a dictionary"),
    "a name that is no text": ("Adam", {1: 2}, "expected a dictionary of attributes by name"),
}


@pytest.mark.parametrize("case", PROGRESS)
def test_set_states_refuses_hostile_progress_and_keeps_states(case):
    name, progress, text = PROGRESS[case]
    updater = Updater(mx.optimizer.create(name))
    with pytest.raises(FormatError, match=text):
        updater.set_states(states.dumps_states({0: None}) + pickle.dumps(progress))
    assert (updater.states, updater.optimizer.num_update) == ({}, 0)


def test_set_states_ignores_progress_that_the_optimizer_does_not_have():
    updater = Updater(mx.optimizer.SGD())
    progress = {"num_update": 3, "m_schedule": 0.5, "update": 1, "lr": 7}
    updater.set_states(states.dumps_states({0: None}, progress=progress))
    optimizer = updater.optimizer
    assert (optimizer.num_update, optimizer.lr) == (3, 0.01)
    assert callable(optimizer.update)
    assert not hasattr(optimizer, "m_schedule")


def test_set_states_ignores_bytes_behind_the_states_as_pickle_does():
    updater = Updater(mx.optimizer.SGD())
    updater.set_states(states.dumps_states({0: None}) + b"\n")
    assert updater.states == {0: None}


def test_errors_of_loaded_states_are_mxnets():
    updater = Updater(mx.optimizer.Adam(begin_num_update=1))
    updater.set_states(states.dumps_states({0: 1}))
    with pytest.raises(mx.MXNetError, match="Adam: loaded states"):
        updater(0, mx.nd.ones((2,)), mx.nd.ones((2,)))


def test_errors_of_states_that_were_not_loaded_are_as_they_are():
    updater = Updater(mx.optimizer.SGD(momentum=0.9))
    updater.states[0] = 1
    with pytest.raises((TypeError, AttributeError)):
        updater(0, mx.nd.ones((2,)), mx.nd.ones((2,)))


@pytest.mark.parametrize(("factor", "rate"), [(1, 0.5), (0.5, 1e-8), (-1e300, 1e-8)])
def test_any_number_of_updates_may_be_skipped(factor, rate):
    scheduler = FactorScheduler(1, factor, base_lr=0.5)
    assert scheduler(2**50) == rate
    assert scheduler.count == 2**50 - 1


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("stype", ["default", "csr", "row_sparse"])
def test_pickled_arrays_are_states(stype, protocol):
    array = mx.nd.array([[1, 0], [0, 2]]).tostype(stype)
    updater = _updater(pickle.dumps({0: array, "a": (None, array)}, protocol))
    for found in (updater.states[0], updater.states["a"][1]):
        assert found.stype == stype
        assert (found.asnumpy() == array.asnumpy()).all()


def test_pickled_arrays_of_numpy_functions_are_states():
    updater = _updater(pickle.dumps({0: mx.np.ones((2,))}))
    assert updater.states[0].asnumpy().tolist() == [1, 1]
