# SPDX-License-Identifier: Apache-2.0
"""A folder of files, and the command line as a process in it."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import mxnova as mx
from mxnova import recordio
from tests.warm_commands import WarmCommands


@pytest.fixture(scope="package")
def folder(tmp_path_factory):
    """A model `net`, arrays, records and files that are broken."""
    path = tmp_path_factory.mktemp("cli")
    symbol = mx.sym.softmax(
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc"), name="prob"
    )
    args = {"fc_weight": mx.nd.array([[1, 0], [0, 1], [1, 1]]), "fc_bias": mx.nd.zeros((3,))}
    mx.model.save_checkpoint(str(path / "net"), 1, symbol, args, {})
    np.save(path / "x.npy", np.array([[1, 5]], "f"))
    writer = recordio.MXRecordIO(str(path / "x.rec"), "w")
    for i in range(3):
        writer.write(recordio.pack(recordio.IRHeader(0, float(i), i, 0), b"payload"))
    writer.close()
    (path / "bad.params").write_bytes(b"\x12\x01\0\0\0\0\0\0")
    return path


class CommandLine:
    """Runs ``mxnova`` in a folder."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, *args, stdin="", **variables):
        return self.python("-m", "mxnova", *args, stdin=stdin, **variables)

    def python(self, *args, stdin="", **variables):
        return subprocess.run(
            [sys.executable, *map(str, args)],
            cwd=self.folder,
            env=environment(variables),
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )


def environment(variables):
    path = os.pathsep.join(p for p in sys.path if p)
    known = {"PATH": "", "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    return {**known, "MXNOVA_CACHE": os.environ["MXNOVA_CACHE"], **variables}


@pytest.fixture
def mxnova(folder):
    return CommandLine(folder)


@pytest.fixture(scope="package")
def warm_commands():
    commands = WarmCommands()
    yield commands
    commands.close()


@pytest.fixture
def warm(folder, warm_commands):
    """The same as `mxnova`, where what a command imports is no part of the test: 20 times as fast."""
    if not hasattr(os, "fork"):
        return CommandLine(folder)
    return lambda *args, stdin="", **variables: warm_commands.run(
        [*map(str, args)], folder, environment(variables), stdin
    )


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    """Commands that run in this process leave its environment as it was."""
    monkeypatch.setenv("MXNOVA_TUNE_PROCESS", "0")
