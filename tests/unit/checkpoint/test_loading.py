# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx
from mxnova import gluon
from mxnova.core.base.errors import ArgumentError, FormatError, MissingFileError, MXNetError
from mxnova.formats import shards
from mxnova.formats.safetensors_params import NAMES

from .trained import files_from, files_of, next_numbers, save_all, trained

OPTIMIZERS = sorted(
    name
    for name, kind in mx.optimizer.Optimizer.opt_registry.items()
    if kind.__module__.startswith("mxnova.optimizer.") and name not in ("test", "groupadagrad")
)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_files_are_those_of_mxnet(optimizer, tmp_path):
    scheduler = mx.lr_scheduler.FactorScheduler(2, 0.5, warmup_steps=3)
    net, trainer = trained(optimizer, optimizer_params={"lr_scheduler": scheduler})
    save_all(tmp_path, 1, 2, net, trainer)
    assert files_from(mx.checkpoint.read(tmp_path), tmp_path) == files_of(net, trainer, tmp_path)


def test_files_of_half_precision_and_of_numpys_shapes(tmp_path):
    net = gluon.nn.Dense(3, in_units=4)
    net.initialize()
    net.cast("float16")
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"momentum": 0.9, "multi_precision": True})
    with mx.autograd.record():
        loss = net(mx.nd.ones((1, 4), dtype="float16")).sum()
    loss.backward()
    trainer.step(1)
    save_all(tmp_path / "half", 1, 2, net, trainer)
    found = mx.checkpoint.read(tmp_path / "half")
    assert files_from(found, tmp_path) == files_of(net, trainer, tmp_path)
    with mx.np_shape():
        arrays = {"scalar": mx.nd.ones(()), "none": mx.nd.zeros((0, 3)), "a": mx.nd.ones((2, 2))}
        mx.nd.save(str(tmp_path / "own.params"), arrays)
        mx.checkpoint.save(tmp_path / "np", 1, arrays, wait=True)
        mx.checkpoint.read(tmp_path / "np").save_parameters(tmp_path / "made.params")
    assert (tmp_path / "own.params").read_bytes() == (tmp_path / "made.params").read_bytes()


def test_sparse_arrays_come_back(tmp_path):
    arrays = {
        "rows": mx.nd.array([[0, 0], [1, 2], [0, 0]]).tostype("row_sparse"),
        "csr": mx.nd.array([[0, 0, 5], [1, 0, 0]]).tostype("csr"),
    }
    save_all(tmp_path, 1, 3, arrays)
    found = mx.checkpoint.read(tmp_path)
    mx.nd.save(str(tmp_path / "own.params"), arrays)
    found.save_parameters(tmp_path / "made.params")
    assert (tmp_path / "own.params").read_bytes() == (tmp_path / "made.params").read_bytes()
    for name, array in found.parameters().items():
        assert array.stype == arrays[name].stype
        np.testing.assert_array_equal(array.asnumpy(), arrays[name].asnumpy())


# What does not fit --------------------------------------------------------------------------------


def test_a_network_that_differs_stays_as_it_was(tmp_path):
    net, trainer = trained()
    mx.checkpoint.save(tmp_path, 1, net, trainer, wait=True)
    other = gluon.nn.Dense(64, in_units=32)
    other.initialize()
    before = other.weight.data().asnumpy()
    with pytest.raises(MXNetError, match="'weight' is missing"):
        mx.checkpoint.load(tmp_path, other)
    np.testing.assert_array_equal(other.weight.data().asnumpy(), before)
    arrays = {"0.weight": mx.nd.zeros((64, 33))}
    with pytest.raises(ArgumentError, match=r"has shape \(64, 33\), in the checkpoint: \(64, 32\)"):
        mx.checkpoint.load(tmp_path, arrays)


def test_what_was_not_saved_is_told(tmp_path):
    net, trainer = trained()
    mx.checkpoint.save(tmp_path / "net", 1, net, wait=True)
    mx.checkpoint.save(tmp_path / "states", 1, None, trainer, wait=True)
    with pytest.raises(FormatError, match="holds no states"):
        mx.checkpoint.load(tmp_path / "net", net, trainer)
    with pytest.raises(FormatError, match="holds no parameters"):
        mx.checkpoint.load(tmp_path / "states", net, trainer)
    mx.checkpoint.load(tmp_path / "states", None, trainer)
    with pytest.raises(ArgumentError, match="no worker of rank 1"):
        mx.checkpoint.read(tmp_path / "net").worker(1)
    with pytest.raises(MissingFileError, match="no checkpoint 7"):
        mx.checkpoint.read(tmp_path / "net", 7)
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(FileNotFoundError):
            mx.checkpoint.load(place, net)
        assert mx.checkpoint.steps(place) == []


def changed(folder, change):
    """The checkpoint in `folder`, whose index says something else and has its hashes."""
    path = shards.numbered(folder)[-1].path
    index = shards.read(path).index
    content = index.content
    change(content)
    own = {
        "version": 1, "step": index.step, "world": index.world, "block": index.block,
        "files": {name: said.plain() for name, said in index.files.items()}, "content": content,
    }  # fmt: skip
    shards.write_index(f"{path}/{shards.INDEX}", own, {}, 0)
    return mx.checkpoint.read(folder)


def with_class(name):
    def change(content):
        content["optimizer"]["object"]["object"] = name

    return change


