# SPDX-License-Identifier: Apache-2.0
"""Ray Train: two workers train a network of Gluon with a dist_sync store."""

from __future__ import annotations

import tempfile

import numpy as np
import ray.train
from ray.train.torch import TorchTrainer

import mxnova as mx


def work(config: dict) -> None:
    store = mx.kv.create("dist_sync")  # meets by Ray's process group
    net = mx.gluon.nn.Dense(1, in_units=config["x"].shape[1])
    net.initialize(mx.init.Zero())
    learn = {"learning_rate": 0.1}
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", learn, kvstore=store)
    x, y = (mx.nd.array(config[name][store.rank :: store.num_workers]) for name in ("x", "y"))
    for _ in range(config["steps"]):
        with mx.autograd.record():
            loss = ((net(x)[:, 0] - y) ** 2).sum()
        loss.backward()
        trainer.step(len(config["x"]))
    with tempfile.TemporaryDirectory() as folder:
        net.save_parameters(f"{folder}/net.params")
        saved = ray.train.Checkpoint.from_directory(folder) if store.rank == 0 else None
        ray.train.report({"loss": loss.asscalar().item()}, checkpoint=saved)


def train(x: np.ndarray, y: np.ndarray, steps: int, storage: str) -> ray.train.Result:
    return TorchTrainer(
        work,
        train_loop_config={"x": x, "y": y, "steps": steps},
        scaling_config=ray.train.ScalingConfig(num_workers=2),
        run_config=ray.train.RunConfig(storage_path=storage),
    ).fit()
