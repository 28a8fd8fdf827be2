# SPDX-License-Identifier: Apache-2.0
"""Ray Train: a checkpoint trained further by two workers, which write one after each epoch."""

from __future__ import annotations

import tempfile

import ray.data
import ray.train
import torch
from ray.train.torch import TorchTrainer, prepare_model

import mxnova as mx


def work(config: dict) -> None:
    module = mx.to_torch(config["prefix"], heads="strip", copy=True)
    parallel = prepare_model(module.train())
    optimizer = torch.optim.AdamW(module.parameters(), lr=0.1)
    for epoch in range(1, config["epochs"] + 1):
        for batch in ray.train.get_dataset_shard("train").iter_torch_batches(batch_size=32):
            loss = torch.nn.functional.cross_entropy(parallel(batch["data"]), batch["class"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with tempfile.TemporaryDirectory() as folder:
            mx.from_torch(module, f"{folder}/model", epoch)
            saved = ray.train.Checkpoint.from_directory(folder)
            ray.train.report({"loss": loss.item()}, checkpoint=saved)


def train(prefix: str, rows: ray.data.Dataset, epochs: int, storage: str) -> ray.train.Result:
    return TorchTrainer(
        work,
        train_loop_config={"prefix": prefix, "epochs": epochs},
        datasets={"train": rows},
        scaling_config=ray.train.ScalingConfig(num_workers=2),
        run_config=ray.train.RunConfig(storage_path=storage),
    ).fit()
