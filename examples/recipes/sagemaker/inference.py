# SPDX-License-Identifier: Apache-2.0
"""SageMaker's script mode: `code/inference.py` of a model.tar.gz that holds a checkpoint."""

from sagemaker_inference import decoder, encoder

import mxnova as mx


def model_fn(model_dir: str) -> mx.Predictor:
    return mx.open_model(model_dir).predictor({"data": (1, 4)})


def input_fn(body: object, content_type: str) -> object:
    return decoder.decode(body, content_type).astype("float32")


def predict_fn(rows: object, predictor: mx.Predictor) -> object:
    return predictor.predict(data=rows)[0]


def output_fn(scores: object, accept: str) -> tuple:
    return encoder.encode(scores, accept), accept
