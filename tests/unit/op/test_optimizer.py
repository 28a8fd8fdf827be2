# SPDX-License-Identifier: Apache-2.0
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch

import mxnova.core.op.library  # noqa: F401
from mxnova.core.base.errors import ArgumentError, MXNetError
from mxnova.core.op.infer import DTypes, Shapes
from mxnova.core.op.schema import find
from tests.unit.op.samples import Sample, check

SHAPE = (3, 4)


# The updates in NumPy: arrays, then parameters, to the new weight and the new states ------------


def clip(x, bound):
    return x if bound < 0 else np.clip(x, -bound, bound)


def sgd(w, g, *, lr, wd, rescale_grad, clip_gradient):
    return (w - lr * (clip(rescale_grad * g, clip_gradient) + wd * w),)


def sgd_mom(w, g, mom, *, lr, momentum, wd, rescale_grad, clip_gradient):
    mom = momentum * mom - lr * (clip(rescale_grad * g, clip_gradient) + wd * w)
    return w + mom, mom


def nag(w, g, mom, *, lr, momentum, wd, rescale_grad, clip_gradient):
    g = clip(rescale_grad * g, clip_gradient)
    d = lr * (g + wd * w)
    new = w + momentum * (momentum * mom - d) - d
    return new, momentum * mom - lr * (g + wd * new)  # in place, the momentum sees the new weight


def signsgd(w, g, *, lr, wd, rescale_grad, clip_gradient):
    return ((1 - lr * wd) * w - lr * np.sign(g),)


def signum(w, g, mom, *, lr, momentum, wd, rescale_grad, clip_gradient, wd_lh):
    g = clip(rescale_grad * g, clip_gradient)
    mom = momentum * mom - (1 - momentum) * (g + wd * w)
    return (1 - lr * wd_lh) * w + lr * np.sign(mom), mom


def adam(w, g, mean, var, *, lr, beta1, beta2, epsilon, wd, rescale_grad, clip_gradient):
    g = clip(rescale_grad * g + wd * w, clip_gradient)
    mean, var = beta1 * mean + (1 - beta1) * g, beta2 * var + (1 - beta2) * g**2
    return w - lr * mean / (np.sqrt(var) + epsilon), mean, var


def adamw(w, g, mean, var, scale, *, lr, beta1, beta2, epsilon, wd, eta, clip_gradient):
    g = clip(scale * g, clip_gradient)
    mean, var = beta1 * mean + (1 - beta1) * g, beta2 * var + (1 - beta2) * g**2
    return w - eta * (lr * mean / (np.sqrt(var) + epsilon) + wd * w), mean, var


def lamb_direction(
    w, g, mean, var, *, beta1, beta2, epsilon, t, bias_correction, wd, rescale_grad, clip_gradient
):
    g = clip(rescale_grad * g, clip_gradient)
    mean, var = beta1 * mean + (1 - beta1) * g, beta2 * var + (1 - beta2) * g**2
    m, v = (mean / (1 - beta1**t), var / (1 - beta2**t)) if bias_correction else (mean, var)
    return m / (np.sqrt(v) + epsilon) + wd * w, mean, var


def lamb_step(w, g, r1, r2, *, lr, lower_bound, upper_bound):
    r1 = max(r1, lower_bound) if lower_bound >= 0 else r1
    r1 = min(r1, upper_bound) if upper_bound >= 0 else r1
    return (w - lr * (r1 / r2 if r1 != 0 and r2 != 0 else 1) * g,)


def adagrad(w, g, history, *, lr, epsilon, wd, rescale_grad, clip_gradient):
    g = clip(rescale_grad * g, clip_gradient)
    history = history + g**2
    return w - lr * g / np.sqrt(history + epsilon), history


def group_adagrad(w, g, history, *, lr, rescale_grad, clip_gradient, epsilon):
    g = clip(rescale_grad * g, clip_gradient)
    history = history + (g**2).mean(1, keepdims=True)
    return w - lr * g / np.sqrt(history + epsilon), history


def rmsprop(w, g, n, *, lr, gamma1, epsilon, wd, rescale_grad, clip_gradient, clip_weights):
    g = clip(rescale_grad * g + wd * w, clip_gradient)
    n = gamma1 * n + (1 - gamma1) * g**2
    return clip(w - lr * g / np.sqrt(n + epsilon), clip_weights), n


