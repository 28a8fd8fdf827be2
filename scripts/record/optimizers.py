# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet's optimizers do to weights and states; run it where MXNet is installed.

    OMP_NUM_THREADS=1 python scripts/record/optimizers.py tests/data/optimizer

What MXNet refuses is recorded by the class of its error.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import warnings
from pathlib import Path

os.environ["MXNET_STORAGE_FALLBACK_LOG_VERBOSE"] = "0"

import mxnet as mx
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))
import optimizer_programs as programs


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    logging.disable()
    arrays, facts = {}, {}
    for name, *case in programs.cases():
        try:
            arrays[name], facts[name] = programs.trace(mx, *case)
        except Exception as error:  # noqa: BLE001 - that it refuses is what is recorded
            facts[name] = type(error).__name__
    lines = (f"{json.dumps(name)}: {json.dumps(fact)}" for name, fact in facts.items())
    (folder / "traces.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    # One array for all: an npz of hundreds would be larger than what it holds.
    np.savez_compressed(
        folder / "traces.npz",
        values=np.concatenate([*arrays.values()]),
        sizes=np.array([len(values) for values in arrays.values()]),
    )


def resumable(folder: Path) -> None:
    """States after two updates, the weights at that time, and after three more."""
    random = [np.random.RandomState(seed) for seed in (0, 0, 1, 1)]
    dtypes = ("float32", "float16") * 2
    drawn = [mx.nd.array(r.randn(3, 2), dtype=d) for r, d in zip(random, dtypes, strict=True)]
    weights, grads = drawn[:2], drawn[2:]
    scheduler = mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.1)
    names = {0: "a_weight", 1: "b_bias"}
    made = mx.optimizer.Adam(
        0.1, lr_scheduler=scheduler, param_idx2name=names, multi_precision=True
    )
    updater = mx.optimizer.get_updater(made)
    found = {}
    for step in range(5):
        if step == 2:
            found.update((f"before{i}", weights[i].asnumpy()) for i in (0, 1))
            (folder / "mxnet.states").write_bytes(updater.get_states(dump_optimizer=True))
        for i in (0, 1):
            updater(i, grads[i], weights[i])
    found.update((f"after{i}", weights[i].asnumpy()) for i in (0, 1))
    np.savez(folder / "mxnet.npz", **found)


main(Path(sys.argv[1]))
resumable(Path(sys.argv[1]))
