# SPDX-License-Identifier: Apache-2.0
"""Models of few weights, and servers of them in a thread of this process."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
import time

import numpy as np
import pytest

import mxnova as mx


def save(prefix, symbol, shapes, **labels):
    """A checkpoint with random parameters."""
    mx.random.seed(1)
    executor = symbol.simple_bind(mx.cpu(), grad_req="null", **shapes)
    rng = np.random.default_rng(0)
    arrays = {
        name: mx.nd.array(rng.normal(size=array.shape).astype("f"))
        for name, array in executor.arg_dict.items()
        if name not in shapes and not name.endswith("label")
    }
    mx.model.save_checkpoint(str(prefix), 1, symbol, arrays, {})


def dense():
    fc = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    return mx.sym.SoftmaxOutput(fc, name="softmax")


def image():
    conv = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), num_filter=4, name="conv")
    pooled = mx.sym.Pooling(mx.sym.relu(conv), global_pool=True, pool_type="avg")
    return mx.sym.softmax(mx.sym.FullyConnected(pooled, num_hidden=4, name="fc"), name="prob")


def pair():
    left, right = mx.sym.var("left"), mx.sym.var("right")
    summed = mx.sym.broadcast_add(left, right, name="sum")
    return mx.sym.Group([summed, mx.sym.log(left - right, name="log")])


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """A folder with three checkpoints, and labels of the second."""
    folder = tmp_path_factory.mktemp("models")
    save(folder / "dense", dense(), {"data": (1, 4)})
    save(folder / "image", image(), {"data": (1, 3, 8, 8)})
    save(folder / "pair", pair(), {"left": (1, 2), "right": (1, 2)})
    (folder / "labels.txt").write_text("cat\ndog\nbird\nümlaut\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def sources(models):
    """What a server is told of them."""
    from mxnova.serve import ModelSource

    image = {"labels": str(models / "labels.txt"), "preprocessing": {"mean": 128, "scale": 0.01}}
    return {
        "dense": ModelSource(str(models / "dense"), {"data": ("N", 4)}),
        "image": ModelSource(str(models / "image"), {"data": ("N", 3, 8, 8)}, **image),
        "pair": ModelSource(str(models / "pair"), {"left": ("N", 2), "right": ("N", 2)}),
    }


@pytest.fixture(scope="session")
def predictors(models):
    """The same models without a server."""
    shapes = {"dense": {"data": (1, 4)}, "image": {"data": (1, 3, 8, 8)}}
    shapes["pair"] = {"left": (1, 2), "right": (1, 2)}
    return {
        name: mx.Predictor.from_checkpoint(str(models / name), 1, given)
        for name, given in shapes.items()
    }


class Client:
    """Requests to a server, each over a connection of its own."""

    def __init__(self, port, endpoint):
        self.port, self.endpoint = port, endpoint

    def __call__(self, method, path, body=None, **headers):
        """Status, headers and body of a response; a body that is no bytes is sent as JSON."""
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request(
                method, path, body, {n.replace("_", "-"): v for n, v in headers.items()}
            )
            response = connection.getresponse()
            return response.status, response.headers, response.read()

    def json(self, method, path, body=None, **headers):
        """Status and value of a response."""
        status, _, content = self(method, path, body, **headers)
        return status, json.loads(content)

    def refused(self, status, method, path, body=None, **headers):
        """The sentence of a request that is refused with `status`."""
        found, value = self.json(method, path, body, **headers)
        assert found == status, value
        assert list(value) == ["error"]
        return value["error"]


@contextlib.contextmanager
def running(settings, **changed):
    """A server in a thread: a client of it."""
    from mxnova.serve.app import create_app
    from mxnova.serve.server import Server, configuration, listening

    app = create_app(settings)
    with listening(settings) as listener:
        server = Server(configuration(settings, app))
        thread = threading.Thread(target=server.run, args=([listener],))
        port = listener.getsockname()[1]
        thread.start()
        try:
            while not server.started and thread.is_alive():
                time.sleep(0.01)
            yield Client(port, app.router.routes[0].endpoint._endpoint)
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def client(sources):
    from mxnova.serve import Settings

    with running(Settings(sources, port=0, max_request_bytes=1 << 20, max_elements=1 << 12)) as c:
        yield c
