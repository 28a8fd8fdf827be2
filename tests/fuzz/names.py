# SPDX-License-Identifier: Apache-2.0
"""Models whose names would like to be code, through every command, target and backend.

An input is JSON: what to do, and the names of inputs, parameters, nodes, attributes, labels and
metadata. Whatever the names are, nothing in them runs, no generated code has a syntax error, and no
escape sequence reaches a terminal. A canary detects code that runs: every name that contains code
would import the module `CANARY`, or make a file of that name.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import json
import logging
import os
import random
import re
import runpy
import sys
import tarfile
import tempfile
import warnings
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np

import mxnova as mx
from mxnova import cli
from mxnova.core.base.console import escape_output
from mxnova.core.base.errors import MXNetError
from tests.hostile_names import CANARY, NAMES, PIECES, is_quiet

from .python_files import check_inert

__all__ = ["ACTIONS", "attack", "make", "seeds"]

_N_NAMES = 22  # of a model; see `_write_model`
_SHAPES = {"data": ("N", 2, 3, 3), "more": ("N", 2, 1, 1)}
_CSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")  # what rich writes to a terminal


class _Spec(NamedTuple):
    """A model's names, and what to do with it."""

    action: str
    is_terminal: bool
    names: list[str]

    def name(self, place: int) -> str:
        return self.names[place % len(self.names)]


def seeds() -> list[bytes]:
    """Return harmless names, for the actions that import most."""
    names = [f"name{i}" for i in range(_N_NAMES)]
    slow = ("convert .py", "convert .pt2", "convert .mxnova", "to_torch", "serve")
    return [json.dumps(_Spec(a, False, names)).encode() for a in slow if a in ACTIONS]


def make(chance: random.Random) -> bytes:
    """Return hostile names and an action."""
    names = []
    for _ in range(_N_NAMES):
        if chance.random() < 0.7:
            names.append(chance.choice(NAMES))
        else:
            names.append("".join(chance.choices(PIECES, k=chance.randint(1, 3))))
    weights = [action.weight for action in ACTIONS.values()]
    (action,) = chance.choices(list(ACTIONS), weights)
    return json.dumps(_Spec(action, chance.random() < 0.3, names)).encode()


# -- Models ----------------------------------------------------------------------------------------


@functools.cache
def _network() -> tuple[str, dict[str, mx.nd.NDArray], set[str]]:
    """Return a network's JSON, its parameters, and which of these are auxiliary states."""
    shift = mx.sym.var("shift", shape=(1, 2, 1, 1))
    x = mx.sym.broadcast_mul(mx.sym.var("data"), mx.sym.var("more"), name="product")
    x = mx.sym.Convolution(x, kernel=(1, 1), num_filter=2, name="conv")
    x = mx.sym.Activation(mx.sym.BatchNorm(x, name="norm"), act_type="relu", name="act")
    x = mx.sym.L2Normalization(mx.sym.broadcast_add(x, shift, name="sum"), name="l2")
    x = mx.sym.FullyConnected(x, num_hidden=3, name="dense")
    x = mx.sym.softmax(x, name="out")
    arguments, _, states = x.infer_shape(data=(2, 2, 3, 3), more=(2, 2, 1, 1))
    shapes = dict(zip(x.list_arguments(), arguments, strict=True))
    shapes |= dict(zip(x.list_auxiliary_states(), states, strict=True))
    arrays = {n: mx.nd.ones(s) / 4 for n, s in shapes.items() if n not in ("data", "more")}
    return x.tojson(), arrays, set(x.list_auxiliary_states())


def _write_model(spec: _Spec) -> dict[str, str]:
    """Write a checkpoint ``m``, an archive and labels; return the new names by the old ones."""
    text, arrays, states = _network()
    graph = json.loads(text)
    table: dict[str, str] = {}
    for place, node in enumerate(graph["nodes"]):
        name = spec.name(place)
        table[node["name"]] = f"{name}{place}" if name in table.values() else name
        node["name"] = table[node["name"]]
        node.setdefault("attrs", {})[f"__{spec.name(19)}__"] = spec.name(20)
    graph["attrs"][spec.name(20)] = ["str", spec.name(21)]
    Path("m-symbol.json").write_text(json.dumps(graph))
    for old in arrays:  # names that a file of parameters cannot contain
        table[old] = _word(table[old])
    saved = [f"{'aux' if name in states else 'arg'}:{table[name]}" for name in arrays]
    mx.nd.save("m-0000.params", dict(zip(saved, arrays.values(), strict=True)))
    labels = "\n".join(" ".join(spec.name(i).split()) for i in (1, 5, 9))
    Path("synset.txt").write_text(labels, "utf-8", errors="replace")
    return table