def rmspropalex(
    w, g, n, mean, delta, *,
    lr, gamma1, gamma2, epsilon, wd, rescale_grad, clip_gradient, clip_weights,
):  # fmt: skip
    g = clip(rescale_grad * g + wd * w, clip_gradient)
    n, mean = gamma1 * n + (1 - gamma1) * g**2, gamma1 * mean + (1 - gamma1) * g
    delta = gamma2 * delta - lr * g / np.sqrt(n - mean**2 + epsilon)
    return clip(w + delta, clip_weights), n, mean, delta


def ftrl(w, g, z, n, *, lr, lamda1, beta, wd, rescale_grad, clip_gradient):
    g = clip(rescale_grad * g, clip_gradient)
    z = z + g - (np.sqrt(n + g**2) - np.sqrt(n)) / lr * w
    n = n + g**2
    w = (np.sign(z) * lamda1 - z) / ((beta + np.sqrt(n)) / lr + wd) * (np.abs(z) > lamda1)
    return w, z, n


def ftml(w, g, d, v, z, *, lr, beta1, beta2, epsilon, t, wd, rescale_grad, clip_grad):
    g = clip(rescale_grad * g + wd * w, clip_grad)
    v = beta2 * v + (1 - beta2) * g**2
    new_d = (1 - beta1**t) / lr * (np.sqrt(v / (1 - beta2**t)) + epsilon)
    z = beta1 * z + (1 - beta1) * g - (new_d - beta1 * d) * w
    return -z / new_d, new_d, v, z


# Every update, in several settings and layouts --------------------------------------------------


@dataclass(frozen=True)
class Update:
    """An update: its states, which of them must not be negative, its formula and parameters."""

    op: str
    formula: object
    states: str = ""
    positive: str = ""
    attrs: dict = field(default_factory=dict)
    settings: tuple = ("wd", "rescale_grad", "clip_gradient")

    def __str__(self):
        return self.op


# fmt: off
UPDATES = [
    Update("sgd_update", sgd, attrs={"lr": 0.1}),
    Update("sgd_mom_update", sgd_mom, "mom", attrs={"lr": 0.1, "momentum": 0.9}),
    Update("nag_mom_update", nag, "mom", attrs={"lr": 0.1, "momentum": 0.9}),
    Update("signsgd_update", signsgd, attrs={"lr": 0.1}),
    Update("signum_update", signum, "mom", attrs={"lr": 0.1, "momentum": 0.9, "wd_lh": 0.02}),
    Update("adam_update", adam, "mean var", "var", {"lr": 0.1, "epsilon": 0.01}),
    Update("_sparse_adagrad_update", adagrad, "history", "history", {"lr": 0.1}, ("rescale_grad", "clip_gradient")),
    Update("rmsprop_update", rmsprop, "n", "n", {"lr": 0.1, "gamma1": 0.8, "epsilon": 0.01}),
    Update("rmsprop_update", rmsprop, "n", "n", {"lr": 0.1, "clip_weights": 0.5}),
    Update("rmspropalex_update", rmspropalex, "n g delta", "n", {"lr": 0.1, "gamma1": 0.9, "epsilon": 5}),
    Update("rmspropalex_update", rmspropalex, "n g delta", "n", {"lr": 0.1, "epsilon": 5, "clip_weights": 0.5}),
    Update("ftrl_update", ftrl, "z n", "n", {"lr": 0.1, "lamda1": 1.0}),
    Update("ftml_update", ftml, "d v z", "d v", {"lr": 0.1, "t": 3, "beta2": 0.9}, ("wd", "rescale_grad", "clip_grad")),
]
# fmt: on
VALUES = {"wd": 0.02, "rescale_grad": 0.5, "clip_gradient": 0.3, "clip_grad": 0.3}


def settings(update):
    """Its parameters: alone, with decay and rescaling, and with everything."""
    usual = {name: VALUES[name] for name in update.settings}
    unclipped = {n: v for n, v in usual.items() if not n.startswith("clip")}
    return [update.attrs, {**update.attrs, **unclipped}, {**update.attrs, **usual}]


