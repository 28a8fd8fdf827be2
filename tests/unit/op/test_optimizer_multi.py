# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.library  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.op.infer import Shapes
from mxnova.core.op.schema import find
from tests.unit.op.samples import Sample
from tests.unit.op.test_optimizer import inferred_dtypes

# Several weights in one call --------------------------------------------------------------------

SGD = {"rescale_grad": 0.5, "clip_gradient": 0.6}
LRS, WDS, ETAS = (0.1, 0.2, 0.3), (0.01, 0.0, 0.02), (0.7, 0.8, 1.0)
SHAPES = ((3, 4), (5,), (1,))

# fmt: off
MULTI = [  # name, the single update, states, parameters of both
    ("multi_sgd_update", "sgd_update", "", SGD),
    ("multi_mp_sgd_update", "mp_sgd_update", "weight32", SGD),
    ("multi_sgd_mom_update", "sgd_mom_update", "mom", {**SGD, "momentum": 0.9}),
    ("multi_mp_sgd_mom_update", "mp_sgd_mom_update", "mom weight32", {**SGD, "momentum": 0.9}),
    ("_multi_nag_mom_update", "nag_mom_update", "mom", {**SGD, "momentum": 0.9}),
    ("_multi_signum_update", "signum_update", "mom", {**SGD, "momentum": 0.9, "wd_lh": 0.1}),
    ("_multi_rmsprop_update", "rmsprop_update", "n", {**SGD, "clip_weights": 0.9}),
    ("_multi_rmspropalex_update", "rmspropalex_update", "n g delta", {**SGD, "epsilon": 9.0}),
    ("_multi_ftrl_update", "ftrl_update", "z n", {**SGD, "lamda1": 0.3}),
    ("_multi_adamw_update", "_adamw_update", "mean var", {"clip_gradient": 0.6}),
    ("_multi_mp_adamw_update", "_mp_adamw_update", "mean var weight32", {"clip_gradient": 0.6}),
]
# fmt: on


def multi_arrays(states):
    rng = np.random.default_rng(1)
    groups = []
    for shape in SHAPES:
        weight, grad = (torch.from_numpy(rng.uniform(-2, 2, shape)).float() for _ in range(2))
        if "weight32" in states:
            weight, grad = weight.half(), grad.half()
        others = {n: torch.from_numpy(rng.uniform(0.1, 2, shape)).float() for n in states}
        if "weight32" in others:
            others["weight32"] = weight.float()
        groups.append([weight, grad, *others.values()])
    return groups


def flat(groups):
    return [array for group in groups for array in group]


def assert_groups_close(groups, reference):
    for got, want in zip(flat(groups), flat(reference), strict=True):
        torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name, single, states, attrs", MULTI, ids=[m[0] for m in MULTI])
def test_multi_is_many_singles(name, single, states, attrs):
    groups, reference = multi_arrays(states.split()), multi_arrays(states.split())
    many, extra = {"lrs": LRS, "wds": WDS, "num_weights": 3, **attrs}, []
    if "adamw" in name:
        many["etas"], extra = ETAS, [torch.tensor([0.5])]
    for i, group in enumerate(reference):
        one = {"lr": LRS[i], "wd": WDS[i], **attrs, **({"eta": ETAS[i]} if extra else {})}
        in_place = {} if single == "ftrl_update" else {"out": (group[0],)}
        group[0] = find(single).of(one).forward(*group, *extra, **in_place)
        if name == "_multi_adamw_update":
            group[1] = groups[i][1]  # only the single one writes to the gradient
    op = find(name).of(many)
    results = op.forward(*flat(groups), *extra, out=tuple(g[0] for g in groups))
    assert all(r is g[0] for r, g in zip(results, groups, strict=True))
    assert_groups_close(groups, reference)


@pytest.mark.parametrize("momentum", [None, 0.9])
@pytest.mark.parametrize("master", [False, True])
def test_preloaded(momentum, master):
    states = [n for n, used in (("mom", momentum), ("weight32", master)) if used]
    groups, reference = multi_arrays(states), multi_arrays(states)
    kind = ("mp_" if master else "") + "sgd_" + ("mom_" if momentum else "") + "update"
    attrs = {**SGD, "num_weights": 3, **({"momentum": momentum} if momentum else {})}
    find(f"multi_{kind}").of({**attrs, "lrs": LRS, "wds": WDS}).forward(
        *flat(reference), out=tuple(g[0] for g in reference)
    )
    op = find(f"preloaded_multi_{kind}").of(attrs)
    rates = torch.tensor(LRS), torch.tensor(WDS)
    op.forward(*flat(groups), *rates, out=tuple(g[0] for g in groups))
    assert_groups_close(groups, reference)
    assert op.inputs()[-2:] == ("lrs", "wds")


@pytest.mark.parametrize("bounds", [(-1, -1), (1, 2)])
@pytest.mark.parametrize("master", [False, True])
def test_multi_lamb(bounds, master):
    states = ["mean", "var", *(["weight32"] if master else [])]
    groups, reference = multi_arrays(states), multi_arrays(states)
    limits = dict(zip(("lower_bound", "upper_bound"), bounds, strict=True))
    for i, group in enumerate(reference):
        weight, grad, mean, var = (t.float() for t in group[:4])
        phase1 = {"t": i + 1, "wd": WDS[i], **SGD}
        g = find("lamb_update_phase1").of(phase1).forward(weight, grad, mean, var)
        norms = weight.norm().reshape(1), g.norm().reshape(1)
        phase2 = find("lamb_update_phase2").of({"lr": LRS[i], **limits})
        updated = phase2.forward(weight, g, *norms, out=None)
        group[0].copy_(updated)
        group[4:] = [updated] if master else []
    op = find("_multi_mp_lamb_update" if master else "_multi_lamb_update").of(
        {"learning_rates": LRS, "wds": WDS, "step_count": (1, 2, 3), "num_tensors": 3, **SGD, **limits}
    )  # fmt: skip
    op.forward(*flat(groups), out=tuple(g[0] for g in groups))
    assert_groups_close(groups, reference)


