# SPDX-License-Identifier: Apache-2.0
import json
import os
import textwrap

import numpy as np
import pytest

from mxnova.convert.proof.runner import CannotRunError
from mxnova.convert.proof.runners import runner_of
from mxnova.convert.proof.target_process import TargetProcess
from mxnova.core.base.dtypes import BFLOAT16
from mxnova.core.base.errors import MXNetError

NETWORK = """
import os, sys
import torch
class Net(torch.nn.Module):
    def forward(self, data):
        {body}
def load():
    return Net()
"""


def python_file(path, body):
    path.write_text(NETWORK.format(body=textwrap.indent(body, " " * 8).strip()))
    return runner_of(path, trust=True)


FEED = {"data": np.ones((1, 2), "float32")}


def test_process_has_a_clean_environment(tmp_path, monkeypatch):
    for name in ("MXNOVA_FUSE", "OMP_NUM_THREADS", "ORT_ANYTHING", "DMLC_ROLE"):
        monkeypatch.setenv(name, "1")
    body = (
        "names = [n for n in os.environ if n.startswith(('MXNOVA', 'OMP', 'ORT', 'DMLC'))]\n"
        "names += [n for n in sys.modules if n.partition('.')[0] == 'mxnova']\n"
        "names += [place for place in sys.path if place.endswith('proof')]\n"
        "return torch.tensor(len(names))"
    )
    (found,) = python_file(tmp_path / "net.py", body).outputs(FEED)
    assert found == 0


def test_process_returns_bfloat16_and_what_is_printed_is_no_response(tmp_path):
    body = "print('{}')\nreturn data.bfloat16() * 3"
    (found,) = python_file(tmp_path / "net.py", body).outputs(FEED)
    assert found.dtype == BFLOAT16
    np.testing.assert_array_equal(found["bfloat16"], np.full((1, 2), 0x4040, "uint16"))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("os.write(2, b'out of luck'); os._exit(3)", "ended with status 3: out of luck"),
        ("raise ValueError('no such layer')", "it does not run: ValueError: no such layer"),
        ("return object()", "it does not run: AttributeError"),
    ],
)
def test_process_failure_raises_with_path_and_reason(tmp_path, body, text):
    runner = python_file(tmp_path / "net.py", body)
    with pytest.raises(MXNetError) as error:
        runner.outputs(FEED)
    assert f"{tmp_path / 'net.py'}: " in str(error.value)
    assert text in str(error.value)


def test_process_without_runtime_raises_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "openvino.py").write_text("raise ImportError('none', name='openvino')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(CannotRunError, match="openvino is not installed: pip install"):
        TargetProcess("openvino", "net.xml")


FAKE_RUNTIME = """
import json, numpy
class Entry:
    name, type = "data", "tensor(float)"
class InferenceSession:
    def __init__(self, *given, **options):
        with open({log!r}, "w") as file:
            json.dump([given, options], file)
    def get_inputs(self):
        return [Entry]
    def get_outputs(self):
        return [Entry]
    def run(self, names, feed):
        return [feed["data"]]
"""


def test_onnx_session_of_process_has_default_options(tmp_path, monkeypatch):
    log = str(tmp_path / "log.json")
    (tmp_path / "onnxruntime.py").write_text(FAKE_RUNTIME.format(log=log))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    process = TargetProcess("onnx", str(tmp_path / "net.onnx"))
    assert [value.name for value in process.values("outputs", FEED)] == ["data"]
    with open(log) as file:
        given = json.load(file)
    assert given == [[str(tmp_path / "net.onnx")], {"providers": ["CPUExecutionProvider"]}]


def test_process_and_its_folder_end_with_the_object(tmp_path):
    runner = python_file(tmp_path / "net.py", "return data")
    process, folder = runner.process._process, runner.process.folder
    del runner
    assert process.returncode is not None
    assert not os.path.exists(folder)
