# SPDX-License-Identifier: Apache-2.0
"""Models as Python files."""

from __future__ import annotations

import ast
import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova.convert import convert
from mxnova.convert.python.names import class_name, identifier, quoted
from mxnova.core.base.errors import MXNetError
from tests.unit.torch_module.export_limits import exporting

from ....fuzz.python_files import PIECES, check_inert
from ..conftest import SHAPES

pytest.importorskip("safetensors")
GOLDEN = Path(__file__).parents[3] / "data" / "golden" / "models"
NAMES = sorted(p.name.removesuffix("-symbol.json") for p in GOLDEN.glob("*-symbol.json"))
ALONE = """
import sys
sys.modules["mxnova"] = None
import numpy as np, torch, {name}
fed = np.load("input.npz")
model = {name}.load()
assert not model.training
with torch.no_grad():
    found = model(**{{k: torch.from_numpy(fed[k]) for k in fed.files}})
found = found if isinstance(found, tuple) else (found,)
np.savez("found.npz", *[tensor.numpy() for tensor in found])
assert not [name for name in sys.modules if name.startswith(("mxnova.", "mxnet"))]
"""


def run_alone(folder, name, feed):
    """Outputs of a file, from a process in which mxnova cannot be imported."""
    np.savez(folder / "input.npz", **{identifier(k): v for k, v in feed.items()})
    done = subprocess.run(
        [sys.executable, "-c", ALONE.format(name=name)],
        cwd=folder, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with np.load(folder / "found.npz") as found:
        return [found[key] for key in found.files]


@pytest.mark.parametrize("name", NAMES)
def test_recorded_models_give_what_mxnet_gave(name, tmp_path):
    with np.load(GOLDEN / f"{name}-input.npz") as file:
        feed = {key: file[key] for key in file.files}
    shapes = {key: values.shape for key, values in feed.items()}
    with exporting():
        convert(GOLDEN / name, tmp_path / "model.py", shapes=shapes, prove=False)
    found = load(tmp_path / "model.py")(feed)
    with np.load(GOLDEN / f"{name}-output.npz") as wanted:
        for values, key in zip(found, wanted.files, strict=True):
            np.testing.assert_allclose(values, wanted[key], atol=2e-5, rtol=1e-4)


def load(path):
    from mxnova.convert.proof.python_file import PythonRunner

    return PythonRunner(str(path)).outputs


@pytest.mark.slow
@pytest.mark.parametrize("name", ["arcface", "lstm_lm"])
def test_a_file_runs_without_mxnova(name, tmp_path):
    with np.load(GOLDEN / f"{name}-input.npz") as file:
        feed = {key: file[key] for key in file.files}
    shapes = {key: values.shape for key, values in feed.items()}
    convert(GOLDEN / name, tmp_path / "model.py", shapes=shapes)
    with np.load(GOLDEN / f"{name}-output.npz") as wanted:
        for values, key in zip(run_alone(tmp_path, "model", feed), wanted.files, strict=True):
            np.testing.assert_allclose(values, wanted[key], atol=2e-5, rtol=1e-4)


def test_a_file_reads_as_if_it_had_been_written(checkpoint, tmp_path):
    done = convert(checkpoint, tmp_path / "model.py", shapes=SHAPES)
    text = (tmp_path / "model.py").read_text()
    assert done.proof.is_equal
    for line in (
        "class Residual(nn.Module):",
        "self.conv0 = nn.Conv2d(3, 8, 3, padding=1)",
        "self.bn0 = nn.BatchNorm2d(8, eps=0.001)",
        "self.stage1 = nn.Sequential(",
        "self.fc1 = nn.Linear(8, 5)",
        "F.max_pool2d(relu0, 3, 2, 1)",
        "torch.softmax(",
        "Input data has shape N x 3 x 16 x 16.",
        f"Proof: {done.line}.",
    ):
        assert line in text, line
    assert text.count("class ") == 2
    imported = {
        n.names[0].name if isinstance(n, ast.Import) else n.module
        for n in ast.walk(ast.parse(text))
        if isinstance(n, (ast.Import, ast.ImportFrom))
    }
    assert imported <= {"pathlib", "torch", "torch.nn.functional", "safetensors.torch"}


def zoo(name):
    """A network of the zoo as a symbol and random parameters, without running it."""
    net = getattr(mx.gluon.model_zoo.vision, name)(prefix="net_")
    symbol = net(mx.sym.var("data"))
    shapes, _, states = symbol.infer_shape(data=(1, 3, 224, 224))
    rows = [
        dict(zip(symbol.list_arguments(), shapes, strict=True)),
        dict(zip(symbol.list_auxiliary_states(), states, strict=True)),
    ]
    rows[0].pop("data")
    return symbol, *({k: mx.nd.zeros(v) for k, v in row.items()} for row in rows)


@pytest.mark.parametrize(
    "name, most", [("resnet50_v1", 150), ("resnet50_v2", 150), ("mobilenet1_0", 150)]
)
def test_networks_of_the_zoo_are_short_and_clean(name, most, tmp_path):
    symbol, arguments, states = zoo(name)
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, symbol, arguments, states)
    convert(
        tmp_path / "net", tmp_path / "model.py", shapes={"data": ("N", 3, 224, 224)}, prove=False
    )
    lines = (tmp_path / "model.py").read_text().splitlines()
    assert len(lines) < most
    assert max(map(len, lines)) <= 100
    ruff = pytest.importorskip("ruff").__file__
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--select",
        "E4,E7,E9,F,I,W,B,UP,N801",
    ]
    done = subprocess.run(
        [*command, "model.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (ruff, done.stdout, done.stderr)


def test_sizes_stay_open(checkpoint, tmp_path):
    convert(checkpoint, tmp_path / "model.py", shapes=SHAPES, prove=False)
    run = load(tmp_path / "model.py")
    x = np.random.default_rng(0).normal(size=(5, 3, 16, 16)).astype("f")
    predictor = mx.predictor.Predictor.from_checkpoint(checkpoint, 7, {"data": x.shape})
    np.testing.assert_allclose(run({"data": x})[0], predictor.predict(data=x)[0], atol=1e-5)


def test_what_cannot_be_said_is_refused_all_at_once(tmp_path):
    x = mx.sym.var("data")
    nodes = [mx.sym.image.resize(x, size=(4, 4), name=name) for name in ("one", "two")]
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, mx.sym.Group(nodes), {}, {})
    shapes = {"data": (8, 8, 3)}
    with pytest.raises(MXNetError) as caught:
        convert(tmp_path / "net", tmp_path / "m.py", shapes=shapes)
    assert "'one' (_image_resize): OpenCV or NumPy" in str(caught.value)
    assert "'two' (_image_resize)" in str(caught.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net-0000.params", "net-symbol.json"]


def shapes_of(name):
    with np.load(GOLDEN / f"{name}-input.npz") as file:
        return {key: file[key].shape for key in file.files}


# -- Hostile names ---------------------------------------------------------------------------------


def hostile(chance):
    return "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 5)))


def test_hostile_names_become_identifiers():
    chance = random.Random(0)
    for _ in range(10_000):
        name = hostile(chance)
        found = identifier(name)
        assert found.isascii() and found.isidentifier()
        assert isinstance(ast.parse(found, mode="eval").body, ast.Name)
        assert class_name(name).isidentifier()
        text = quoted(name)
        assert ast.get_docstring(ast.parse(f'"""{text}"""')) is not None or not text.strip()


def test_texts_of_attributes_are_no_code(tmp_path):
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="f")
    graph = json.loads(symbol.tojson())
    for node in graph["nodes"]:
        node.setdefault("attrs", {})["__evil__"] = '"""\nimport os\nos.abort()\n"""'
    (tmp_path / 'n"""x-symbol.json').write_text(json.dumps(graph))
    mx.nd.save(
        str(tmp_path / 'n"""x-0000.params'),
        {"arg:f_weight": mx.nd.ones((2, 3)), "arg:f_bias": mx.nd.ones((2,))},
    )
    convert(tmp_path / 'n"""x', tmp_path / "m.py", shapes={"data": ("N", 3)})
    text = (tmp_path / "m.py").read_text()
    check_inert(text)
    assert "abort" not in text


def test_scalars_beyond_float32_are_written_as_they_are(tmp_path):
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, mx.sym.var("x") * 1e39, {}, {})
    convert(tmp_path / "net", tmp_path / "m.py", shapes={"x": (2,)}, prove=False)
    (found,) = load(tmp_path / "m.py")({"x": np.float32([1, -1])})
    assert found.tolist() == [np.inf, -np.inf]