# -- What is done ----------------------------------------------------------------------------------


class _Action(NamedTuple):
    """What is done with a model: `act` returns the words of a command, or does it by itself."""

    act: Callable[[_Spec, dict[str, str]], list[str] | None]
    weight: float = 1.0
    needs: str = "mxnova"


def _shaped(table: dict[str, str]) -> list[str]:
    pairs = [(table[n], ",".join(map(str, shape))) for n, shape in _SHAPES.items()]
    return [word for name, sizes in pairs for word in ("-s", f"{name}={sizes}")]


def _command(*words: str) -> Callable[[_Spec, dict[str, str]], list[str]]:
    return lambda spec, table: list(words)


def _with_shapes(*words: str) -> Callable[[_Spec, dict[str, str]], list[str]]:
    return lambda spec, table: [*words, *_shaped(table)]


def _convert(target: str, *more: str) -> Callable[[_Spec, dict[str, str]], list[str]]:
    return _with_shapes("convert", "m", target, "--no-prove", *more)


def _after(target: str, *words: str) -> Callable[[_Spec, dict[str, str]], list[str]]:
    """Convert the model, and give the result to a command."""

    def act(spec: _Spec, table: dict[str, str]) -> list[str]:
        cli._act(cli._parsed(["convert", "m", target, "--no-prove", *_shaped(table)]))
        return [*words, *(_shaped(table) if words[0] in ("verify", "plot") else [])]

    return act


def _compiled(spec: _Spec, table: dict[str, str]) -> list[str]:
    words = [*_predict(spec, table)[2:], "--json"]
    cli._act(cli._parsed(["convert", "m", "x.mxnova", "--no-prove", *_shaped(table)]))
    return ["predict", "x.mxnova", *words]


def _serve(spec: _Spec, table: dict[str, str]) -> None:
    """Serve the model under a hostile name, and ask for everything that shows names."""
    from mxnova.serve import ModelSource, Settings
    from tests.unit.serve.conftest import running

    shapes = {table[name]: shape for name, shape in _SHAPES.items()}
    name = spec.name(7)
    source = ModelSource("m", shapes, labels="synset.txt")
    given = [
        {"name": table[n], "shape": [1, *shape[1:]], "datatype": "FP32",
         "data": np.ones([1, *shape[1:]]).ravel().tolist()}
        for n, shape in _SHAPES.items()
    ]  # fmt: skip
    with running(Settings({name: source}, port=0)) as client:
        place = f"/v2/models/{quote(name, safe='', errors='replace')}"
        answers = [client("GET", path) for path in ("/", "/docs", "/models", "/metrics", place)]
        answers.append(client("POST", f"{place}/infer", {"inputs": given}))
        answers.append(client("POST", "/models", {"url": spec.name(8)}))
    for status, headers, body in answers:
        assert status < 500, (status, body)
        if headers.get_content_type() == "text/html":
            assert is_quiet(body.decode())
            assert "<" not in name or name not in body.decode()


def _verify(spec: _Spec, table: dict[str, str]) -> list[str]:
    return ["verify", "m", "m", *_shaped(table), "--html", "x.html"]


def _predict(spec: _Spec, table: dict[str, str]) -> list[str]:
    words = ["predict", "m", "--explain", "--labels", "synset.txt"]
    for name, shape in _SHAPES.items():
        np.save(f"{name}.npy", np.ones([2, *shape[1:]], "f"))
        words += ["-i", f"{table[name]}={name}.npy"]
    return words


def _archive(spec: _Spec, table: dict[str, str]) -> list[str]:
    """Open an archive with hostile metadata, and members with hostile names."""
    facts = {spec.name(2): spec.name(3), "input_mode": spec.name(4)}
    Path("hyperparams.json").write_text(json.dumps(facts))
    with tarfile.open("m.tar.gz", "w:gz") as archive:
        for name in ("m-symbol.json", "m-0000.params", "synset.txt", "hyperparams.json"):
            archive.add(name)
        with contextlib.suppress(ValueError, UnicodeError):
            archive.addfile(tarfile.TarInfo(spec.name(6)), io.BytesIO())
    return ["open", "m.tar.gz"]


