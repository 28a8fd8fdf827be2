# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet's stores and trainers do; run it where MXNet is installed.

OMP_NUM_THREADS=1 python scripts/record/kvstore.py tests/data/kvstore.json
"""

from __future__ import annotations

import base64
import json
import sys
import tempfile
from pathlib import Path

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon

SHAPE = (4, 3)
N_STEPS = 3


def main(path: Path) -> None:
    found = {
        "compression": [compression(t, n) for t in (0.5, 0.3, 0.05) for n in (1, 2, 4)],
        "rows": rows(),
        "trainers": [trainer(case) for case in trainers()],
        "states": [states(case) for case in trainers() if not case["stype"]],
    }
    path.write_text(json.dumps(found, separators=(",", ":")).replace('{"', '\n{"') + "\n")


def listed(array) -> list:
    """The elements with the digits that tell float32 numbers apart."""
    values = array if isinstance(array, np.ndarray) else array.asnumpy()
    if values.ndim:
        return [listed(np.asarray(part)) for part in values]
    return float(f"{values:.9g}") if values.dtype.kind == "f" else int(values)


# Stores -------------------------------------------------------------------------------------------


def compression(threshold: float, n_devices: int) -> dict:
    rng = np.random.RandomState(n_devices)
    store = mx.kv.create("device")
    store.set_gradient_compression({"type": "2bit", "threshold": threshold})
    store.init(3, mx.nd.zeros((9,)))
    out = mx.nd.zeros((9,))
    pushed, pulled = [], []
    for _ in range(6):
        values = rng.uniform(-1, 1, (n_devices, 9)).astype(np.float32).round(3)
        store.push(3, [mx.nd.array(v, mx.cpu(i)) for i, v in enumerate(values)])
        store.pull(3, out)
        pushed.append(listed(values))
        pulled.append(listed(out))
    return {"threshold": threshold, "pushed": pushed, "pulled": pulled}


def rows() -> list[dict]:
    cases = []
    for name in ("local", "device"):
        for stored in ([0, 1, 3], [], [0, 1, 2, 3]):
            dense = np.zeros(SHAPE, np.float32)
            dense[stored] = np.arange(1, 13).reshape(SHAPE)[stored]
            for wanted in ([3, 1, 1], [2], [0, 1, 2, 3], [[1, 0], [0, 3]]):
                store = mx.kv.create(name)
                store.init("w", mx.nd.array(dense).tostype("row_sparse"))
                out = mx.nd.ones(SHAPE).tostype("row_sparse")
                store.row_sparse_pull("w", out=out, row_ids=mx.nd.array(wanted))
                cases.append({
                    "type": name,
                    "stored": listed(dense),
                    "row_ids": wanted,
                    "indices": listed(out.indices),
                    "values": listed(out),
                })  # fmt: skip
    return cases


# Trainers -----------------------------------------------------------------------------------------


def trainers() -> list[dict]:
    dense = [
        ("sgd", {"learning_rate": 0.1}),
        ("sgd", {"learning_rate": 0.1, "momentum": 0.9, "wd": 0.01}),
        ("adam", {"learning_rate": 0.05}),
    ]
    cases = [
        {"optimizer": name, "arguments": arguments, "kvstore": kvstore, "n_devices": n,
         "update_on_kvstore": on_store, "stype": None, "grad_stype": "default"}
        for name, arguments in dense
        for kvstore, n, on_store in [
            ("device", 1, None), (None, 2, None), ("local", 2, None), ("device", 3, None),
            ("device", 2, False), ("local", 3, False),
        ]
    ]  # fmt: skip
    cases += [
        {"optimizer": "sgd", "arguments": {"learning_rate": 0.1, "momentum": 0.9},
         "kvstore": "device", "n_devices": n, "update_on_kvstore": on_store, "stype": stype,
         "grad_stype": "row_sparse"}
        for stype, n, on_store in [
            ("default", 1, None), ("default", 2, None), ("default", 2, True), ("default", 2, False),
            ("row_sparse", 1, None), ("row_sparse", 2, None),
        ]
    ]  # fmt: skip
    return cases


def made(case: dict):
    contexts = [mx.cpu(i) for i in range(case["n_devices"])]
    params = [
        gluon.Parameter(name, shape=SHAPE, stype=case["stype"] or "default", lr_mult=lr,
                        grad_stype=case["grad_stype"])
        for name, lr in (("a_weight", 1.0), ("b_weight", 0.5))
    ]  # fmt: skip
    for param in params:
        param.initialize(mx.init.One(), ctx=contexts)
    return params, gluon.Trainer(
        params, case["optimizer"], case["arguments"], kvstore=case["kvstore"],
        update_on_kvstore=case["update_on_kvstore"],
    )  # fmt: skip


def backward(params, step: int) -> None:
    """Gradients that differ between steps, parameters, devices and rows."""
    for p, param in enumerate(params):
        sparse = param._stype != "default"
        every = mx.nd.arange(SHAPE[0])
        for d, ctx in enumerate(param.list_ctx()):
            factor = mx.nd.arange(1, 1 + SHAPE[1], ctx=ctx) * (step + 1) / (p + d + 2)
            rows = mx.nd.array([d % 2, 2], ctx=ctx)
            with autograd.record():
                if sparse:
                    weight = param.row_sparse_data(every.as_in_context(ctx))
                else:
                    weight = param.data(ctx)
                if param._grad_stype == "default":
                    loss = (weight * factor).sum()
                else:
                    taken = mx.nd.Embedding(rows, weight, *SHAPE, sparse_grad=True)
                    loss = (taken * factor).sum()
            loss.backward()


def weights(params) -> list:
    every = mx.nd.arange(SHAPE[0])
    return [
        [listed(p.data(c) if p._stype == "default" else p.row_sparse_data(every.as_in_context(c)))
         for c in p.list_ctx()]
        for p in params
    ]  # fmt: skip


def trainer(case: dict) -> dict:
    params, taught = made(case)
    trace = []
    for step in range(N_STEPS):
        backward(params, step)
        taught.step(2)
        trace.append(weights(params))
    store = taught._kvstore
    decided = [None if store is None else store.type, taught._update_on_kvstore]
    return {**case, "decided": decided, "trace": trace}


def states(case: dict) -> dict:
    """A file of states, and where training goes on from it with weights of ones."""
    params, taught = made(case)
    for step in range(2):
        backward(params, step)
        taught.step(2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.states")
        taught.save_states(str(path))
        content = path.read_bytes()
        params, taught = made(case)
        taught.load_states(str(path))
    backward(params, 2)
    taught.step(2)
    file = base64.b64encode(content).decode()
    return {**case, "file": file, "after": weights(params)}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
