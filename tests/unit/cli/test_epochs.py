# SPDX-License-Identifier: Apache-2.0
"""Every command takes the newest epoch of a checkpoint, and says so in one line."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.cli.arguments import parse

EPOCHS = (1, 3, 12)
COMMANDS = {
    "predict": "--input data=x.npy --output out.npz",
    "inspect": "",
    "open": "",
    "convert": "out.safetensors --no-prove",
    "export-onnx": "-s data=1,2 -o out.onnx",
    "diff": "net-0012.params",
}


@pytest.fixture(autouse=True)
def _checkpoints(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, no_bias=True, name="fc")
    for epoch in EPOCHS:
        mx.model.save_checkpoint("net", epoch, symbol, {"fc_weight": mx.nd.full((1, 2), epoch)}, {})
    np.save("x.npy", np.float32([[1, 0]]))


@pytest.mark.parametrize("command", COMMANDS)
def test_the_newest_epoch_is_taken(command, caplog):
    if command == "export-onnx":
        pytest.importorskip("onnx")
    options = parse([command, "net", *COMMANDS[command].split()])
    assert not options.act(options)
    assert [m for m in caplog.messages if "epoch" in m] == [
        "net: epoch 12 is taken, the newest of 3"
    ]
    if command == "predict":
        assert np.load("out.npz")["fc_output"] == 12


def test_it_is_a_line_on_standard_error(warm):
    done = warm("predict", "net", "--input", "data=x.npy", "--epoch", "3")
    assert (done.returncode, done.stderr) == (0, "")
    done = warm("predict", "net", "--input", "data=x.npy")
    assert (done.returncode, done.stderr) == (0, "net: epoch 12 is taken, the newest of 3\n")


@pytest.fixture
def folder(tmp_path):
    """Where the fixture `warm` runs."""
    return tmp_path
