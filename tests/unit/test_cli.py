# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

import numpy as np
import pytest

import mxnova as mx
from mxnova import recordio


def python(code, *args, cwd):
    command = [sys.executable, "-c", code, *map(str, args)]
    environment = {"PATH": "", "COLUMNS": "200", "PYTHONPATH": ":".join(sys.path)}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def mxnova(*args, cwd):
    code = "import sys; from mxnova.cli import main; sys.argv[0] = 'mxnova'; main()"
    return python(code, *args, cwd=cwd)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
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
    (path / "script.py").write_text(
        "import sys, mxnet as mx, helper\nprint(sys.argv[1:], helper.X, mx.nd.ones((2,)).sum().asscalar())\n"
    )
    (path / "helper.py").write_text("X = 5\n")
    return path


def test_inspect_shows_arrays_symbols_and_records(folder):
    done = mxnova(
        "inspect", "net-0001.params", "net-symbol.json", "x.rec", "--stats", "--nodes", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    for fact in (
        "arg:fc_weight",
        "(3, 2)",
        "float32",
        "0.666667",
        "FullyConnected",
        "num_hidden=3",
        "3 records",
        "one label",
    ):
        assert fact in done.stdout, fact


def test_inspect_does_not_load_torch(folder):
    code = (
        "import sys; sys.argv = ['mxnova', 'inspect', 'net-0001.params', 'net-symbol.json', 'x.rec']\n"
        "from mxnova.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "assert 'torch' not in sys.modules and 'cv2' not in sys.modules"
    )
    done = python(code, cwd=folder)
    assert done.returncode == 0, done.stderr


def test_predict_shows_and_saves_outputs(folder):
    done = mxnova(
        "predict", "net", "--epoch", 1, "--input", "data=x.npy", "-o", "out.npz", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert "prob_output" in done.stdout
    scores = np.load(folder / "out.npz")["prob_output"]
    want = np.exp([1, 5, 6]) / np.exp([1, 5, 6]).sum()
    np.testing.assert_allclose(scores[0], want, rtol=1e-5)


def test_run_runs_a_script_that_says_mxnet(folder):
    done = mxnova("run", "script.py", "--flag", "7", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['--flag', '7'] 5 2.0\n"


@pytest.mark.parametrize(
    "args, fact",
    [
        (("inspect", "bad.params"), "bad.params"),
        (("inspect", "none.params"), "none.params"),
        (("predict", "net", "--epoch", 1, "--input", "dat=x.npy"), "'dat'"),
        (("predict", "net", "--epoch", 1, "--input", "data"), "data=FILE"),
    ],
)
def test_errors_are_one_line_and_status_1(folder, args, fact):
    done = mxnova(*args, cwd=folder)
    assert done.returncode == 1
    assert done.stderr.startswith("error:")
    assert fact in done.stderr
    assert "Traceback" not in done.stderr
