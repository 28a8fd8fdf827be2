# SPDX-License-Identifier: Apache-2.0
"""GluonTS trains DeepAR on a sine and forecasts a day."""

import mxnet as mx
import numpy as np
from gluonts.dataset.common import ListDataset
from gluonts.model.deepar import DeepAREstimator
from gluonts.mx.trainer import Trainer

mx.random.seed(0)
np.random.seed(0)
series = np.sin(np.arange(24 * 30) * 2 * np.pi / 24) + 2
data = ListDataset([{"start": "2020-01-01", "target": series[:-24]}], freq="1H")
trainer = Trainer(epochs=8, num_batches_per_epoch=40, learning_rate=1e-2, ctx="cpu")
estimator = DeepAREstimator(freq="1H", prediction_length=24, num_cells=20, trainer=trainer)
forecast = next(iter(estimator.train(data).predict(data)))
steps, samples = forecast.samples.shape[1], forecast.samples.shape[0]
error = float(np.abs(forecast.quantile(0.5) - series[-24:]).mean())
told = "error below 0.3" if error < 0.3 else f"error {error}"
print(f"forecast of {steps} steps, {samples} samples, {told}")
