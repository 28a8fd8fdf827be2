# SPDX-License-Identifier: Apache-2.0
"""Spark: a column of arrays as a column of scores, batch by batch in the executors."""

from __future__ import annotations

from typing import Any

from pyspark.ml.functions import predict_batch_udf
from pyspark.sql.types import ArrayType, FloatType

import mxnova as mx


def scores_of(predictor: mx.Predictor, features: int, batch_size: int = 256) -> Any:
    def make() -> Any:
        return lambda rows: predictor.predict(data=rows)[0]

    return predict_batch_udf(
        make,
        return_type=ArrayType(FloatType()),
        batch_size=batch_size,
        input_tensor_shapes=[[features]],
    )
