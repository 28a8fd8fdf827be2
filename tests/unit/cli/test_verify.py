# SPDX-License-Identifier: Apache-2.0
import io
import json
import sys

import pytest

import mxnova as mx
from mxnova.cli.verify import _ask_for_trust


@pytest.fixture(scope="module")
def wrong(folder):
    """A checkpoint with another bias."""
    symbol, args, aux = mx.model.load_checkpoint(str(folder / "net"), 1)
    args["fc_bias"] = args["fc_bias"] + mx.nd.array([0, 1, 0])
    mx.model.save_checkpoint(str(folder / "wrong"), 1, symbol, args, aux)
    return "wrong"


def test_equal_models_have_status_0(warm):
    done = warm("verify", "net", "net", "-s", "data=N,2")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == (
        "max diff 0.0e+00 over 2 nodes; first above tolerance: none"
    )


def test_the_first_node_that_differs_is_named(warm, wrong):
    done = warm("verify", "net", wrong, "-s", "data=N,2", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert found["equal"] is False
    assert found["first"] == "fc"
    assert found["nodes"][0]["max_abs"] == pytest.approx(1)
    assert found["reference"] is True


def test_inputs_come_from_files(warm, wrong):
    done = warm("verify", "net", wrong, "-i", "data=x.npy", "--json")
    assert json.loads(done.stdout)["nodes"][0]["shape"] == "(1, 3)"


@pytest.mark.parametrize(
    "args, text",
    [
        (("net", "none", "-s", "data=N,2"), "none-0000.params"),
        (("net", "net"), "which shape has data?"),
        (("net", "net", "-s", "data=N,2", "--range", "data=1"), "--range data=1: must be"),
        (("net", "net", "-s", "data=N,2", "--range", "data=2,1"), "--range data=2,1: must be"),
        (("net", "net", "-s", "data=N,2", "--range", "data=0,inf"), "must be"),
        (("net", "net", "-s", "data=N,2", "--range", "x=0,1"), "no input 'x'"),
        (("net", "net", "-s", "data=N,2", "--batch", "0"), "--batch 0"),
        (("net", "net", "-s", "data=N,2", "--tolerance", "0"), "--tolerance"),
        (("net", "net", "-s", "data=N,2", "--html", "net-symbol.json"), "exists, and is no page"),
    ],
)
def test_what_cannot_be_compared_has_status_2(warm, args, text):
    done = warm("verify", *args)
    assert done.returncode == 2
    assert text in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_page(warm, wrong, folder):
    done = warm("verify", "net", wrong, "-s", "data=N,2", "--html", "report.html")
    assert done.returncode == 1
    text = (folder / "report.html").read_text()
    assert "first above tolerance: fc" in text
    assert text.count('<tr id="node-') == 2
    assert text.count('<g class="') == 3  # boxes of the input and two nodes


@pytest.fixture(scope="module")
def foreign(folder):
    """A Python file that this installation did not write, which computes what `net` computes."""
    (folder / "foreign.py").write_text(
        "import os\n\nimport torch\n\nos.mkdir('made')\n\n\n"
        "class Net(torch.nn.Module):\n"
        "    def forward(self, data):\n"
        "        weight = torch.tensor([[1.0, 0], [0, 1], [1, 1]])\n"
        "        return torch.nn.functional.linear(data, weight).softmax(1)\n\n\n"
        "load = Net\n"
    )
    return "foreign.py"


def test_verify_runs_code_of_others_only_with_trust(warm, foreign, folder):
    done = warm("verify", "net", foreign, "-s", "data=N,2")
    assert done.returncode == 2
    assert done.stderr == (
        "error: foreign.py: loading it runs code of its author, and this installation did not write "
        "it: give --trust (trust=True in Python) if you trust the author\n"
    )
    assert not (folder / "made").exists()
    done = warm("verify", "net", foreign, "-s", "data=N,2", "--trust")
    assert (done.returncode, done.stderr) == (0, "")
    assert "over 1 output; nodes not compared; first above tolerance: none" in done.stdout
    assert (folder / "made").exists()


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    "answer, expected", [("y\n", True), ("YES\n", True), ("n\n", False), ("\n", False), ("", False)]
)
def test_verify_asks_for_trust_on_a_terminal(monkeypatch, folder, foreign, answer, expected):
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert _ask_for_trust(str(folder / "net"), str(folder / foreign)) is expected
    assert f"{foreign}: this installation did not write this" in sys.stderr.getvalue()
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert _ask_for_trust(str(folder / "net"), str(folder / foreign)) is False
    assert sys.stderr.getvalue() == ""
