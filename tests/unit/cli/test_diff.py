# SPDX-License-Identifier: Apache-2.0
import json

import numpy as np
import pytest

import mxnova as mx
from mxnova.cli.arguments import parse
from mxnova.cli.diff import _distance
from mxnova.core.base.dtypes import BFLOAT16
from mxnova.core.base.errors import MXNetError
from mxnova.formats import safetensors
from mxnova.formats.safetensors_params import from_params, read_params


@pytest.fixture
def save(tmp_path):
    def save(name, **arrays):
        path = str(tmp_path / name)
        mx.nd.save(
            path, {f"arg:{n}": mx.nd.array(v, dtype=np.asarray(v).dtype) for n, v in arrays.items()}
        )
        return path

    return save


def run(capsys, *argv):
    options = parse(["diff", *map(str, argv), "--json"])
    status = options.act(options)
    return status, json.loads(capsys.readouterr().out)


BASE = {"w": np.float32([[1, 2], [3, 4]]), "b": np.float32([0, 0])}


def test_equal_files_differ_in_nothing(save, capsys):
    status, found = run(capsys, save("a.params", **BASE), save("b.params", **BASE))
    assert (status, found["equal"], found["differences"]) == (0, 2, [])


def test_each_kind_of_difference_is_told(save, capsys):
    a = save("a.params", **BASE, old=np.zeros(3, "f"), t=np.float32([1]), v=np.float32([1, 2, 3]))
    b = save("b.params", w=np.zeros((4, 1), "f"), b=BASE["b"], new=np.zeros(1, "i"),
             t=np.float64([1]), v=np.float32([1, 2.5, 2]))  # fmt: skip
    status, found = run(capsys, a, b)
    rows = {row["name"]: row for row in found["differences"]}
    assert status == 1
    assert {name: row["change"] for name, row in rows.items()} == {
        "w": "shape", "old": "removed", "t": "type", "v": "values", "new": "added",
    }  # fmt: skip
    assert rows["w"]["a"] == "float32 (2, 2)"
    assert rows["new"]["b"] == "int32 (1,)"
    assert (rows["v"]["max_abs"], rows["v"]["elements"]) == (1.0, 2)
    assert (rows["t"]["max_abs"], rows["t"]["elements"]) == (0.0, 0)
    assert found["equal"] == 1


def test_a_tolerance_lets_values_differ(save, capsys):
    files = save("a.params", w=np.float32([1, 2])), save("b.params", w=np.float32([1, 2.25]))
    assert run(capsys, *files, "--tolerance", "0.25")[0] == 0
    assert run(capsys, *files, "--tolerance", "0.2")[0] == 1


def test_a_safetensors_file_equals_what_it_was_made_of(save, tmp_path, capsys):
    path = save("net-0003.params", **BASE)
    made = from_params(*read_params(path))
    safetensors.write(tmp_path / "net.safetensors", made.arrays, made.metadata)
    assert run(capsys, tmp_path / "net", tmp_path / "net.safetensors")[0] == 0


def test_the_newest_of_several_epochs_is_compared(save, tmp_path, capsys):
    newest = save("net-0010.params", **BASE)
    save("net-0003.params", w=np.float32([1]))
    assert run(capsys, tmp_path / "net", newest)[0] == 0
    assert run(capsys, tmp_path / "net", newest, "--epoch", 3)[0] == 1


@pytest.mark.parametrize("tolerance", ["-1", "nan"])
def test_tolerances_are_numbers_from_0_on(save, capsys, tolerance):
    path = save("a.params", **BASE)
    with pytest.raises(MXNetError, match="--tolerance"):
        run(capsys, path, path, "--tolerance", tolerance)


def bfloat16(*numbers):
    return (np.float32(numbers).view(np.uint32) >> 16).astype(np.uint16).view(BFLOAT16)


@pytest.mark.parametrize(
    "a, b, far",
    [
        (np.float32([np.nan, np.inf]), np.float32([np.nan, np.inf]), [0, 0]),
        (np.float32([np.nan, np.inf]), np.float32([1, -np.inf]), [np.inf, np.inf]),
        (np.int64([2**60, -(2**63)]), np.int64([2**60 + 1, 2**63 - 1]), [1, 2.0**64]),
        (np.uint8([0, 255]), np.uint8([255, 0]), [255, 255]),
        (np.int8([-128]), np.int8([127]), [255]),
        (np.array([True]), np.array([False]), [1]),
        (bfloat16(1, -2), bfloat16(1.5, -2), [0.5, 0]),
        (np.float16([1]), np.int32([3]), [2]),
    ],
)
def test_distances(a, b, far):
    np.testing.assert_array_equal(_distance(a, b), far)


def test_from_a_shell(mxnova, folder):
    mx.nd.save(str(folder / "other.params"), {"arg:fc_weight": mx.nd.zeros((3, 2))})
    done = mxnova("diff", "net", "other.params")
    assert (done.returncode, done.stderr) == (1, "")
    assert "2 of 2 arrays differ" in done.stdout
    assert "removed" in done.stdout
    assert mxnova("diff", "net", "net-0001.params").returncode == 0
    failed = mxnova("diff", "net", "bad.params")
    assert failed.returncode == 2
    assert failed.stderr.count("\n") == 1


def test_it_loads_no_torch(mxnova):
    code = (
        "import sys\n"
        "sys.modules['torch'] = None\n"
        "from mxnova.cli import main\n"
        "sys.argv = ['mxnova', 'diff', 'net', 'net']\n"
        "main()"
    )
    done = mxnova.python("-c", code)
    assert done.returncode == 0, done.stderr


def test_onnx_files_differ_in_their_initializers(save, capsys, tmp_path):
    onnx = pytest.importorskip("onnx")
    changed = np.arange(2000, dtype="float32")
    arrays = {"w": changed, "b": np.float32([0, 0])}
    tensors = [onnx.numpy_helper.from_array(v, n) for n, v in arrays.items()]
    kinds = [onnx.helper.make_tensor_value_info(n, 1, v.shape) for n, v in arrays.items()]
    nodes = [onnx.helper.make_node("Identity", [n], [f"{n}_out"]) for n in arrays]
    for kind in kinds:
        kind.name += "_out"
    graph = onnx.helper.make_graph(nodes, "g", [], kinds, tensors)
    onnx.save(onnx.helper.make_model(graph), tmp_path / "a.onnx")
    changed = changed.copy()
    changed[7] += 3
    other = save("b.params", w=changed, b=arrays["b"])
    status, found = run(capsys, tmp_path / "a.onnx", other)
    assert (status, found["equal"]) == (1, 1)
    (row,) = found["differences"]
    assert (row["name"], row["max_abs"], row["elements"]) == ("w", 3, 1)
