# SPDX-License-Identifier: Apache-2.0
"""Metrics: numbers, configurations and errors as MXNet's were recorded."""

from __future__ import annotations

import copy
import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

from . import metric_cases as cases

RECORDED = json.loads((Path(__file__).parents[1] / "data/metric.json").read_text())
NDARRAY, NUMPY = (lambda v: mx.nd.array(v, dtype=v.dtype)), (lambda v: v)


def made(name):
    metric, kwargs, batches = cases.CASES[name]
    return getattr(mx.metric, metric)(**kwargs), batches


def close(pairs, expected):
    assert [name for name, _ in pairs] == [name for name, _ in expected]
    values = [math.nan if value is None else value for _, value in expected]
    np.testing.assert_allclose([value for _, value in pairs], values, rtol=2e-6, atol=1e-7)


def told(metric, expected):
    close(metric.get_name_value(), expected[0])
    close(metric.get_global_name_value(), expected[1])


@pytest.mark.parametrize("form", [NDARRAY, NUMPY], ids=["NDArray", "NumPy"])
@pytest.mark.parametrize("name", cases.CASES)
def test_numbers(name, form):
    metric, batches = made(name)
    expected = iter(RECORDED["told"][name])
    for at, (labels, preds) in enumerate(batches):
        metric.update(labels and [form(v) for v in labels], [form(v) for v in preds])
        told(metric, next(expected))
        if at == 0:
            metric.reset_local()
            told(metric, next(expected))
    metric.reset()
    told(metric, next(expected))


@pytest.mark.parametrize("name", [n for n, c in cases.CASES.items() if c[2][0][0]])
def test_by_names(name):
    metric, batches = made(name)
    labels, preds = batches[0]
    by_name = [{f"n{i}": NDARRAY(v) for i, v in enumerate(values)} for values in (labels, preds)]
    metric.update_dict(*by_name)
    told(metric, RECORDED["told"][name][0])


@pytest.mark.parametrize("name", ["acc", "f1", "perplexity", "mse", "cross_entropy", "pearson"])
def test_single_arrays(name):
    metric, batches = made(name)
    (labels, preds) = batches[0]
    metric.update(NDARRAY(labels[0]), NDARRAY(preds[0]))
    told(metric, RECORDED["told"][name][0])


@pytest.mark.parametrize("name", cases.CASES)
def test_configurations(name):
    metric, _ = made(name)
    config = metric.get_config()
    expected = RECORDED["configured"][name]
    assert {k: v for k, v in config.items() if k != "average"} == expected
    if "TopK" not in str(expected):  # whose names grow
        again = mx.metric.create(config)
        assert type(again) is type(metric)
        assert again.get_config() == config


@pytest.mark.parametrize("name", cases.REFUSED)
def test_refused_whole(name):
    metric_name, kwargs, labels, preds = cases.REFUSED[name]
    metric = getattr(mx.metric, metric_name)(**kwargs)
    with pytest.raises(mx.MXNetError) as caught:
        metric.update([NDARRAY(v) for v in labels], [NDARRAY(v) for v in preds])
    kinds = {kind.__name__ for kind in type(caught.value).__mro__}
    expected = set(RECORDED["errors"][name]) & {"AssertionError", "ValueError", "IndexError"}
    assert expected & kinds
    assert metric.num_inst == metric.global_num_inst == 0


@pytest.mark.parametrize("name", ["Accuracy", "F1", "PCC", "CrossEntropy", "Loss"])
def test_counts_are_integers(name):
    metric = getattr(mx.metric, name)()
    metric.update([mx.nd.array([1, 0])], [mx.nd.array([[0.2, 0.8], [0.6, 0.4]])])
    assert [type(n) for n in (metric.num_inst, metric.global_num_inst)] == [int, int]


def test_registered_names():
    registry = mx.registry.get_registry(mx.metric.EvalMetric)
    found = {name: kind.__name__ for name, kind in registry.items()}
    assert RECORDED["registered"].items() <= found.items()


def test_micro_correlation_is_that_of_all_predictions():
    metric = mx.metric.PearsonCorrelation(average="micro")
    seen = [[], []]
    for (labels, preds), expected in zip(cases.MICRO_PEARSON, RECORDED["micro_pearson"]):
        metric.update(labels, preds)
        seen[0] += labels[0].tolist()
        seen[1] += preds[0].tolist()
        assert metric.get() == ("pearsonr", pytest.approx(expected, rel=1e-6))
        assert metric.get_global()[1] == pytest.approx(np.corrcoef(*seen)[0, 1], rel=1e-6)
    metric.reset_local()
    assert math.isnan(metric.get()[1])
    metric.update(labels, preds)
    assert metric.get()[1] == pytest.approx(np.corrcoef(labels[0], preds[0])[0, 1], rel=1e-6)
    assert metric.get_global()[1] != metric.get()[1]