def _misspelt(spec: _Spec, table: dict[str, str]) -> list[str]:
    name, kind = _word(spec.name(2)), _word(spec.name(3))
    return ["convert", "m", "x.onnx", "-s", f"{name}=N,2", "--to", kind]


def _word(name: str) -> str:
    """Return a name as an argument of a command can be."""
    return name.encode(errors="replace").decode().replace("\0", "")


def _images(spec: _Spec, table: dict[str, str]) -> list[str]:
    """List a folder of images with hostile names."""
    for place in range(4):
        name = spec.name(place).replace("/", "").replace("\0", "")[:60]
        with contextlib.suppress(OSError, UnicodeError):
            Path("images", name).mkdir(parents=True, exist_ok=True)
            Path("images", name, f"{name}.png").write_bytes(b"\x89PNG")
    return ["im2rec", "images", "images", "--list", "--recursive"]


def _script(spec: _Spec, table: dict[str, str]) -> list[str]:
    text = f"import mxnet as mx\nmx.sym.var({spec.name(0)!r}).no_such_function()\nmx.nope\n"
    Path("script.py").write_text(text, errors="backslashreplace")
    return ["check", "script.py"]


def _files(spec: _Spec, table: dict[str, str]) -> list[str]:
    return ["inspect", _word(spec.name(0)), "m-symbol.json"]


def _torch(spec: _Spec, table: dict[str, str]) -> None:
    """Make a module, trace and save it, and take it back."""
    import torch

    module = mx.to_torch("m", heads="strip")
    keys = module.state_dict()
    assert all(key.isidentifier() and key.isascii() for key in keys)
    assert {module.name_map[key] for key in keys} == {table[name] for name in _network()[1]}
    inputs = torch.ones(2, 2, 3, 3), torch.ones(2, 2, 1, 1)
    with torch.no_grad():
        traced = torch.compile(module, backend="eager", fullgraph=True)(*inputs)
        assert torch.equal(traced, module(*inputs))
    torch.compiler.reset()
    with escape_output():
        print(module)
    _, arguments, states = mx.from_torch(module, "again")
    assert len(arguments) + len(states) == len(keys)


def _gluon(spec: _Spec, table: dict[str, str]) -> None:
    """Import the model as a block, and print everything that has a name."""
    block = mx.gluon.SymbolBlock.imports(
        "m-symbol.json", [table[n] for n in _SHAPES], "m-0000.params"
    )
    with escape_output():
        print(block, block.collect_params(), *block.collect_params().values())
        print(block(mx.nd.ones((2, 2, 3, 3)), mx.nd.ones((2, 2, 1, 1))).shape)
        block.export("exported")


def _printed(spec: _Spec, table: dict[str, str]) -> None:
    """Print the network, and watch it run, as programs do."""
    symbol = mx.sym.load("m-symbol.json")
    shapes = {table[name]: (2, *shape[1:]) for name, shape in _SHAPES.items()}
    mx.viz.print_summary(symbol, shapes)
    print(symbol, symbol.debug_str())
    predictor = mx.Predictor("m-symbol.json", "m-0000.params", shapes)
    print(predictor)
    logging.getLogger("mxnova").warning("%s is logged", spec.name(3))


def _backend(name: str) -> Callable[[_Spec, dict[str, str]], None]:
    def run(spec: _Spec, table: dict[str, str]) -> None:
        shapes = {table[n]: (2, *shape[1:]) for n, shape in _SHAPES.items()}
        predictor = mx.Predictor("m-symbol.json", "m-0000.params", shapes, backend=name)
        for _ in range(3):  # graphs are rewritten at the third run
            predictor.predict(**{n: np.ones(shape, "f") for n, shape in shapes.items()})

    return run


