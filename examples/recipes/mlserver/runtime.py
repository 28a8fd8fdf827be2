# SPDX-License-Identifier: Apache-2.0
"""MLServer: a runtime for checkpoints, and all else that `mx.open_model` opens."""

import numpy as np
from mlserver import MLModel
from mlserver.codecs import decode_args
from mlserver.utils import get_model_uri

import mxnova as mx


class Runtime(MLModel):
    """`model-settings.json` says where the model is, and which inputs it has."""

    async def load(self) -> bool:
        path = await get_model_uri(self.settings)
        shapes = {told.name: [abs(n) for n in told.shape] for told in self.settings.inputs}
        self.predictor = mx.open_model(path).predictor(shapes)
        return True

    @decode_args
    async def predict(self, data: np.ndarray) -> np.ndarray:
        return self.predictor.predict(data=data)[0]
