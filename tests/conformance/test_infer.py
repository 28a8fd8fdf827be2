# SPDX-License-Identifier: Apache-2.0
"""Shape and type inference, full and partial, forwards and backwards, as MXNet infers."""

import numpy as np
import pytest

import mxnova as mx
from tests.conformance.replay import cases

CASES = cases("infer/infer")


def listed(groups, shown):
    return [None if g is None else [None if x is None else shown(x) for x in g] for g in groups]


@pytest.mark.filterwarnings("ignore:infer_:UserWarning")
@pytest.mark.parametrize("name", CASES)
def test_inference(name):
    case = CASES[name]
    kind, full = case["kind"], case["mode"] == "full"
    convert, shown = (tuple, list) if kind == "shape" else (np.dtype, lambda t: np.dtype(t).name)
    with mx.util.np_shape(case.get("np_shape", False)):
        symbol = mx.sym.load_json(case["symbol_json"])
        infer = getattr(symbol, f"infer_{kind}" + ("" if full else "_partial"))
        known = {n: convert(v) for n, v in case["known"].items()}
        if case.get("raises"):
            with pytest.raises(mx.MXNetError):
                infer(**known)
            return
        got = listed(infer(**known), shown)
    assert got == [case[f"{part}_{kind}s"] for part in ("arg", "out", "aux")]
