# SPDX-License-Identifier: Apache-2.0
"""Gluon's networks as ONNX files, in a default session of ONNX Runtime in a fresh process."""

import os
import subprocess
import sys

import numpy as np
import pytest

import mxnova as mx
from mxnova.convert import convert
from tests.unit.convert.python.test_zoo import ALL, SOME, network

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

TOLERANCE = 1e-5  # of the largest output
RUN = """
import sys, numpy as np, onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
np.save(sys.argv[3], session.run(None, {"data": np.load(sys.argv[2])})[0])
"""


def check(name, folder):
    symbol, arguments, states, images = network(name)
    mx.model.save_checkpoint(str(folder / "net"), 0, symbol, arguments, states)
    executor = symbol.bind(mx.cpu(), {**arguments, "data": mx.nd.array(images)}, aux_states=states)
    wanted = executor.forward(is_train=False)[0].asnumpy()
    shapes = {"data": ("N", *images.shape[1:])}
    convert(folder / "net", folder / "net.onnx", shapes=shapes, prove=False)
    np.save(folder / "images.npy", images)
    files = [str(folder / file) for file in ("net.onnx", "images.npy", "outputs.npy")]
    kept = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    subprocess.run([sys.executable, "-c", RUN, *files], env=kept, check=True)
    difference = np.abs(np.load(files[2]) - wanted).max() / np.abs(wanted).max()
    print(f"{name}: {difference:.1e}")
    assert difference <= TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME)
def test_onnx_file_of_some_networks_in_default_session_gives_equal_outputs(name, tmp_path):
    check(name, tmp_path)


@pytest.mark.huge
@pytest.mark.parametrize("name", ALL)
def test_onnx_file_of_every_network_in_default_session_gives_equal_outputs(name, tmp_path):
    check(name, tmp_path)
