# SPDX-License-Identifier: Apache-2.0
"""Lengths of common call paths, counted in Python frames inside the package.

`measure_paths` runs each path in a new process, because caches of other calls would shorten it.
The counts are exact and do not depend on the processor.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType

import numpy as np

import mxnova as mx
from mxnova import autograd, gluon
from tests.unit.kvstore.distributed import workers

__all__ = ["PATHS", "Calls", "count_calls", "measure_paths"]

_PACKAGE = str(Path(mx.__file__).parent)
_GENERATED = "<mxnova"  # the file name of code that mxnova compiles
# Python 3.12 and later run comprehensions without a frame.
_INLINED = {"<listcomp>", "<dictcomp>", "<setcomp>"}
_WARM_CALLS = 5
_REPEATS = 60

Counts = dict[str, int]


class Calls:
    """The frames that this thread enters inside the package while a function runs."""

    def __init__(self) -> None:
        self.codes: list[CodeType] = []

    def record(self, frame: FrameType, event: str, _argument: object) -> None:
        """Record a frame of the package. This method is the profile function of the thread."""
        code = frame.f_code
        is_ours = code.co_filename.startswith((_PACKAGE, _GENERATED))
        if event == "call" and is_ours and code.co_name not in _INLINED:
            self.codes.append(code)

    def counts(self) -> Counts:
        """Return the number of frames, and of the files that contain their functions."""
        return {"frames": len(self.codes), "files": len({c.co_filename for c in self.codes})}


def count_calls(
    function: Callable[[], object], warm_calls: int = _WARM_CALLS, repeats: int = 1
) -> Counts:
    """Return the frames and files of one call, after some calls that fill caches.

    Args:
        function: the function to call, without arguments.
        warm_calls: the number of calls before the first one that is counted.
        repeats: the number of calls that are counted, of which the minimum is returned. Calls
            that wait for another thread or process are longer if it is late.
    """
    for _ in range(warm_calls):
        function()
    counts = [_count_call(function) for _ in range(repeats)]
    return {key: min(c[key] for c in counts) for key in counts[0]}


def _count_call(function: Callable[[], object]) -> Counts:
    calls = Calls()
    gc.collect()
    gc.disable()  # Finalizers of older objects would be counted.
    sys.setprofile(calls.record)
    try:
        function()
    finally:
        sys.setprofile(None)
        gc.enable()
    return calls.counts()


def _add() -> Counts:
    a, b = mx.nd.ones((2, 3)), mx.nd.ones((2, 3))
    return count_calls(lambda: a + b)


def _add_recorded() -> Counts:
    a, b = mx.nd.ones((2, 3)), mx.nd.ones((2, 3))
    a.attach_grad()
    with autograd.record():
        return count_calls(lambda: a + b)


class _GluonStep:
    """One training step of a hybridized network of two dense layers."""

    def __init__(self) -> None:
        self.net = gluon.nn.HybridSequential()
        self.net.add(gluon.nn.Dense(8, activation="relu"), gluon.nn.Dense(3))
        self.net.initialize()
        self.net.hybridize()
        self.loss = gluon.loss.SoftmaxCrossEntropyLoss()
        self.trainer = gluon.Trainer(self.net.collect_params(), "sgd", {"learning_rate": 0.1})
        self.data, self.label = mx.nd.ones((4, 5)), mx.nd.zeros((4,))
        for _ in range(_WARM_CALLS):
            with autograd.record():
                value = self.loss(self.net(self.data), self.label)
            value.backward()
            self.trainer.step(4)


def _net() -> Counts:
    step = _GluonStep()
    with autograd.record():
        return count_calls(lambda: step.net(step.data), warm_calls=0)


def _loss() -> Counts:
    step = _GluonStep()
    with autograd.record():
        output = step.net(step.data)
        return count_calls(lambda: step.loss(output, step.label), warm_calls=0)


def _backward() -> Counts:
    step = _GluonStep()
    with autograd.record():
        value = step.loss(step.net(step.data), step.label)
    return count_calls(value.backward, warm_calls=0)


def _trainer_step() -> Counts:
    step = _GluonStep()
    with autograd.record():
        value = step.loss(step.net(step.data), step.label)
    value.backward()
    return count_calls(lambda: step.trainer.step(4), warm_calls=0)


def _dense_symbol(layers: int = 1) -> mx.sym.Symbol:
    network = mx.sym.var("data")
    for i in range(layers):
        network = mx.sym.FullyConnected(network, num_hidden=3, name=f"fc{i}")
        network = mx.sym.relu(network, name=f"relu{i}")
    return mx.sym.SoftmaxOutput(network, name="softmax")


def _module_batch() -> Counts:
    module = mx.mod.Module(_dense_symbol(2))
    module.bind([("data", (4, 5))], [("softmax_label", (4,))])
    module.init_params()
    module.init_optimizer(optimizer_params={"learning_rate": 0.1})
    metric = mx.metric.create("acc")
    batch = mx.io.DataBatch([mx.nd.ones((4, 5))], [mx.nd.zeros((4,))])

    def train() -> None:
        module.forward_backward(batch)
        module.update()
        module.update_metric(metric, batch.label)

    return count_calls(train)


def _make_predictor() -> mx.Predictor:
    weights = {"fc0_weight": mx.nd.ones((3, 4)), "fc0_bias": mx.nd.zeros((3,))}
    return mx.Predictor(
        _dense_symbol(), {f"arg:{k}": v for k, v in weights.items()}, {"data": (1, 4)}
    )


def _create_predictor() -> Counts:
    return count_calls(_make_predictor, warm_calls=0)


def _predict() -> Counts:
    predictor, image = _make_predictor(), np.ones((1, 4), np.float32)
    return count_calls(lambda: predictor.predict(data=image))


def _push_and_pull(store: mx.kv.KVStore) -> Counts:
    value, out = mx.nd.ones((2, 3)), mx.nd.zeros((2, 3))
    store.init("w", value)

    def exchange() -> None:
        store.push("w", value)
        store.pull("w", out=out)
        out.wait_to_read()

    return count_calls(exchange, repeats=_REPEATS)


def _local_store() -> Counts:
    return _push_and_pull(mx.kv.create("local"))


def _dist_store() -> Counts:
    return _push_and_pull(mx.kv.create("dist_sync"))


def _serve_request() -> Counts:
    from mxnova.serve import ModelSource, Settings
    from mxnova.serve.app import create_app

    with tempfile.TemporaryDirectory() as folder:
        weights = {"fc0_weight": mx.nd.ones((3, 4)), "fc0_bias": mx.nd.zeros((3,))}
        mx.model.save_checkpoint(f"{folder}/m", 0, _dense_symbol(), weights, {})
        settings = Settings({"m": ModelSource(f"{folder}/m", {"data": ("N", 4)})})
        app = create_app(settings)
    inputs = [{"name": "data", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]}]
    body = json.dumps({"inputs": inputs}).encode()
    headers = [(b"host", b"localhost"), (b"content-length", b"%d" % len(body))]
    path = "/v2/models/m/infer"
    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode()}
    scope |= {"headers": headers, "query_string": b"", "root_path": "", "http_version": "1.1"}
    statuses: set[object] = set()

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, object]) -> None:
        statuses.add(message.get("status", 200))

    loop = asyncio.new_event_loop()

    def request() -> None:
        loop.run_until_complete(app(dict(scope), receive, send))

    counts = count_calls(request, repeats=_REPEATS)
    loop.close()
    assert statuses == {200}, statuses
    return counts


PATHS: dict[str, Callable[[], Counts]] = {
    "a + b": _add,
    "a + b, recorded": _add_recorded,
    "net(x), recorded": _net,
    "loss": _loss,
    "backward": _backward,
    "trainer.step": _trainer_step,
    "Module batch": _module_batch,
    "Predictor.predict": _predict,
    "Predictor creation": _create_predictor,
    "kvstore local push and pull": _local_store,
    "kvstore dist push and pull": _dist_store,
    "serve request": _serve_request,
}
_TEST_SETTINGS = ("MXNOVA_LINT_PASSES", "MXNOVA_AUTO_BACKENDS")  # of `tests/conftest.py`
_WORKERS = {"kvstore dist push and pull": 2}


def _measure(_rank: int, path: str) -> Counts:
    for variable in _TEST_SETTINGS:
        os.environ.pop(variable, None)
    return PATHS[path]()


def measure_paths() -> dict[str, Counts]:
    """Return the frames and files of every call path; rank 0 counts for jobs of two workers."""
    counts = {}
    for path in PATHS:
        with tempfile.TemporaryDirectory() as cache:  # Choices of backends must not be known.
            results = workers.run(_WORKERS.get(path, 1), _measure, path, MXNOVA_CACHE=cache)
        counts[path] = results[0]
    return counts


if __name__ == "__main__":
    print(json.dumps(measure_paths(), indent=2))