def twice(content):
    ((_, state), *_) = content["optimizer"]["states"]["dict"]
    state["tuple"][1] = state["tuple"][0]


HOSTILE = {
    "a foreign class": (with_class(["os", "system"]), "no optimizer and no scheduler"),
    "a class of mxnet's": (with_class(["mxnet.optimizer", "Nothing"]), "no optimizer and no"),
    "an array twice": (twice, "no array 'optimizer.0.0' is left"),
    "no states": (lambda c: c["optimizer"].pop("states"), "are no states"),
    "no arrays": (lambda c: c["optimizer"].pop("arrays"), "must be an object of texts"),
    "no names": (lambda c: c["optimizer"]["arrays"].pop(NAMES), f"no {NAMES}"),
    "other names": (
        lambda c: c["optimizer"]["arrays"].update({NAMES: '{"a":"a"}'}),
        "there is no array 'a'",
    ),
    "no content": (lambda c: c.clear(), "holds no states"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_states_are_refused(name, tmp_path):
    change, text = HOSTILE[name]
    net, trainer = trained()
    mx.checkpoint.save(tmp_path, 1, net, trainer, wait=True)
    with pytest.raises(FormatError, match=text):
        changed(tmp_path, change).states()
    with pytest.raises(FormatError):
        mx.checkpoint.load(tmp_path, None, trainer)


# Modules ------------------------------------------------------------------------------------------


def module(n_epochs=0, optimizer="adam", **options):
    data = mx.nd.random.uniform(shape=(12, 5))
    label = mx.nd.arange(12) % 3
    batches = mx.io.NDArrayIter(data, label, batch_size=4, label_name="softmax_label")
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    net = mx.sym.BatchNorm(net, name="bn")
    made = mx.mod.Module(mx.sym.SoftmaxOutput(net, name="softmax"))
    made.fit(batches, num_epoch=n_epochs, optimizer=optimizer, **options)
    return made


def test_a_fit_that_ended_goes_on(tmp_path):
    def seeded(n_epochs, **options):
        mx.random.seed(3)
        return module(n_epochs, initializer=mx.init.Xavier(), **options)

    saved = mx.checkpoint.Checkpoints(tmp_path, every=2, keep=1)
    expected = seeded(5)
    seeded(3, checkpoint=saved)
    assert mx.checkpoint.steps(tmp_path) == [2]
    found = seeded(5, checkpoint=saved)
    assert mx.checkpoint.steps(tmp_path) == [4]
    for name, array in expected.get_params()[0].items():
        np.testing.assert_array_equal(found.get_params()[0][name].asnumpy(), array.asnumpy())
    assert seeded(4, checkpoint=tmp_path)._optimizer.num_update == 12


def test_files_of_a_module(tmp_path):
    made = module(1)
    mx.checkpoint.save(tmp_path, 1, made, wait=True)
    found = mx.checkpoint.read(tmp_path)
    made.save_params(str(tmp_path / "own.params"))
    made.save_optimizer_states(str(tmp_path / "own.states"))
    own = [(tmp_path / name).read_bytes() for name in ("own.params", "own.states")]
    assert list(files_from(found, tmp_path)) == own
    other = module(2)
    mx.checkpoint.load(tmp_path, other)
    other.save_params(str(tmp_path / "own.params"))
    other.save_optimizer_states(str(tmp_path / "own.states"))
    assert [(tmp_path / name).read_bytes() for name in ("own.params", "own.states")] == own


def test_a_store_that_updates_takes_parameters_before_it_begins(tmp_path):
    made = module(1)
    mx.checkpoint.save(tmp_path, 1, made, wait=True)
    made._update_on_kvstore = True
    with pytest.raises(MXNetError, match="load them before init_optimizer"):
        mx.checkpoint.load(tmp_path, made)


def test_random_numbers_of_a_worker_go_on(tmp_path):
    mx.random.seed(5, exact=True)
    try:
        mx.nd.random.uniform(shape=(1000,))
        mx.checkpoint.save(tmp_path, 1, wait=True)
        expected = next_numbers(), mx.nd.random.normal(shape=(500,)).asnumpy().tolist()
        mx.random.seed(5, exact=False)
        mx.checkpoint.load(tmp_path)
        found = next_numbers(), mx.nd.random.normal(shape=(500,)).asnumpy().tolist()
        assert found == expected
        mx.checkpoint.load(tmp_path, random=False)
        assert next_numbers() != expected[0]
    finally:
        mx.random.seed(0, exact=False)


def test_states_in_a_store_of_several_devices(tmp_path):
    net = gluon.nn.Dense(3, in_units=4)
    contexts = [mx.cpu(0), mx.cpu(1)]
    net.initialize(ctx=contexts)
    trainer = gluon.Trainer(net.collect_params(), "adam", update_on_kvstore=True)
    for scale in (1, 2):
        with mx.autograd.record():
            losses = [net(mx.nd.ones((1, 4), ctx=context) * scale).sum() for context in contexts]
        for loss in losses:
            loss.backward()
        trainer.step(2)
        if scale == 1:
            mx.checkpoint.save(tmp_path, 1, net, trainer, wait=True)
            own = files_of(net, trainer, tmp_path)
    found = mx.checkpoint.read(tmp_path)
    assert files_from(found, tmp_path) == own
    mx.checkpoint.load(tmp_path, net, trainer)
    assert files_of(net, trainer, tmp_path) == own
