# SPDX-License-Identifier: Apache-2.0
"""Ray Data: rows of a dataset classified by actors, each with its own predictor."""

from __future__ import annotations

import ray.data

import mxnova as mx


class Classifier:
    """An actor: batches with a column `data` get a column `class`."""

    def __init__(self, predictor: mx.Predictor) -> None:
        self.predictor = predictor

    def __call__(self, batch: dict) -> dict:
        (scores,) = self.predictor.predict(data=batch["data"])
        return {**batch, "class": scores.argmax(1)}


def classified(rows: ray.data.Dataset, predictor: mx.Predictor) -> ray.data.Dataset:
    actors = ray.data.ActorPoolStrategy(size=2)
    return rows.map_batches(
        Classifier, fn_constructor_args=[predictor], batch_size=64, compute=actors
    )
