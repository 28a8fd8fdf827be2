# SPDX-License-Identifier: Apache-2.0
"""Batches for metrics, from NumPy alone: MXNet records what they give, tests replay it."""

from __future__ import annotations

import numpy as np

_R = np.random.RandomState(11)


def _scores(*shape):
    exponents = np.exp(2 * _R.rand(*shape))
    return (exponents / exponents.sum(-1, keepdims=True)).astype("float32")


def _labels(classes, *shape, dtype="float32"):
    return _R.randint(0, classes, shape).astype(dtype)


def _floats(*shape):
    return _R.rand(*shape).astype("float32")


def _several(make, count=3):
    return [make() for _ in range(count)]


def _pair(classes, n=20):
    return [_labels(classes, n)], [_scores(n, classes)]


_HARD = np.array([[1, 0], [0, 1], [0.5, 0.5], [0, 1]], "float32")

CASES = {  # name: (metric, its arguments, batches of labels and predictions)
    "acc": ("Accuracy", {}, _several(lambda: _pair(4))),
    "acc_of_two_outputs": (
        "Accuracy",
        {},
        _several(lambda: ([_labels(3, 9), _labels(2, 5)], [_scores(9, 3), _scores(5, 2)])),
    ),
    "acc_of_classes": ("Accuracy", {}, _several(lambda: ([_labels(3, 9)], [_labels(3, 9)]))),
    "acc_of_columns": ("Accuracy", {}, [([_labels(3, 9, 1)], [_scores(9, 3)])]),
    "acc_along_1": ("Accuracy", {}, [([_labels(3, 2, 4)], [_floats(2, 3, 4)])]),
    "acc_along_last": ("Accuracy", {"axis": -1}, [([_labels(5, 2, 4)], [_floats(2, 4, 5)])]),
    "acc_of_fractions": ("Accuracy", {}, [([_floats(9) * 3], [_floats(9) * 3])]),
    "acc_of_integers": (
        "Accuracy",
        {},
        [([_labels(3, 9, dtype="int32")], [_scores(9, 3).astype("float16")])],
    ),
    "acc_of_nothing": ("Accuracy", {}, [([], [])]),
    "top_2": ("TopKAccuracy", {"top_k": 2}, _several(lambda: _pair(5))),
    "top_3": ("TopKAccuracy", {"top_k": 3, "name": "best"}, _several(lambda: _pair(6))),
    "f1": ("F1", {}, _several(lambda: _pair(2))),
    "f1_micro": ("F1", {"average": "micro"}, _several(lambda: _pair(2))),
    "f1_of_two_outputs": (
        "F1",
        {},
        _several(lambda: ([_labels(2, 9), _labels(2, 5)], [_scores(9, 2), _scores(5, 2)])),
    ),
    "f1_of_one_class": ("F1", {}, [([np.zeros(7, "float32")], [_scores(7, 2)])]),
    "f1_of_other_classes": ("F1", {}, [([_labels(2, 9) + 1], [_scores(9, 3)])]),
    "mcc": ("MCC", {}, _several(lambda: _pair(2))),
    "mcc_micro": ("MCC", {"average": "micro"}, _several(lambda: _pair(2))),
    "mcc_of_one_class": ("MCC", {}, [([np.zeros(7, "float32")], [_scores(7, 2)])]),
    "pcc": ("PCC", {}, _several(lambda: _pair(2))),
    "pcc_of_more_and_more": ("PCC", {}, [_pair(2), _pair(4), _pair(7), _pair(3)]),
    "pcc_of_classes": ("PCC", {}, _several(lambda: ([_labels(6, 30)], [_labels(6, 30)]))),
    "pcc_of_one_class": ("PCC", {}, [([np.zeros(5, "float32")], [np.zeros(5, "float32")])]),
    "pcc_without_run": ("PCC", {"has_global_stats": False}, _several(lambda: _pair(3))),
    "perplexity": ("Perplexity", {"ignore_label": None}, _several(lambda: _pair(5))),
    "perplexity_ignoring": ("Perplexity", {"ignore_label": 1}, _several(lambda: _pair(3))),
    "perplexity_ignoring_all": (
        "Perplexity",
        {"ignore_label": 0},
        [([np.zeros(5, "float32")], [_scores(5, 2)])],
    ),
    "perplexity_ignoring_negative": (
        "Perplexity",
        {"ignore_label": -1},
        [([_labels(4, 9) - 1], [_scores(9, 3)])],
    ),
    "perplexity_of_impossible": (
        "Perplexity",
        {"ignore_label": None},
        [([np.array([1, 0, 1, 1], "float32")], [_HARD])],
    ),
    "mae": ("MAE", {}, _several(lambda: ([_floats(9)], [_floats(9)]))),
    "mse": ("MSE", {}, _several(lambda: ([_floats(9)], [_floats(9)]))),
    "rmse": ("RMSE", {}, _several(lambda: ([_floats(9)], [_floats(9)]))),
    "mae_of_two": ("MAE", {}, [([_floats(9), _floats(4)], [_floats(9), _floats(4)])]),
    "mse_of_a_column": ("MSE", {}, [([_floats(9)], [_floats(9, 1)])]),
    "rmse_of_columns": ("RMSE", {}, [([_floats(9)], [_floats(9, 3)])]),
    "mae_of_images": ("MAE", {}, [([_floats(2, 3, 4)], [_floats(2, 3, 4)])]),
    "mse_of_integers": ("MSE", {}, [([_labels(5, 9, dtype="int32")], [_floats(9)])]),
    "cross_entropy": ("CrossEntropy", {}, _several(lambda: _pair(5))),
    "cross_entropy_of_impossible": (
        "CrossEntropy",
        {"eps": 1e-5},
        [([np.array([1, 0, 1, 1], "float32")], [_HARD])],
    ),
    "cross_entropy_from_behind": ("CrossEntropy", {}, [([_labels(4, 9) - 1], [_scores(9, 3)])]),
    "nll": ("NegativeLogLikelihood", {}, _several(lambda: _pair(5))),
    "nll_of_columns": (
        "NegativeLogLikelihood",
        {"eps": 0.1},
        [([_labels(3, 9, 1)], [_scores(9, 3)])],
    ),
    "pearson": ("PearsonCorrelation", {}, _several(lambda: ([_floats(9)], [_floats(9)]))),
    "pearson_of_images": ("PearsonCorrelation", {}, [([_floats(3, 4)], [_floats(3, 4)])]),
    "pearson_of_one_number": ("PearsonCorrelation", {}, [([np.ones(5)], [_floats(5)])]),
    "loss": ("Loss", {}, _several(lambda: (None, [_floats(9), _floats(2, 2)]))),
    "torch": ("Torch", {}, [(None, [_floats(9)])]),
    "caffe": ("Caffe", {}, [(None, [_floats(9)])]),
    "composite": (
        "CompositeEvalMetric",
        {"metrics": ["acc", "ce", {"metric": "topkaccuracy", "top_k": 2}]},
        _several(lambda: _pair(4)),
    ),
}

