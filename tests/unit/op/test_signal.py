# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.tensor.calibration
import mxnova.core.op.tensor.hawkes
import mxnova.core.op.tensor.signal  # noqa: F401
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes
from tests.unit.op.samples import Sample

PLACES, SIGNS = np.array([[[0, 3, 0]], [[1, -1, -1]]], "float32")


def interleaved(x):
    return np.stack([x.real, x.imag], -1).reshape(*x.shape[:-1], -1)


def hawkes(mu, alpha, beta, state, lags, marks, valid_length, max_time):
    """Log-likelihood from the intensity and its integral, summed over all earlier points."""
    values, memory = [], np.zeros_like(state)
    for n in range(len(mu)):
        count = int(valid_length[n])
        times, value = np.cumsum(lags[n])[:count], 0.0
        for k in range(len(alpha)):
            own = times[marks[n][:count] == k]

            def kernel(t, own=own, n=n, k=k):
                return state[n, k] * np.exp(-beta[k] * t) + np.exp(-beta[k] * (t - own)).sum()

            for i, t in enumerate(own):
                value += np.log(mu[n, k] + alpha[k] * beta[k] * kernel(t, own[:i]))
            memory[n, k] = kernel(max_time[n])
            value -= mu[n, k] * max_time[n] + alpha[k] * (state[n, k] + len(own) - memory[n, k])
        values.append(value)
    return np.array(values), memory


RNG = np.random.default_rng(5)
# fmt: off
POINTS = [
    RNG.uniform(0.5, 1.5, (2, 3)), RNG.uniform(0.1, 0.9, 3), RNG.uniform(1, 2, 3), RNG.uniform(0, 1, (2, 3)),
    RNG.uniform(0.1, 1, (2, 5)), RNG.integers(0, 3, (2, 5)).astype("int32"), np.array([5.0, 2.0]), np.array([9.0, 7.0]),
]

SAMPLES = [
    Sample("_contrib_fft", [(2, 4)], {}, lambda x: interleaved(np.fft.fft(x))),
    Sample("_contrib_fft", [(1, 2, 2, 3)], {}, lambda x: interleaved(np.fft.fft(x))),
    Sample("_contrib_ifft", [(2, 6)], {}, lambda x: np.fft.ifft(x[:, ::2] + 1j * x[:, 1::2]).real * 3),
    Sample("_contrib_count_sketch", [(2, 3), PLACES, SIGNS], {"out_dim": 4}, lambda x, h, s: np.stack([x[:, 0] - x[:, 2], 0 * x[:, 0], 0 * x[:, 0], -x[:, 1]], 1), gradient=False),
    Sample("_contrib_hawkesll", POINTS, {}, hawkes, gradient=False),
]
# fmt: on


INFERRED = [
    ("_contrib_fft", {}, [(2, 3, 4, 5)], "[2,3,4,5] -> [2,3,4,10]"),
    ("_contrib_ifft", {}, [(2, 6)], "[2,6] -> [2,3]"),
    (
        "_contrib_count_sketch",
        {"out_dim": 7},
        [(2, 5), None, None],
        "[2,5], [1,5], [1,5] -> [2,7]",
    ),
    (
        "_contrib_calibrate_entropy",
        {"num_quantized_bins": 5},
        [(21,), (22,)],
        "[21], [22] -> [1], [1]",
    ),
    (
        "_contrib_hawkesll",
        {},
        [(2, 3), None, None, None, (2, 4), None, None, None],
        "[2,3], [3], [3], [2,3], [2,4], [2,4], [2], [2] -> [2], [2,3]",
    ),
]
REFUSED = [
    ("_contrib_fft", {}, [(2, 3, 4)], "[2,3,4]"),
    ("_contrib_ifft", {}, [(2, 5)], "[2,5]"),
    ("_contrib_count_sketch", {"out_dim": 0}, [(2, 5), None, None], "out_dim=0"),
    ("_contrib_count_sketch", {"out_dim": 4}, [(2, 3), (1, 4), None], "h has shape [1,4]"),
    ("_contrib_calibrate_entropy", {}, [(101,), (102,)], "num_quantized_bins=255"),
    (
        "_contrib_hawkesll",
        {},
        [(2, 3), None, None, None, (4, 5), None, None, None],
        "lags [4,5]",
    ),
]


def test_marks_are_integers():
    given = [torch.float64] + [None] * 7
    reals, marks = ["float64"] * 7, ["int32"]
    expected = ", ".join(reals[:5] + marks + reals[5:]) + " -> float64, float64"
    assert inferred_dtypes("_contrib_hawkesll", {}, given) == expected


def test_likelihood_gradient_is_that_of_intensity_parameters_only():
    tensors = [torch.from_numpy(a) for a in POINTS]
    rest = tensors[3:]
    leaves = [t.clone().requires_grad_() for t in tensors[:3]]
    op = find("_contrib_hawkesll").of({})
    assert torch.autograd.gradcheck(lambda *x: op.forward(*x, *rest)[0], leaves)
    state = rest[0].clone().requires_grad_()
    likelihood, out_state = op.forward(*leaves, state, *rest[1:])
    likelihood.sum().backward()
    assert state.grad is None
    assert not out_state.requires_grad


def test_signs_of_a_sketch_get_no_gradient():
    data, h, s = (torch.from_numpy(x).float() for x in (np.ones((2, 3)), PLACES, SIGNS))
    data.requires_grad_()
    s.requires_grad_()
    find("_contrib_count_sketch").of({"out_dim": 4}).forward(data, h, s).sum().backward()
    assert s.grad is None
    assert data.grad.tolist() == [[1, -1, -1]] * 2


# Thresholds and divergences that MXNet 1.9.1 gave.
@pytest.mark.parametrize(
    "places, bins, threshold, divergence",
    [
        ({10: 5}, 5, 0.23809524, 0.0),
        ({10: 5, 3: 2, 0: 1}, 5, 0.8095238, 0.031150889),
        ({i: i for i in range(21)}, 5, 1.0, 0.008147868),
        ({}, 5, 0.23809524, 3.4028235e38),
        ({10: 5}, 21, 1.0, 0.0),
    ],
)
def test_calibration(places, bins, threshold, divergence):
    hist = torch.zeros(21)
    for place, count in places.items():
        hist[place] = count
    op = find("_contrib_calibrate_entropy").of({"num_quantized_bins": bins})
    got = op.forward(hist, torch.linspace(-1, 1, 22))
    assert got[0].item() == pytest.approx(threshold, abs=1e-6)
    assert got[1].item() == pytest.approx(divergence, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("size", range(3, 12))
@pytest.mark.parametrize("levels", [1, 2, 3])
def test_thresholds_are_borders_of_the_histogram(size, levels):
    edges = torch.linspace(-1, 1, size + 1)
    op = find("_contrib_calibrate_entropy").of({"num_quantized_bins": levels})
    for hist in (torch.arange(size).float(), torch.ones(size), torch.eye(size)[0]):
        assert op.forward(hist, edges)[0] in edges