def arrays_of(update, seed=0):
    rng = np.random.default_rng(seed)
    names = ["weight", "grad", *update.states.split()]
    arrays = [rng.uniform(-2, 2, SHAPE) for _ in names]
    return [
        abs(a) if n in update.positive.split() else a for n, a in zip(names, arrays, strict=True)
    ]


def contiguous(a, dtype):
    return torch.from_numpy(a).to(dtype)


def transposed(a, dtype):
    return torch.from_numpy(a.T.copy()).to(dtype).T


def facts(op, out):
    return {"out": out} if "out" in op.type.signature.facts else {}


def typed(op):
    return {f.name: op.attr(f.name) for f in op.type.fields if f.name != "lazy_update"}


@pytest.mark.parametrize(
    "layout, dtype, tol",
    [
        (contiguous, torch.float32, 2e-6),
        (transposed, torch.float32, 2e-6),
        (contiguous, torch.float64, 1e-12),
        (contiguous, torch.float16, 2e-2),
    ],
    ids=["fused", "strided", "float64", "float16"],
)
@pytest.mark.parametrize("update", UPDATES, ids=str)
def test_update_in_place(update, layout, dtype, tol):
    for attrs in settings(update):
        op = find(update.op).of(attrs)
        weight, grad, *states = tensors = [layout(a, dtype) for a in arrays_of(update)]
        given = [t.double().numpy().copy() for t in tensors]
        expected = update.formula(*given, **typed(op))
        result = op.forward(*tensors, **facts(op, (weight,)))
        assert result is weight or update.op in ("ftrl_update", "ftml_update")
        for got, want in zip([result, *states], expected, strict=True):
            np.testing.assert_allclose(got.double().numpy(), want, rtol=tol, atol=tol)
        np.testing.assert_array_equal(grad.double().numpy(), given[1])


@pytest.mark.parametrize("update", UPDATES, ids=str)
def test_update_without_out_copies_the_weight(update):
    op = find(update.op).of(update.attrs)
    weight, *others = (contiguous(a, torch.float32) for a in arrays_of(update))
    before = weight.clone()
    result = op.forward(weight, *others, **facts(op, None))
    assert torch.equal(weight, before)
    assert not torch.equal(result, before)
    assert op.mutates == tuple(update.states.split())


@pytest.mark.parametrize("update", UPDATES, ids=str)
def test_declaration(update):
    inputs = [a.astype("float32") for a in arrays_of(update)]
    check(Sample(update.op, inputs, update.attrs, note="declared"))


def test_momentum_out_of_place_decays_by_the_old_weight():
    attrs = {"lr": 0.1, "momentum": 0.9, "wd": 0.5}
    weight, grad, mom = torch.ones(3, 4).split(1)
    find("nag_mom_update").of(attrs).forward(weight, grad, mom, out=None)
    assert mom[0, 0] == pytest.approx(0.9 - 0.1 * (1 + 0.5))


def test_zero_momentum_keeps_the_last_step():
    weight, grad, mom = torch.ones(3, 4).split(1)
    find("sgd_mom_update").of({"lr": 0.5}).forward(weight, grad, mom, out=(weight,))
    assert weight.eq(0.5).all()
    assert mom.eq(-0.5).all()


def test_tiny_rates_keep_their_digits():
    weight, grad = torch.zeros(1), torch.full((1,), 3.0)
    mom = torch.zeros(1)
    op = find("sgd_mom_update").of({"lr": 1e-3, "momentum": 0.9, "rescale_grad": 1e-9})
    op.forward(weight, grad, mom, out=(weight,))
    assert mom.item() == pytest.approx(-3e-12, rel=1e-6)


@pytest.mark.parametrize("beta1, beta2", [(1, 0.9), (0.9, 1), (0.3, 0.9)])
def test_adam_with_unusual_decays(beta1, beta2):
    update = next(u for u in UPDATES if u.op == "adam_update")
    op = find("adam_update").of({**update.attrs, "beta1": beta1, "beta2": beta2})
    tensors = [contiguous(a, torch.float32) for a in arrays_of(update)]
    expected = adam(*(t.double().numpy() for t in tensors), **typed(op))
    result = op.forward(*tensors, out=None)
    np.testing.assert_allclose(result.numpy(), expected[0], rtol=1e-5)