def test_multi_names():
    op = find("multi_mp_sgd_mom_update").of({"lrs": (1, 1), "wds": (0, 0), "num_weights": 2})
    assert op.inputs() == (
        "weight_0", "grad_0", "mom_0", "weight32_0", "weight_1", "grad_1", "mom_1", "weight32_1",
    )  # fmt: skip
    assert op.mutates == ("mom_0", "weight32_0", "mom_1", "weight32_1")
    assert op.outputs() == ("output0", "output1")
    assert find("multi_sgd_update").of({"lrs": (1,), "wds": (0,)}).outputs() == ("output",)


def test_multi_infers_each_weight_on_its_own():
    op = find("preloaded_multi_mp_sgd_update").of({"num_weights": 2})
    names = (*op.inputs(), *op.outputs())
    known = {"grad_0": (2, 3), "weight_1": (4,)}
    s = Shapes(op.name, op.inputs(), op.outputs(), [known.get(n) for n in names])
    op.infer_shape(s)
    assert [s.known(n) for n in names] == [*[(2, 3)] * 3, *[(4,)] * 3, (2,), (2,), (2, 3), (4,)]
    dtypes = inferred_dtypes(
        op.name, {"num_weights": 2}, {"weight_0": torch.float16, "grad_1": torch.float16}
    )
    assert {n for n, d in dtypes.items() if d == "float32"} == {"weight32_0", "weight32_1", "lrs", "wds"}  # fmt: skip


@pytest.mark.parametrize("argument", ["lrs", "wds", "etas"])
def test_multi_needs_a_value_for_each_weight(argument):
    attrs = {"lrs": (1, 1), "wds": (0, 0), "etas": (1, 1), "num_weights": 2, argument: (1, 1, 1)}
    op = find("_multi_adamw_update").of(attrs)
    s = Shapes(op.name, op.inputs(), op.outputs(), [None] * (len(op.inputs()) + 2))
    with pytest.raises(MXNetError, match=rf"{argument}=.*2 values"):
        op.infer_shape(s)


# All gradients at once --------------------------------------------------------------------------

ONES = np.ones(3, "float32")
NAN = np.array([[1, np.nan]], "float32")
INF = np.array([np.inf], "float16")

# fmt: off
SAMPLES = [
    Sample("all_finite", [ONES], expected=np.float32([1])),
    Sample("all_finite", [NAN], expected=np.float32([0]), note="nan"),
    Sample("all_finite", [INF], expected=np.float32([0]), note="inf"),
    Sample("all_finite", [-INF], expected=np.float32([0]), note="-inf"),
    Sample("all_finite", [ONES[:0]], expected=np.float32([1]), note="empty"),
    Sample("multi_all_finite", [ONES, ONES], {"num_arrays": 2}, np.float32([1])),
    Sample("multi_all_finite", [ONES, NAN], {"num_arrays": 2}, np.float32([0]), note="nan"),
    Sample("multi_sum_sq", [(2, 3), (4,)], {"num_arrays": 2}, lambda a, b: np.float32([(a**2).sum(), (b**2).sum()])),
    Sample("multi_sum_sq", [np.full(100, 300, "float16")], {"num_arrays": 1}, np.float32([np.inf]), note="half"),
]
# fmt: on


def test_finiteness_is_accumulated_into_the_output():
    op = find("all_finite").of({"init_output": False})
    ones = torch.ones(2)
    assert op.forward(ones, out=(torch.zeros(1),)) == 0
    assert op.forward(ones, out=(torch.ones(1),)) == 1
    assert op.forward(ones * torch.nan, out=(torch.ones(1),)) == 0
    assert find("all_finite").of({}).forward(ones, out=(torch.zeros(1),)) == 1


@pytest.mark.parametrize("name", ["multi_all_finite", "multi_sum_sq", "reset_arrays"])
def test_integers_are_refused(name):
    with pytest.raises(MXNetError, match="array_0 has type int32"):
        inferred_dtypes(name, {"num_arrays": 1}, {"array_0": torch.int32})


def test_layer_wise_rates():
    op = find("multi_lars").of({"eta": 0.1, "eps": 0.01, "rescale_grad": 0.5})
    lrs, weights = torch.tensor([0.1, 0.2, 0.3, 0.4]), torch.tensor([4.0, 0, 4, 4])
    grads, wds = torch.tensor([9.0, 9, 0, 9]), torch.tensor([0.1, 0.1, 0.1, 0])
    expected = [0.1 * 0.1 * 2 / (1.5 + 0.2 + 0.01), 0.2, 0.3, 0.4 * 0.1 * 2 / (1.5 + 0.01)]
    np.testing.assert_allclose(op.forward(lrs, weights, grads, wds), expected, rtol=1e-6)


def test_reset_arrays():
    arrays = torch.ones(2, 3), torch.ones(4, dtype=torch.float16)
    assert find("reset_arrays").of({"num_arrays": 2}).forward(*arrays) == ()
    assert not any(a.any() for a in arrays)
