# SPDX-License-Identifier: Apache-2.0
from types import SimpleNamespace

import numpy as np
import pytest

import mxnova as mx
from mxnova.batch_inference.items import Item
from mxnova.quantization.accuracy import Measure, top_classes
from mxnova.quantization.samples import Batch

CLASSES = np.array([0, 1, 2, 1])


def labelled(*labels):
    items = [Item(f"i{n}", None, label) for n, label in enumerate(labels)]
    known = None if None in labels else np.array(labels, float)
    return SimpleNamespace(labels=known, items=items)


def test_accuracy_is_of_labels_and_agreement_of_the_model():
    accuracy = Measure(labelled(0.0, 1.0, 2.0, 0.0), CLASSES, 3, None)
    assert (accuracy.name, accuracy(CLASSES), accuracy(CLASSES * 0)) == ("accuracy", 0.75, 0.5)
    for measure in (
        Measure(labelled(None, None, 1.0, 1.0), CLASSES, 3, None),
        Measure(labelled(0.0, 0.0, 0.0, 0.0), CLASSES, 3, "agreement"),
    ):
        assert (measure.name, measure(CLASSES), measure(CLASSES * 0)) == ("agreement", 1, 0.25)
    assert Measure(labelled(None), None, 0, None).name is None


@pytest.mark.parametrize(
    "labels, classes, metric, text",
    [
        ((0.0, None, 0.0, 0.0), CLASSES, "accuracy", "--metric accuracy: needs labels"),
        (
            (0.0, 3.0, 0.0, 0.0),
            CLASSES,
            None,
            "i1: its label is 3; the model has the classes 0 to 2",
        ),
        ((0.0, 0.5, 0.0, 0.0), CLASSES, None, "i1: its label is 0.5"),
        ((0.0, 0.0, float("nan"), 0.0), CLASSES, None, "i2: its label is nan"),
        ((-1.0, 0.0, 0.0, 0.0), CLASSES, None, "i0: its label is -1"),
        ((0.0,), None, "agreement", "no axis of scores"),
    ],
)
def test_what_cannot_be_measured(labels, classes, metric, text):
    with pytest.raises(mx.MXNetError, match=text):
        Measure(labelled(*labels), classes, 3, metric)


class Rows:
    """Samples of two batches; the second has a row more than items."""

    def __len__(self):
        return 3

    def batches(self):
        yield Batch(np.array([[0.0, 1.0], [1.0, 0.0]]), 2)
        yield Batch(np.array([[0.0, 1.0], [1.0, 0.0]]), 1)


@pytest.mark.parametrize(
    "scores, expected",
    [
        (lambda x: x, ([1, 0, 1], 2)),
        (lambda x: x[:, :, None] * [1, -1], ([[1, 0], [0, 1], [1, 0]], 2)),
        (lambda x: x[:, :1], None),
        (lambda x: x[:, 0], None),
    ],
)
def test_classes_are_on_the_second_axis(scores, expected):
    model = SimpleNamespace(outputs=lambda feed: [scores(feed["x"])])
    classes, count = top_classes(model, "x", Rows(), lambda done: None)
    assert expected is None if classes is None else (classes.tolist(), count) == expected


def test_a_model_gives_a_row_for_each_sample():
    model = SimpleNamespace(outputs=lambda feed: [feed["x"][:1]])
    with pytest.raises(mx.MXNetError, match="1 rows for 2 samples"):
        top_classes(model, "x", Rows(), lambda done: None)