def test_variance_is_updated():
    metric = mx.metric.PearsonCorrelation()
    assert metric.update_variance(np.array([1.0, 2, 3]), 0, 0, 0) == (3, 2.0, 2.0)
    assert metric.update_variance(np.array([1.0, 2]), 3, 2.5, 2.0) == pytest.approx((5, 2.1, 3.7))


# Making ------------------------------------------------------------------------------------------


def difference(label, pred):
    return float(abs(label - pred).sum())


def halves(label, pred):
    return float(abs(label - pred).sum()), 2


@pytest.mark.parametrize(
    "args, name",
    [
        (("acc",), "accuracy"),
        (("Accuracy",), "accuracy"),
        (("topkaccuracy", 3), "top_k_accuracy_3"),
        (('["accuracy", {"name": "mine"}]',), "mine"),
        (({"metric": "ce"},), "cross-entropy"),
        ((mx.metric.MSE(),), "mse"),
        ((difference,), "difference"),
        ((difference, "mine"), "mine"),
        ((lambda label, pred: 1,), "custom(<lambda>)"),
    ],
)
def test_create(args, name):
    assert mx.metric.create(*args).name == name


def test_create_of_several():
    metric = mx.metric.create(["acc", difference, mx.metric.MSE()])
    assert type(metric) is mx.metric.CompositeEvalMetric
    assert metric.get()[0] == ["accuracy", "difference", "mse"]
    assert mx.metric.create(["acc"], axis=0).get_metric(0).axis == 0


@pytest.mark.parametrize("args", [("nothing",), (3,), (None,), ("[]",), ("topkaccuracy",)])
def test_create_refuses(args):
    with pytest.raises(AssertionError) as caught:
        mx.metric.create(*args)
    assert isinstance(caught.value, mx.MXNetError)


def test_custom():
    label, pred = mx.nd.array([1, 2]), mx.nd.array([2, 4])
    metric = mx.metric.CustomMetric(difference)
    metric.update([label], [pred])
    assert metric.get() == ("difference", 3)
    with pytest.raises(ValueError, match="different lengths, 1 and 2"):
        metric.update([label], [pred, pred])
    metric = mx.metric.np(halves, "mine", allow_extra_outputs=True)
    metric.update([label], [pred, pred])
    assert metric.get() == ("mine", 1.5)
    with pytest.raises(NotImplementedError):
        metric.get_config()
    assert mx.metric.np(halves).name == "halves"


def test_names_pick_arrays():
    arrays = {"l": mx.nd.array([1, 0]), "x": mx.nd.array([3])}
    outputs = {"z": mx.nd.array([1]), "o": mx.nd.array([[0, 1], [0, 1]])}
    metric = mx.metric.Accuracy(output_names=["o"], label_names=["l"])
    metric.update_dict(arrays, outputs)
    assert metric.get() == ("accuracy", 0.5)
    with pytest.raises(KeyError, match="no 'l', only x"):
        metric.update_dict({"x": arrays["x"]}, outputs)
    several = mx.metric.CompositeEvalMetric(["acc", "loss"], "all", ["o"], ["l"])
    several.update_dict(arrays, outputs)
    assert several.get() == (["accuracy", "loss"], [0.5, 0.5])


def test_composite():
    metric = mx.metric.CompositeEvalMetric([mx.metric.Accuracy()])
    metric.add("f1")
    assert metric.get_metric(1).name == "f1"
    with pytest.raises(IndexError, match="index=7: there are 2"):
        metric.get_metric(7)
    assert str(metric) == "EvalMetric: {'accuracy': nan, 'f1': nan}"


class Counter(mx.metric.EvalMetric):
    def update(self, labels, preds):
        self.sum_metric += 3
        self.num_inst += 1


def test_own_metrics():
    metric = Counter("counter", factor=2)
    metric.update(None, None)
    assert metric.get() == metric.get_global() == ("counter", 3)
    assert metric.get_config()["factor"] == 2
    metric = Counter("counter", has_global_stats=True)
    metric.update(None, None)
    assert metric.get()[1] == 3
    assert math.isnan(metric.get_global()[1])
    with pytest.raises(NotImplementedError, match="EvalMetric"):
        mx.metric.EvalMetric("plain").update(None, None)