_RARE = 0.02  # weight of what starts a process for each model
_KINDS = {
    **{f"convert {ending}": _Action(_convert(f"x{ending}"), weight) for ending, weight in (
        (".py", 3), (".pt2", 3), (".safetensors", 1), (".params", 1))},
    "convert .onnx": _Action(_convert("x.onnx"), 2, "onnx"),
    "convert .mxnova": _Action(_convert("x.mxnova"), 2, "onnxruntime"),
    "convert .xml": _Action(_convert("x.xml"), 2, "openvino"),
    "convert mxnet": _Action(_convert("again", "--to", "mxnet"), 1),
    "convert half": _Action(_convert("x.py", "--dtype", "float16", "--size", "3x3"), 1),
    "prove .py": _Action(_with_shapes("convert", "m", "x.py"), _RARE),
    "prove .pt2": _Action(_with_shapes("convert", "m", "x.pt2"), _RARE),
    "prove .onnx": _Action(_with_shapes("convert", "m", "x.onnx"), _RARE, "onnxruntime"),
    "prove .xml": _Action(_with_shapes("convert", "m", "x.xml"), _RARE, "openvino"),
    "prove mxnet": _Action(_with_shapes("convert", "m", "again", "--to", "mxnet"), _RARE),
    "compile": _Action(
        _with_shapes("compile", "m", "-o", "x.mxnova", "--no-prove"), 1, "onnxruntime"
    ),
    "export-onnx": _Action(_with_shapes("export-onnx", "m"), 1, "onnx"),
    "import-onnx": _Action(_after("x.onnx", "import-onnx", "x.onnx", "again"), 1, "onnx"),
    "inspect .onnx": _Action(_after("x.onnx", "inspect", "x.onnx"), 1, "onnx"),
    "diff .onnx": _Action(_after("x.onnx", "diff", "m", "x.onnx"), 1, "onnx"),
    "plot .onnx": _Action(_after("x.onnx", "plot", "x.onnx"), 1, "onnx"),
    "verify .onnx": _Action(_after("x.onnx", "verify", "m", "x.onnx"), _RARE, "onnxruntime"),
    "verify .py": _Action(_after("x.py", "verify", "m", "x.py", "--html", "x.html"), _RARE),
    "verify .pt2": _Action(_after("x.pt2", "verify", "x.pt2", "m", "--html", "x.html"), _RARE),
    "inspect .pt2": _Action(_after("x.pt2", "inspect", "x.pt2"), 1),
    "inspect .mxnova": _Action(_after("x.mxnova", "inspect", "x.mxnova"), 1, "onnxruntime"),
    "predict .mxnova": _Action(_compiled, 1, "onnxruntime"),
    "serve": _Action(_serve, 0.5, "uvicorn"),
    "inspect": _Action(_command("inspect", "m-symbol.json", "m-0000.params"), 2),
    "inspect json": _Action(_command("inspect", "m", "--json"), 1),
    "inspect file": _Action(_files, 1),
    "diff": _Action(_command("diff", "m-0000.params", "m"), 1),
    "plot": _Action(_with_shapes("plot", "m"), 2),
    "plot json": _Action(_command("plot", "m-symbol.json", "--json"), 1),
    "plot .svg": _Action(_with_shapes("plot", "m", "-o", "x.svg", "--weights"), 2),
    "plot .html": _Action(_with_shapes("plot", "m", "-o", "x.html"), 2),
    "open": _Action(_archive, 2),
    "verify": _Action(_verify, 2),
    "predict": _Action(_predict, 2),
    "misspelt": _Action(_misspelt, 2),
    "im2rec": _Action(_images, 1),
    "check": _Action(_script, 1),
    "to_torch": _Action(_torch, 2),
    "gluon": _Action(_gluon, 2),
    "print": _Action(_printed, 2),
    "backend aten": _Action(_backend("aten"), 1),
    "backend onednn": _Action(_backend("onednn"), 1),
    "backend onnxruntime": _Action(_backend("onnxruntime"), 1, "onnxruntime"),
    "backend openvino": _Action(_backend("openvino"), 1, "openvino"),
}  # fmt: skip
ACTIONS = {name: action for name, action in _KINDS.items() if find_spec(action.needs)}
"""What is done with models, by name."""


# -- The rules -------------------------------------------------------------------------------------


def attack(data: bytes) -> None:
    """Do what an input says with a model of its names."""
    try:
        spec = _Spec(*json.loads(data))
    except (TypeError, ValueError):
        return
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            _check(spec)
        finally:
            os.chdir(before)


