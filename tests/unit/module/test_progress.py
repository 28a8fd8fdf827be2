# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import logging
import re

import numpy as np
import pytest

import mxnova as mx


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    stream = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("TTY_COMPATIBLE", "TTY_INTERACTIVE", "NO_COLOR", "CI"):
        monkeypatch.delenv(name, raising=False)
    return stream


def fit(terminal, **options):
    data = mx.io.NDArrayIter(np.ones((12, 2), "f"), np.zeros(12), 4)
    net = mx.sym.SoftmaxOutput(
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2), name="softmax"
    )
    module = mx.mod.Module(net, logger=logging.getLogger("test_progress"))
    with contextlib.redirect_stderr(terminal):  # pytest replaces it between fixture and test
        module.fit(data, num_epoch=2, **options)


def text_of(terminal):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.getvalue())


def test_a_terminal_shows_epochs_and_batches(terminal):
    fit(terminal)
    assert "epoch 2/2 batch 3/3 accuracy=" in text_of(terminal)


def test_lines_of_logs_stand_above_the_bar(terminal):
    logger = logging.getLogger("test_progress")
    handler = logging.StreamHandler(terminal)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        fit(terminal)
    finally:
        logger.removeHandler(handler)
    assert handler.stream is terminal
    lines = text_of(terminal).splitlines()
    assert sum(line.strip().startswith("Epoch[1] Train-accuracy=") for line in lines) == 1


@pytest.mark.parametrize("how", ["variable", "own bar", "no terminal"])
def test_where_there_is_none(terminal, monkeypatch, how):
    options = {}
    if how == "variable":
        monkeypatch.setenv("MXNOVA_PROGRESS", "0")
    elif how == "own bar":
        options["batch_end_callback"] = [mx.callback.ProgressBar(3)]
    else:
        monkeypatch.setattr(Terminal, "isatty", lambda self: False)
    fit(terminal, **options)
    assert "epoch" not in text_of(terminal)
