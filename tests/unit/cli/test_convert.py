# SPDX-License-Identifier: Apache-2.0
import json

import pytest

pytest.importorskip("onnxruntime")
FIRST = "first above tolerance: none"


def test_a_checkpoint_becomes_a_file_with_a_proof(warm, folder):
    done = warm("convert", "net", "made.onnx", "-s", "data=N,2")
    assert (done.returncode, done.stderr) == (0, "")
    path, line = done.stdout.splitlines()
    assert path == "made.onnx"
    assert line.startswith("max diff ")
    assert line.endswith(FIRST)
    again = warm("convert", "net", "made.onnx", "-s", "data=N,2")
    assert again.returncode == 1
    assert again.stderr == "error: convert: made.onnx: exists; --force replaces it\n"


def test_json_has_files_and_proof(warm):
    done = warm("convert", "net", "other.onnx", "-s", "data=N,2", "--json")
    found = json.loads(done.stdout)
    assert found["files"] == ["other.onnx"]
    assert found["proof"]["equal"] is True
    assert found["proof"]["first"] is None
    assert [row["name"] for row in found["proof"]["nodes"]] == ["fc", "prob"]


def test_a_proof_may_be_left_out(warm):
    done = warm("convert", "net", "unproved.onnx", "-s", "data=N,2", "--no-prove", "--json")
    assert json.loads(done.stdout)["proof"] is None


@pytest.mark.parametrize(
    "args, text",
    [
        (("net", "refused.onnx"), "which shape has data?"),
        (("net", "refused.onnx", "-s", "data"), "--shape data: must be"),
        (("net", "refused.onnx", "-s", "data=1,2", "-s", "data=1,2"), "data is given twice"),
        (("net", "refused.txt"), "no kind of file ends in"),
        (("none", "refused.safetensors"), "none-0000.params"),
    ],
)
def test_errors_are_one_line_and_leave_nothing(warm, folder, args, text):
    done = warm("convert", *args)
    assert done.returncode == 1
    assert text in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(folder.glob("refused.*"))