def _check(spec: _Spec) -> None:
    table = _write_model(spec)
    _watch()
    _ALARMS.clear()
    _SOURCES.clear()
    with _captured(spec.is_terminal) as output, _errors() as errors:
        warnings.simplefilter("default")
        try:
            words = ACTIONS[spec.action].act(spec, table)
            if words is not None:
                cli._act(cli._parsed(words))
        except SystemExit:  # arguments that click refuses
            pass
        except MXNetError as error:
            errors.append(error)
        for path in Path.cwd().glob("x.*"):
            _check_file(path)
    text = output()
    assert f"No module named '{CANARY}'" not in text, text  # code of a name ran in another process
    assert not _ALARMS, _ALARMS
    for source in list(_SOURCES):  # the name may stand in docstrings, but not in calls
        calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
        given = [argument for call in calls for argument in call.args]
        assert not [x for x in given if isinstance(x, ast.Constant) and x.value == CANARY], source
    assert CANARY not in sys.modules
    assert not [path for path in Path.cwd().rglob(CANARY) if "images" not in path.parts]
    for error in errors:
        _check_error(error)
    assert "a fault of mxnova's" not in text, text
    shown = _CSI.sub("", text).replace("\r", "") if spec.is_terminal else text
    assert is_quiet(shown), repr(shown)
    assert "\x1b[95;7m" not in text  # the color of hostile names


def _check_error(error: BaseException | None) -> None:
    while error is not None:
        if not isinstance(error, (MXNetError, OSError)):
            assert not isinstance(error, (SyntaxError, NameError)), repr(error)
        error = error.__cause__ or error.__context__


def _check_file(path: Path) -> None:
    """Check that a file is inert, and load those that contain code."""
    if path.suffix == ".py":
        check_inert(path.read_text())
        runpy.run_path(str(path))["load"]()
    if path.suffix == ".pt2":
        import torch

        torch.export.load(path).module()
    if path.suffix in (".svg", ".html"):
        text = path.read_text()
        assert is_quiet(text)
        _Markup().feed(text)


class _Markup(HTMLParser):
    """A parser that accepts markup without scripts, handlers of events and addresses elsewhere."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "iframe", "object", "embed", "image", "img", "foreignobject")
        for name, value in attrs:
            assert not name.startswith("on"), name
            is_place = name in ("href", "xlink:href", "src")
            assert not is_place or (value or "").startswith(("#", "data:,")), value


_ALARMS: list[str] = []
_SOURCES: list[Any] = []  # code with the canary's name in it


@functools.cache
def _watch() -> None:
    """Detect from now on code of names that Python runs or a shell is given."""
    sys.addaudithook(_hear)


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "import" and arguments[0] == CANARY:
        _ALARMS.append("code of a name runs")
    elif event == "os.system" or (event == "subprocess.Popen" and CANARY in str(arguments[1])):
        _ALARMS.append(f"a name is given to a program: {arguments[:2]}")
    elif event == "compile" and CANARY in str(arguments[0]):
        _SOURCES.append(arguments[0])


@contextlib.contextmanager
def _errors() -> Iterator[list[BaseException]]:
    """Collect the errors that a command reports."""
    found: list[BaseException] = []
    report = cli._text_of

    def collect(error: Exception) -> str:
        found.append(error)
        return report(error)

    cli._text_of = collect
    try:
        yield found
    finally:
        cli._text_of = report


class _Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


@contextlib.contextmanager
def _captured(is_terminal: bool) -> Iterator[Callable[[], str]]:
    """Capture what is written to the standard streams, by native code, too."""
    sys.stdout.flush()
    sys.stderr.flush()
    before, streams = (os.dup(1), os.dup(2)), (sys.stdout, sys.stderr)
    terminal = _Terminal()
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        kinds = [terminal] * 2 if is_terminal else [open(n, "w", closefd=False) for n in (1, 2)]  # noqa: SIM115
        sys.stdout, sys.stderr = kinds  # type: ignore[assignment]
        handler = logging.StreamHandler(sys.stderr)
        logging.root.addHandler(handler)
        text = ""
        try:
            with warnings.catch_warnings():
                yield lambda: text
        finally:
            logging.root.removeHandler(handler)
            sys.stdout.flush()
            sys.stderr.flush()
            sys.stdout, sys.stderr = streams
            for number, old in enumerate(before, 1):
                os.dup2(old, number)
                os.close(old)
            file.seek(0)
            text = terminal.getvalue() + file.read().decode(errors="surrogateescape")
