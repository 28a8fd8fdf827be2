# SPDX-License-Identifier: Apache-2.0
import json

import numpy as np
import pytest

import mxnova as mx
from mxnova.cli.inspect import describe
from mxnova.core.base.errors import FormatError
from mxnova.formats import compiled_model

LONG = "stage4_unit3_conv2_" * 20 + "weight"
SYMBOL = {
    "nodes": [{"op": "null", "name": "data", "inputs": []}],
    "arg_nodes": [0],
    "heads": [[0, 0, 0]],
    "attrs": {"mxnet_version": ["int", 10901]},
}


def test_shows_arrays_symbols_and_records(mxnova):
    done = mxnova("inspect", "net-0001.params", "net-symbol.json", "x.rec", "--stats", "--nodes")
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


def test_json_has_the_same_facts(mxnova):
    done = mxnova("inspect", "--json", "--stats", "net-0001.params", "net-symbol.json", "x.rec")
    arrays, symbol, records = map(json.loads, done.stdout.splitlines())
    assert arrays["file"] == "net-0001.params"
    assert arrays["arrays"][0] == {
        "name": "arg:fc_weight",
        "shape": [3, 2],
        "dtype": "float32",
        "storage": "default",
        "elements": 6,
        "min": 0.0,
        "max": 1.0,
        "mean": pytest.approx(2 / 3),
    }
    assert [v["name"] for v in symbol["variables"]] == ["data", "fc_weight", "fc_bias"]
    assert symbol["variables"][1]["attributes"] == {"num_hidden": "3"}
    assert symbol["operators"][0] == {"operator": "FullyConnected", "count": 1}
    assert records["records"] == [{"header": "one label", "content": "other", "count": 3}]


def test_json_has_no_numbers_that_json_lacks(mxnova, folder):
    mx.nd.save(str(folder / "nan.params"), {"a": mx.nd.array([np.nan, np.inf])})
    (row,) = json.loads(mxnova("inspect", "--json", "--stats", "nan.params").stdout)["arrays"]
    assert row["max"] in ("nan", "inf")


def test_names_are_whole_in_a_pipe(mxnova, folder):
    mx.nd.save(str(folder / "long.params"), {LONG: mx.nd.ones((2,))})
    lines = mxnova("inspect", "long.params", COLUMNS="40").stdout.splitlines()
    assert sum(line.startswith(f"{LONG}  ") for line in lines) == 1


@pytest.mark.parametrize(
    "name, shown",
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("[red]x[/nope]", "[red]x[/nope]"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\u202egpj", r"\u202egpj"),
        ("名前 é", "名前 é"),
    ],
)
@pytest.mark.parametrize("place", ["name", "attribute", "file"])
def test_text_of_files_is_shown_and_not_obeyed(mxnova, folder, name, shown, place):
    path = folder / "text-symbol.json"
    node = {"op": "null", "name": "x", "inputs": [], "attrs": {"__k__": "v"}}
    if place == "name":
        node["name"] = name
    elif place == "attribute":
        node["attrs"] = {name: name}
    else:
        path = folder / f"{name.replace('/', '')}.json"
        shown = shown.replace("/", "")
    path.write_text(json.dumps({**SYMBOL, "nodes": [node]}))
    done = mxnova("inspect", "--nodes", path.name, PYTHONIOENCODING="utf-8")
    assert done.returncode == 0, done.stderr
    assert shown in done.stdout
    assert all(c.isprintable() or c == "\n" for c in done.stdout)
    assert json.loads(mxnova("inspect", "--json", path.name).stdout)["file"] == path.name


def test_half_a_surrogate_pair_is_shown_too(mxnova, folder):
    node = {"op": "null", "name": "\ud800\x1b[2J", "inputs": []}
    (folder / "half.json").write_text(json.dumps({**SYMBOL, "nodes": [node]}))
    done = mxnova("inspect", "half.json")
    assert done.returncode == 1
    assert r"\ud800\x1b[2J" in done.stderr


def test_an_encoding_that_lacks_a_letter_is_no_error(mxnova, folder):
    mx.nd.save(str(folder / "letter.params"), {"é": mx.nd.ones((2,))})
    done = mxnova("inspect", "letter.params", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert r"\xe9" in done.stdout


@pytest.mark.parametrize("module", ["torch", "cv2", "rich", "typer"])
def test_loads_nothing_heavy(mxnova, module):
    code = (
        "import sys\n"
        f"sys.modules[{module!r}] = None\n"
        "from mxnova.cli import main\n"
        "sys.argv = ['mxnova', 'inspect', 'net-0001.params', 'net-symbol.json', 'x.rec']\n"
        "main()"
    )
    done = mxnova.python("-c", code)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("file", ["bad.params", "none.params", "none.json", "none.rec", "empty"])
def test_errors_are_one_line_and_status_1(mxnova, folder, file):
    (folder / "empty").mkdir(exist_ok=True)
    done = mxnova("inspect", file)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert file in done.stderr
    assert done.stderr.count("\n") == 1


def test_compiled_models(tmp_path):
    path = tmp_path / "net.mxnova"
    port = compiled_model.Port("data", "x", ("N", 3), "float32")
    arrays = {"model": np.zeros(9, np.uint8)}
    compiled_model.write(
        path, compiled_model.CompiledModel("onnxruntime", arrays, (port,), (port,), labels=("cat",))
    )
    report = describe(path, stats=False, nodes=False).facts
    assert report["runtime"] == "onnxruntime"
    assert report["inputs"] == [{"name": "data", "key": "x", "shape": ("N", 3), "dtype": "float32"}]
    assert [row["name"] for row in report["arrays"]] == ["model"]
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(FormatError, match="damaged"):
        describe(path, stats=False, nodes=False)


def test_folders_of_checkpoints(tmp_path, mxnova):
    for step in (3, 12):
        savings = [
            mx.checkpoint.save(tmp_path, step, {"w": mx.nd.ones((2, 3))}, rank=rank, world=2)
            for rank in range(2)
        ]
        paths = [saving.wait() for saving in savings]
    report = describe(tmp_path, stats=False, nodes=False)
    assert [row["step"] for row in report.facts["checkpoints"]] == [3, 12]
    assert (report.facts["step"], report.facts["workers"]) == (12, 2)
    row = {"name": "w", "shape": (2, 3), "dtype": "float32", "pieces": 1}
    assert row in report.facts["arrays"]
    done = mxnova("inspect", "--json", "--stats", paths[0])
    rows = {row["name"]: row for row in json.loads(done.stdout)["arrays"]}
    assert rows["w"]["mean"] == 1
    for path in tmp_path.glob("*/*.json"):
        path.unlink()
    with pytest.raises(FormatError, match="was not completed"):
        describe(tmp_path, stats=False, nodes=False)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="no folder of checkpoints"):
        describe(tmp_path / "empty", stats=False, nodes=False)