def test_infinite_gradient_stays_infinite_in_the_mean():
    mean, var = torch.zeros(1), torch.ones(1)
    op = find("adam_update").of({"lr": 0.1, "beta1": 0.5})
    op.forward(torch.ones(1), torch.full((1,), torch.inf), mean, var, out=None)
    assert mean.item() == torch.inf


@pytest.mark.parametrize("name", ["sgd_update", "sgd_mom_update", "adam_update"])
def test_writes_are_counted(name):
    update = next(u for u in UPDATES if u.op == name)
    tensors = [contiguous(a, torch.float32) for a in arrays_of(update)]
    before = [t._version for t in tensors]
    find(name).of(update.attrs).forward(*tensors, out=(tensors[0],))
    written = [t._version > b for t, b in zip(tensors, before, strict=True)]
    assert written == [True, False, *(True for _ in update.states.split())]


def test_parameters_out_of_bounds():
    with pytest.raises(ArgumentError, match=r"beta1.*1\.5"):
        find("ftml_update").of({"lr": 0.1, "t": 1, "beta1": 1.5})


# With a float32 copy of the weight --------------------------------------------------------------


@pytest.mark.parametrize("name", ["sgd_update", "sgd_mom_update", "nag_mom_update"])
@pytest.mark.parametrize("in_place", [True, False])
def test_master_weight(name, in_place):
    update = next(u for u in UPDATES if u.op == name)
    _, _, *states = arrays_of(update)
    half = [contiguous(a, torch.float16) for a in arrays_of(update)[:2]]
    full = [contiguous(a, torch.float32) for a in states]
    weight32 = half[0].float()
    reference = [weight32.clone(), half[1].float(), *(t.clone() for t in full)]
    attrs = settings(update)[-1]
    find(name).of(attrs).forward(*reference, out=(reference[0],))

    op = find(f"mp_{name}").of(attrs)
    result = op.forward(*half, *full, weight32, out=(half[0],) if in_place else None)
    assert (result is half[0]) == in_place
    assert op.mutates == (*update.states.split(), "weight32")
    assert torch.equal(weight32, reference[0])
    assert torch.equal(result, weight32.half())
    for got, want in zip(full, reference[2:], strict=True):
        assert torch.equal(got, want)


def inferred_dtypes(name, attrs, known):
    op = find(name).of(attrs)
    names = (*op.inputs(), *op.outputs())
    t = DTypes(op.name, op.inputs(), op.outputs(), [known.get(n) for n in names])
    op.infer_dtype(t)
    return {n: str(t.known(n)).removeprefix("torch.") for n in names}


def test_master_dtypes():
    found = inferred_dtypes("mp_sgd_mom_update", {"lr": 0.1}, {"grad": torch.float16})
    assert found == {
        "weight": "float16",
        "grad": "float16",
        "mom": "float32",
        "weight32": "float32",
        "output": "float16",
    }
    with pytest.raises(MXNetError, match="weight32"):
        inferred_dtypes("mp_sgd_update", {"lr": 0.1}, {"weight32": torch.float16})


# AdamW ------------------------------------------------------------------------------------------

ADAMW = {"lr": 0.1, "eta": 0.7, "wd": 0.02, "epsilon": 0.01}


def adamw_arrays(dtype, seed=0):
    weight, grad, mean, var = np.random.default_rng(seed).uniform(-2, 2, (4, *SHAPE))
    return [torch.from_numpy(a).to(dtype) for a in (weight, grad, mean, abs(var))]


@pytest.mark.parametrize("dtype, tol", [(torch.float32, 2e-6), (torch.float64, 1e-12)])
@pytest.mark.parametrize("bound", [-1, 0.3])
def test_adamw(dtype, tol, bound):
    op = find("_adamw_update").of({**ADAMW, "clip_gradient": bound})
    tensors = adamw_arrays(dtype)
    weight, grad, mean, var = tensors
    used = clip(0.5 * grad.double().numpy(), op.attr("clip_gradient"))
    expected = adamw(*(t.double().numpy().copy() for t in tensors), 0.5, **typed(op))
    assert op.forward(*tensors, torch.tensor([0.5]), out=(weight,)) is weight
    for got, want in zip((weight, mean, var), expected, strict=True):
        np.testing.assert_allclose(got.double().numpy(), want, rtol=tol, atol=tol)
    np.testing.assert_allclose(grad.double().numpy(), used, rtol=tol)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("scale", [0.0, np.inf, np.nan])
