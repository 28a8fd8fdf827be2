# SPDX-License-Identifier: Apache-2.0
"""What MXNet refuses is refused, with the facts that help."""

import numpy as np
import pytest

import mxnova as mx
from tests.conformance.replay import cases

CASES = cases("errors")


def symbol_of(case):
    if "symbol_json" in case:
        return mx.sym.load_json(case["symbol_json"])
    inputs = [mx.sym.var(n) for n in case["inputs"]]
    return mx.sym.invoke(case["op"], inputs, case["attrs"], case["op"].strip("_").lower())


def use(case):
    """Goes through all stages; tells whether inference found too little."""
    symbol = symbol_of(case)
    if case.get("arg_dtypes"):
        symbol.infer_type(**{n: np.dtype(t) for n, t in case["arg_dtypes"].items()})
    shapes, _, aux = symbol.infer_shape(
        **{n: tuple(s) for n, s in case.get("arg_shapes", {}).items()}
    )
    if shapes is None:
        return True
    if case.get("stage") == "bind":
        args = {n: mx.nd.zeros(s) for n, s in zip(symbol.list_arguments(), shapes)}
        for name in case.get("bind_drop", []):
            del args[name]
        for name, shape in case.get("bind_shapes", {}).items():
            args[name] = mx.nd.zeros(tuple(shape))
        states = {n: mx.nd.zeros(s) for n, s in zip(symbol.list_auxiliary_states(), aux)}
        symbol.bind(mx.cpu(), args, aux_states=states).forward()
    return False


@pytest.mark.filterwarnings("ignore:infer_:UserWarning")
@pytest.mark.parametrize("name", CASES)
def test_refusal(name):
    case = CASES[name]
    if case["raised_at"] == "infer_shape_incomplete":
        assert use(case)
        return
    with pytest.raises(mx.MXNetError) as error:
        use(case)
    facts = case["error_contains_any"]
    text = str(error.value).lower()
    assert "note" in case or not facts or any(f.lower() in text for f in facts), text