def test_metrics_of_several_names():
    class Two(Counter):
        def get(self):
            return ["a", "b"], [1, 2]

    assert Two("two").get_name_value() == [("a", 1), ("b", 2)]
    assert mx.metric.CompositeEvalMetric([Two("two")]).get() == (["a", "b"], [1, 2])


def test_check_label_shapes():
    one, two = mx.nd.ones((1, 2)), mx.nd.ones((1, 3))
    check = mx.metric.check_label_shapes
    assert check(one, two) == (one, two)
    assert check(one, two, wrap=True) == ([one], [two])
    with pytest.raises(ValueError, match=r"shapes, \(1, 2\) and \(1, 3\)"):
        check(one, two, shape=True)
    with pytest.raises(ValueError, match="lengths, 1 and 2"):
        check([one], [one, two])


def test_copies():
    metric, batches = made("acc")
    metric.update(*batches[0])
    for copied in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert copied.get() == metric.get()


def test_top_k_of_fewer_classes_and_of_classes():
    metric = mx.metric.TopKAccuracy(5)
    metric.update([np.array([0, 1])], [np.array([[0.1, 0.9], [0.2, 0.8]])])
    assert metric.get()[1] == 1
    metric.update([np.array([0, 1])], [np.array([1, 1])])
    assert metric.get()[1] == 0.75


def test_perplexity_of_sequences():
    scores = mx.nd.softmax(mx.nd.random.uniform(shape=(2, 4, 3)))
    labels = mx.nd.array([[0, 1, 2, 0], [2, 1, 0, 1]])
    flat, last, first = (mx.metric.Perplexity(None, axis) for axis in (-1, -1, 1))
    flat.update([labels.reshape((-1,))], [scores.reshape((-1, 3))])
    last.update([labels], [scores])
    first.update([labels], [scores.transpose((0, 2, 1))])
    assert flat.get()[1] == pytest.approx(last.get()[1])
    assert flat.get()[1] == pytest.approx(first.get()[1])


@pytest.mark.parametrize(
    "name, kwargs", [("F1", {"average": "micro"}), ("Perplexity", {"ignore_label": 1, "axis": 1})]
)
def test_configurations_keep_what_differs(name, kwargs):
    metric = mx.metric.create(getattr(mx.metric, name)(**kwargs).get_config())
    assert {k: getattr(metric, k) for k in kwargs} == kwargs


def test_binary_counts():
    counts = mx.metric._BinaryClassificationMetrics()
    counts.update_binary_stats(
        mx.nd.array([0, 1, 1, 1]), mx.nd.array([[0.1, 0.9], [0.2, 0.8], [1, 0.5], [0, 1]])
    )
    assert (counts.true_positives, counts.false_positives) == (2, 1)
    assert (counts.true_negatives, counts.false_negatives) == (0, 1)
    assert counts.precision == counts.recall == counts.fscore == pytest.approx(2 / 3)
    assert counts.matthewscc() == pytest.approx(-1 / 3)
    counts.local_reset_stats()
    assert (counts.total_examples, counts.global_total_examples) == (0, 4)
    assert counts.fscore == 0
    assert counts.global_fscore == pytest.approx(2 / 3)
    assert counts.matthewscc(use_global=True) == pytest.approx(-1 / 3)


def test_recorded_arrays_are_not_touched():
    data, label = mx.nd.array([[0.2, 0.8], [0.6, 0.4]]), mx.nd.array([1, 1])
    data.attach_grad()
    with mx.autograd.record():
        loss = -mx.nd.log(mx.nd.pick(data, label))
        for name in ("acc", "ce", "f1", "loss", "mae"):
            mx.metric.create(name).update([label], [loss if name in ("loss", "mae") else data])
    loss.backward()
    np.testing.assert_allclose(data.grad.asnumpy(), [[0, -1.25], [0, -2.5]], rtol=1e-6)
    np.testing.assert_allclose(data.asnumpy(), [[0.2, 0.8], [0.6, 0.4]], rtol=1e-6)


@pytest.mark.parametrize(
    "labels, preds, text",
    [([0.0, 1], [1.0, 0, 1], "no axis 1"), ([-1.0, 0], [0.0, 1], "must not be negative")],
)
def test_correlation_of_classes_refuses(labels, preds, text):
    metric = mx.metric.PCC()
    with pytest.raises(ValueError, match=text):
        metric.update([mx.nd.array(labels)], [mx.nd.array(preds)])
    assert metric.num_inst == 0