def test_adamw_skips_unusable_scales(dtype, scale):
    tensors = adamw_arrays(dtype)
    before = [t.clone() for t in tensors]
    op = find("_adamw_update").of({**ADAMW, "clip_gradient": 0.3})
    op.forward(*tensors, torch.tensor([scale]), out=(tensors[0],))
    assert all(torch.equal(t, b) for t, b in zip(tensors, before, strict=True))


def test_adamw_without_a_learning_rate_only_decays():
    tensors = adamw_arrays(torch.float32)
    expected = tensors[0] * (1 - 0.7 * 0.02)
    op = find("_adamw_update").of({**ADAMW, "lr": 0})
    torch.testing.assert_close(op.forward(*tensors, torch.ones(1), out=None), expected)


def test_mp_adamw():
    weight, grad, mean, var = adamw_arrays(torch.float32)
    weight16, grad16 = weight.half(), grad.half()
    weight32 = weight16.float()
    reference = [weight32.clone(), grad16.float(), mean.clone(), var.clone()]
    scale = torch.tensor([0.5])
    find("_adamw_update").of(ADAMW).forward(*reference, scale, out=(reference[0],))
    op = find("_mp_adamw_update").of(ADAMW)
    result = op.forward(weight16, grad16, mean, var, weight32, scale, out=(weight16,))
    assert torch.equal(weight32, reference[0])
    assert torch.equal(result, reference[0].half())
    assert torch.equal(mean, reference[2])
    assert torch.equal(var, reference[3])
    assert op.mutates == ("mean", "var", "weight32")


# LAMB -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("corrected", [True, False])
@pytest.mark.parametrize("bound", [-1, 0.3])
def test_lamb_direction(corrected, bound):
    attrs = {"t": 2, "wd": 0.02, "rescale_grad": 0.5, "epsilon": 0.01}
    op = find("lamb_update_phase1").of(
        {**attrs, "bias_correction": corrected, "clip_gradient": bound}
    )
    tensors = adamw_arrays(torch.float64)
    mp_tensors = [tensors[0].half(), tensors[1].half(), *(t.float() for t in tensors[2:])]
    expected = lamb_direction(*(t.numpy().copy() for t in tensors), **typed(op))
    for got, want in zip([op.forward(*tensors), *tensors[2:]], expected, strict=True):
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-6)

    mp = find("mp_lamb_update_phase1").of(typed(op))
    direction = mp.forward(*mp_tensors, mp_tensors[0].float())
    assert direction.dtype is torch.float32
    np.testing.assert_allclose(direction.numpy(), expected[0], rtol=5e-3, atol=5e-3)


def test_lamb_power_is_rounded_as_the_weight():
    arrays = [torch.full((1,), x).half() for x in (0.0, 1.0, 0.0, 0.0)]
    op = find("lamb_update_phase1").of({"t": 1, "wd": 0, "beta2": 0.999, "epsilon": 0})
    corrected = op.forward(*arrays)
    assert corrected.item() == pytest.approx(np.sqrt((1 - np.float32(np.float16(0.999))) / 1e-3), rel=3e-3)  # fmt: skip


@pytest.mark.parametrize(
    "r1, r2, lower, upper",
    [(2, 4, -1, -1), (0, 4, -1, -1), (2, 0, -1, -1), (2, 4, 3, -1), (2, 4, -1, 1), (2, 4, 3, 1), (2, 4, 0, 0)],
)  # fmt: skip
def test_lamb_step(r1, r2, lower, upper):
    attrs = {"lr": 0.1, "lower_bound": lower, "upper_bound": upper}
    weight, g, *_ = adamw_arrays(torch.float32)
    norms = torch.tensor([float(r1)]), torch.tensor([float(r2)])
    (expected,) = lamb_step(weight.numpy().copy(), g.numpy(), float(r1), float(r2), **attrs)

    weight16, weight32 = weight.half(), weight.clone()
    mp = find("mp_lamb_update_phase2").of(attrs)
    result = mp.forward(weight16, g, *norms, weight32, out=(weight16,))
    assert torch.equal(weight32, weight)
    np.testing.assert_array_equal(result.numpy(), expected.astype("float16"))

    op = find("lamb_update_phase2").of(attrs)
    assert op.forward(weight, g, *norms, out=(weight,)) is weight
    np.testing.assert_allclose(weight.numpy(), expected, rtol=1e-6)


