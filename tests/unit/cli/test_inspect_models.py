# SPDX-License-Identifier: Apache-2.0
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.cli.inspect_models import describe_exported, describe_onnx
from mxnova.core.base.errors import FormatError


@pytest.fixture
def onnx_file(tmp_path):
    pytest.importorskip("onnx")
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    given = {"fc_weight": mx.nd.ones((2, 3)), "fc_bias": mx.nd.zeros(2)}
    path = tmp_path / "net.onnx"
    mx.onnx.export_model(
        symbol, given, [(4, 3)], "float32", str(path), dynamic=True, dynamic_input_shapes=[("N", 3)]
    )
    return path


def test_an_onnx_file(onnx_file):
    facts = describe_onnx(onnx_file, nodes=True).facts
    assert facts["inputs"] == [{"name": "data", "shape": ("N", 3), "dtype": "float"}]
    assert facts["outputs"][0]["shape"] == ("N", 2)
    assert [row["name"] for row in facts["arrays"]] == ["fc_weight", "fc_bias"]
    assert facts["opsets"]["ai.onnx"] >= 13
    assert sum(row["count"] for row in facts["operators"]) == len(facts["nodes"])


@pytest.mark.parametrize("content", [b"", b"\xff" * 40, b"{}"])
def test_other_bytes_are_no_onnx_model(tmp_path, content):
    pytest.importorskip("onnx")
    (tmp_path / "x.onnx").write_bytes(content)
    with pytest.raises(FormatError, match="this is no ONNX model"):
        describe_onnx(tmp_path / "x.onnx", nodes=False)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)
        self.register_buffer("shift", torch.ones(2))

    def forward(self, data):
        return torch.relu(self.fc(data)) + self.shift


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    sizes = ({0: torch.export.Dim("N", min=2)},)
    program = torch.export.export(Net(), (torch.ones(4, 3),), dynamic_shapes=sizes)
    path = tmp_path_factory.mktemp("pt2") / "net.pt2"
    torch.export.save(program, path)
    return path


def test_an_archive_of_torch_export(exported):
    report = describe_exported(exported, nodes=True)
    (data,), arrays = report.facts["inputs"], report.facts["arrays"]
    assert data["name"] == "data"
    assert isinstance(data["shape"][0], str)
    assert data["shape"][1] == 3
    assert data["dtype"] == "float32"
    shown = {row["name"]: (row["shape"], row["kind"]) for row in arrays}
    assert shown == {
        "fc.weight": ((2, 3), "parameter"),
        "fc.bias": ((2,), "parameter"),
        "shift": ((2,), "buffer"),
    }
    operators = {row["operator"] for row in report.facts["operators"]}
    assert "torch.ops.aten.linear.default" in operators
    assert len(report.facts["nodes"]) == 3


def member(path, content, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("a/models/model.json", content)
    return path


@pytest.mark.parametrize(
    "content, text",
    [
        ("[" * 5000, "brackets nest"),
        ("[]", "is no object"),
        ("{}", "no program of torch.export"),
        ('{"graph_module": 1}', "no program of torch.export"),
        (
            '{"graph_module": {"graph": {"tensor_values": {}, "nodes": 3}, "signature": {"input_specs": [], "output_specs": []}}}',
            "no program",
        ),
        ("{", "column 2"),
    ],
)
def test_other_programs_are_refused(tmp_path, content, text):
    with pytest.raises(FormatError, match=text):
        describe_exported(member(tmp_path / "x.pt2", content), nodes=False)


def test_archives_that_grow_are_refused(tmp_path):
    path = member(tmp_path / "x.pt2", " " * (1 << 20), zipfile.ZIP_DEFLATED)
    with pytest.raises(FormatError, match="is compressed"):
        describe_exported(path, nodes=False)


@pytest.mark.parametrize("content", [b"", b"PK\3\4" + bytes(50), b"x" * 100])
def test_other_bytes_are_no_archive(tmp_path, content):
    (tmp_path / "x.pt2").write_bytes(content)
    with pytest.raises(FormatError):
        describe_exported(tmp_path / "x.pt2", nodes=False)


def test_from_a_shell_without_torch(mxnova, folder, exported, onnx_file):
    from mxnova.core.base.dtypes import dtype_of
    from mxnova.formats import safetensors
    from mxnova.formats.params import ArrayRecord

    array = ArrayRecord("default", (2,), dtype_of("float32"), np.ones(2, "f"))
    path = Path(folder) / "x.safetensors"
    safetensors.write(path, {"w": array}, {"who": "me"})
    arguments = ["inspect", "--json", "--stats", str(path), str(exported), str(onnx_file), "net"]
    code = (
        "import sys\n"
        "sys.modules['torch'] = None\n"
        "from mxnova.cli import main\n"
        f"sys.argv = ['mxnova', *{arguments!r}]\n"
        "main()"
    )
    done = mxnova.python("-c", code)
    assert done.returncode == 0, done.stderr
    arrays, program, model, symbol, params = map(json.loads, done.stdout.splitlines())
    assert arrays["metadata"] == {"who": "me"}
    assert arrays["arrays"][0]["max"] == 1.0
    assert program["torch"]
    assert model["producer"].startswith("mxnova")
    assert symbol["file"] == "net-symbol.json"
    assert params["file"] == "net-0001.params"