# MXNet's tells of the stretch only, and goes on with the moments of the one before.
MICRO_PEARSON = _several(lambda: ([_floats(9)], [_floats(9)]))

REFUSED = {  # name: (metric, its arguments, labels, predictions)
    "too_few_labels": ("Accuracy", {}, [_labels(3, 4)], [_scores(5, 3)]),
    "too_many_labels": ("Accuracy", {}, [_labels(3, 4)] * 2, [_scores(4, 3)]),
    "top_of_3_axes": ("TopKAccuracy", {"top_k": 2}, [_labels(3, 4)], [_floats(4, 3, 2)]),
    "f1_of_three_classes": ("F1", {}, [np.arange(3.0)], [_scores(3, 3)]),
    "mcc_of_three_classes": ("MCC", {}, [np.arange(3.0)], [_scores(3, 3)]),
    "f1_of_numbers": ("F1", {}, [_labels(2, 4)], [_floats(4)]),
    "f1_of_too_few": ("F1", {}, [_labels(2, 4)], [_scores(5, 2)]),
    "perplexity_of_too_few": (
        "Perplexity",
        {"ignore_label": None},
        [_labels(2, 4)],
        [_scores(5, 2)],
    ),
    "mae_of_too_few": ("MAE", {}, [_floats(4)], [_floats(5)]),
    "entropy_of_too_few": ("CrossEntropy", {}, [_labels(2, 4)], [_scores(5, 2)]),
    "entropy_of_3_axes": ("CrossEntropy", {}, [_labels(2, 4)], [_floats(2, 2, 2)]),
    "entropy_of_classes_beyond": ("CrossEntropy", {}, [np.full(4, 9.0)], [_scores(4, 2)]),
    "pearson_of_other_shape": ("PearsonCorrelation", {}, [_floats(4)], [_floats(4, 1)]),
    "second_pair": ("MAE", {}, [_floats(4), _floats(4)], [_floats(4), _floats(5)]),
}
