# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import mxnova as mx
from mxnova.artefacts import InferenceModel
from mxnova.batch_inference.items import Item
from mxnova.batch_inference.runner import Runner
from mxnova.core.base.errors import MXNetError
from mxnova.predictor.picture import Picture
from mxnova.quantization.samples import Samples, drawn


def item(number, shape=(1, 2), label=None):
    def read(picture):
        if number % 3 == 2:
            raise MXNetError("broken")
        return np.full(shape, number, "f")

    return Item(f"i{number}", read, label)


def samples(folder, items, batch, shape):
    runner = Runner(InferenceModel.open(str(folder / "net")), batch, shape)
    return Samples(items, runner, Picture())


def test_each_item_is_as_likely():
    counts = np.zeros(6)
    for seed in range(600):
        counts[[int(i.name[1:]) for i in drawn(map(item, range(6)), "x", 2, seed)]] += 1
    assert counts.sum() == 1200
    assert np.abs(counts - 200).max() < 60
    assert len(drawn(map(item, range(3)), "x", 9, 0)) == 3
    with pytest.raises(mx.MXNetError, match="--data x: holds no images"):
        drawn([], "x", 1, 0)


def test_items_that_cannot_be_used_are_left_out_and_told(folder):
    made = samples(folder, [item(i) for i in range(5)] + [item(6, (1, 3))], 2, ("N", 2))
    done = []
    made.settle(done.append)
    assert [i.name for i in made.items] == ["i0", "i1", "i3", "i4"]
    assert (made.n_failed, done[-1]) == (2, 6)
    assert made.failures == {"i2": "broken", "i6": "has shape [1,3]; the model takes [1,2]"}
    assert [(b.values[:, 0].tolist(), b.n_items) for b in made.batches()] == [
        ([0, 1], 2),
        ([3, 4], 2),
    ]


def test_models_of_a_fixed_batch_get_it(folder):
    made = samples(folder, [item(0), item(1), item(3)], None, (2, 2))
    assert [(b.values[:, 0].tolist(), b.n_items) for b in made.batches()] == [
        ([0, 1], 2),
        ([3, 3], 1),
    ]


def test_without_any_usable_item_the_first_error_is_told(folder):
    made = samples(folder, [item(2), item(5)], 2, ("N", 2))
    with pytest.raises(mx.MXNetError, match="none of 2 items can be used: i2: broken"):
        made.settle(lambda done: None)


def test_labels_are_known_if_all_are(folder):
    assert samples(folder, [item(0, label=1.0), item(1, label=0.0)], 1, None).labels.tolist() == [
        1,
        0,
    ]
    assert samples(folder, [item(0, label=1.0), item(1)], 1, None).labels is None