def test_lamb_norms_must_be_numbers():
    s = Shapes("lamb_update_phase2", ("weight", "g", "r1", "r2"), ("output",), [(2, 3), None, (2,), (1,), None])  # fmt: skip
    with pytest.raises(MXNetError, match=r"r1 has shape \[2\]"):
        find("lamb_update_phase2").of({"lr": 0.1}).infer_shape(s)
    assert s.g == (2, 3)


def test_lamb_master_is_for_float16():
    attrs = {"t": 1, "wd": 0}
    assert inferred_dtypes("mp_lamb_update_phase1", attrs, {})["weight"] == "float16"
    with pytest.raises(MXNetError, match="float32"):
        inferred_dtypes("mp_lamb_update_phase1", attrs, {"weight": torch.float32})


# AdaGrad with one rate per row ------------------------------------------------------------------


def test_group_adagrad():
    op = find("_contrib_group_adagrad_update").of(
        {"lr": 0.1, "epsilon": 0.5, "rescale_grad": 2, "clip_gradient": 1}
    )
    weight, grad, *_ = adamw_arrays(torch.float64)
    history = torch.ones(3, 1, dtype=torch.float64)
    expected = group_adagrad(weight.numpy().copy(), grad.numpy(), history.numpy().copy(), **typed(op))  # fmt: skip
    assert op.forward(weight, grad, history, out=(weight,)) is weight
    np.testing.assert_allclose(weight.numpy(), expected[0])
    np.testing.assert_allclose(history.numpy(), expected[1])


@pytest.mark.parametrize("shape", [(), (2,), (2, 3)])
def test_group_adagrad_of_any_rank(shape):
    op = find("_contrib_group_adagrad_update").of({"lr": 0.1, "epsilon": 0})
    weight, grad, history = torch.ones(4, *shape), torch.full((4, *shape), 2.0), torch.zeros(4, 1)
    result = op.forward(weight, grad, history, out=None)
    assert history.eq(4).all()
    torch.testing.assert_close(result, torch.full((4, *shape), 0.9))


def test_group_adagrad_history_has_the_rows_of_the_weight():
    s = Shapes("op", ("weight", "grad", "history"), ("output",), [(2, 3), None, (3, 1), None])
    with pytest.raises(MXNetError, match=r"history has shape \[3,1\]"):
        find("_contrib_group_adagrad_update").of({"lr": 0.1}).infer_shape(s)


@pytest.mark.parametrize("op", ["ftrl_update", "_multi_ftrl_update"])
def test_a_learning_rate_of_zero_divides_as_in_mxnet(op):
    """NaN there, too: schedules end with it."""
    weight, grad, z, n = (torch.tensor([0.5, -1.0, 0.0]) for _ in range(4))
    n.abs_()
    together = {"lrs": (0.0,), "wds": (0.0,), "num_weights": 1}
    attrs = {"lr": 0.0} if op == "ftrl_update" else together
    found = find(op).of(attrs).forward(weight, grad, z, n)
    assert torch.as_tensor(found if op == "ftrl_update" else found[0]).isnan().all()
    np.testing.assert_array_equal(z.numpy(), [-np.inf, np.inf, np.nan])


def test_centered_squares_keep_a_small_epsilon():
    """0.25 + 1e-8 is 0.25 in float32: epsilon is added to what is left of the square."""
    weight, grad, n, g, delta = (torch.full((1,), 0.5) for _ in range(5))
    attrs = {"lr": 0.1, "gamma1": 0.0, "gamma2": 0.0}
    found = find("rmspropalex_update").of(attrs).forward(weight, grad, n, g, delta)
    np.testing.assert_allclose(found.numpy(), [0.5 - 0.1 * 0.5 / 1e-4], rtol=1e-5)
