# SPDX-License-Identifier: Apache-2.0
"""Operators give the values, gradients and side effects that MXNet gave."""

import numpy as np
import pytest

import mxnova as mx
from tests.conformance.replay import (
    GOLDEN,
    EagerReplay,
    Replay,
    arrays,
    assert_close,
    cases,
    quirks,
)

FAMILIES = sorted(p.stem for p in (GOLDEN / "ops").glob("*.json"))
SELECTED = [
    pytest.param(family, name, id=name) for family in FAMILIES for name in cases(f"ops/{family}")
]
QUIRKS = {name: family for family in FAMILIES for name in quirks(f"ops/{family}")}
SUMS = [name for name in QUIRKS if name.startswith("gradreq/")]
ROUGH = [name for name in QUIRKS if name not in SUMS]


@pytest.mark.parametrize("family, name", SELECTED)
def test_operator(family, name):
    case = cases(f"ops/{family}")[name]
    replay = Replay if case["mode"] == "symbol" else EagerReplay
    with mx.util.np_shape(case["np_shape"]):
        replay(case, arrays(f"ops/{family}")).run()


def quirk(name, **changes):
    """A case in which MXNet contradicts itself, as mxnova runs it, and its outputs."""
    case = {**quirks(f"ops/{QUIRKS[name]}")[name], **changes}
    replay = Replay(case, arrays(f"ops/{QUIRKS[name]}"))
    with mx.util.np_shape(case["np_shape"]):
        return replay, replay.execute()


@pytest.mark.parametrize("name", SUMS)
def test_gradients_are_added_to_what_is_there(name):
    """MXNet's operators add to some gradients what is not the gradient."""
    replay, outputs = quirk(name)
    plain, _ = quirk(name, grad_req=dict.fromkeys(replay.case["grad_req"], "write"), grad_init={})
    for output, key in zip(outputs, replay.case["outputs"], strict=True):
        assert_close(output.asnumpy(), replay.values[key], replay.case, "output")
    for argument, gradient in replay.grads.items():
        wanted = plain.grads[argument].asnumpy()
        if replay.case["grad_req"][argument] == "add":
            key = replay.case["grad_init"].get(argument)
            wanted = wanted + (0 if key is None else replay.values[key])
        assert_close(gradient.asnumpy(), wanted.astype(gradient.dtype), replay.case, argument)


@pytest.mark.parametrize("name", ROUGH)
def test_gradients_are_as_precise_as_their_type(name):
    """MXNet's kernels for float32 differ from its own for float64 by more than rounding."""
    replay, outputs = quirk(name)
    values = {key: value.astype("f8") for key, value in replay.values.items()}
    exact = Replay(replay.case, values)
    with mx.util.np_shape(replay.case["np_shape"]):
        wanted = exact.execute()
    for got, want in zip(outputs, wanted, strict=True):
        np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-4, atol=1e-4)
    for argument, gradient in replay.grads.items():
        want = exact.grads[argument].asnumpy()
        np.testing.assert_allclose(gradient.asnumpy(), want, rtol=1e-4, atol=1e-4)
