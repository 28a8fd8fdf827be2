# SPDX-License-Identifier: Apache-2.0
"""Triton's Python backend: the checkpoint `flowers` beside this file."""

from pathlib import Path

import triton_python_backend_utils as triton

import mxnova as mx


class TritonPythonModel:
    """Triton makes one for each instance of the model."""

    def initialize(self, args: dict) -> None:
        folder = Path(args["model_repository"]) / args["model_version"]
        self.predictor = mx.open_model(folder / "flowers").predictor({"data": (1, 4)})

    def execute(self, requests: list) -> list:
        return [self.answer(request) for request in requests]

    def answer(self, request: object) -> object:
        rows = triton.get_input_tensor_by_name(request, "data").as_numpy()
        (scores,) = self.predictor.predict(data=rows)
        return triton.InferenceResponse([triton.Tensor("scores", scores)])
