# SPDX-License-Identifier: Apache-2.0
"""The type stubs are up to date, say what the modules say at run time, and are of use."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
FILES = sorted((SOURCE / "mxnova").rglob("*.pyi"))

PROGRAM = """
import mxnova as mx
from mxnova import nd, sym

x = nd.array([[1, 2]])
y = mx.nd.Convolution(x, x, kernel=(3, 3), num_filter=8)
reveal_type(y)  # NDArray
reveal_type((x + 1).relu().asnumpy())  # numpy.ndarray[Any, Any]
reveal_type(x.shape)  # tuple[int, ...]
reveal_type(mx.sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc"))  # Symbol
reveal_type(nd.contrib.box_nms(x))  # NDArray
reveal_type(nd.linalg.gemm2(x, x, transpose_b=True, alpha=0.5))  # NDArray
reveal_type(nd.sum(x, axis=(0, 1), keepdims=True))  # NDArray
reveal_type(nd.cast(x, dtype="float16"))  # NDArray
executor = sym.var("x").simple_bind(mx.cpu(), x=(1, 2))
reveal_type(executor.outputs[0].context)  # Context
with mx.autograd.record(), mx.AttrScope(a="b"):
    z = -x * 2 / x
z.backward()

class Sigmoid(mx.operator.CustomOp):
    pass

mx.nd.Convolution(x, num_filter="eight")  # error: "num_filter"
mx.nd.Activation(x, act_type="rellu")  # error: "act_type"
mx.nd.Convolutoin(x)  # error: maybe "Convolution"
mx.sym.FullyConnected(x, num_hidden=3)  # error: expected "Symbol | None"
mx.nd.relu(x).no_such_method()  # error: "no_such_method"
"""


def module_of(path):
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return importlib.import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))


def test_the_stubs_are_up_to_date():
    written = runpy.run_path(str(ROOT / "scripts" / "stubs"))["stubs"]()
    changed = {p for p in {*written, *FILES} if not p.exists() or written.get(p) != p.read_text()}
    assert changed == set(), "run scripts/generate"


def functions(body, owner):
    """The functions that a body declares, with what they are at run time."""
    for node in body:
        if isinstance(node, ast.FunctionDef) and not node.decorator_list:
            if ast.unparse(node.args) != "self, x: _T, *args: Any":  # a layer: an array in, one out
                yield node, getattr(owner, node.name)
        elif isinstance(node, ast.ClassDef):
            yield from functions(node.body, getattr(owner, node.name))


def declared(node):
    """(name, kind, whether it has a default) of each parameter of a stub."""
    arguments = node.args
    given = [False] * (len(arguments.args) - len(arguments.defaults))
    given += [True] * len(arguments.defaults)
    yield from ((a.arg, "POSITIONAL_ONLY", False) for a in arguments.posonlyargs)
    yield from ((a.arg, "POSITIONAL", g) for a, g in zip(arguments.args, given))
    if arguments.vararg:
        yield arguments.vararg.arg, "VAR_POSITIONAL", False
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        yield argument.arg, "KEYWORD_ONLY", default is not None
    if arguments.kwarg:
        yield arguments.kwarg.arg, "VAR_KEYWORD", False


def actual(value):
    """The same of a function."""
    for p in inspect.signature(value).parameters.values():
        kind = "POSITIONAL" if p.kind is p.POSITIONAL_OR_KEYWORD else p.kind.name
        yield p.name, kind, p.default is not p.empty


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_signatures_are_those_of_run_time(path):
    module, tree = module_of(path), ast.parse(path.read_text())
    differing = [
        node.name
        for node, value in functions(tree.body, module)
        if [*declared(node)] != [*actual(value)]
    ]
    assert differing == []


def test_stubs_show_what_modules_show():
    names = runpy.run_path(str(ROOT / "scripts" / "stubs"))["names_of"]
    for path in FILES:
        shown = set()
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                shown |= {alias.asname or alias.name for alias in node.names}
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                shown.add(node.name)
            else:
                shown.add(ast.unparse(node).split(":")[0].split(" =")[0])
        assert {*names(module_of(path))} <= shown, path


EVERYDAY = sorted((Path(__file__).parents[1] / "data" / "typed").glob("*.py"))


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """A folder with the program above and those of everyday use, by our name and by MXNet's."""
    from mxnova.cli import environment

    folder = tmp_path_factory.mktemp("typed")
    (folder / "program.py").write_text(PROGRAM)
    for path in EVERYDAY:
        text = path.read_text()
        (folder / path.name).write_text(text)
        (folder / f"{path.stem}_mxnet.py").write_text(text.replace("mxnova", "mxnet"))
    environment.install(folder)
    return folder


@pytest.fixture(scope="module")
def checked(programs):
    """Line number -> what mypy says of the program; of the others and the stubs it says nothing."""
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", programs / "cache"]
    command.append("--no-warn-unused-ignores")  # of what overrides, some fits
    files = [*programs.glob("*.py"), *FILES]
    environment = {**os.environ, "MYPYPATH": os.pathsep.join(map(str, (programs, SOURCE)))}
    done = subprocess.run([*command, *files], capture_output=True, text=True, env=environment)
    found: dict[int, str] = {}
    for line in done.stdout.splitlines()[:-1]:
        file, number, said = line.split(":", 2)
        assert file.endswith("program.py"), line
        found[int(number)] = found.get(int(number), "") + said
    return found


@pytest.mark.slow
def test_pyright_finds_no_fault_in_programs_of_everyday_use(programs):
    pytest.importorskip("basedpyright")
    settings = {
        "include": [f"{path.stem}{name}.py" for path in EVERYDAY for name in ("", "_mxnet")],
        "extraPaths": [".", str(SOURCE)],
        "typeCheckingMode": "standard",  # that of Pyright and Pylance
    }
    (programs / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "basedpyright", "-p", programs, "--outputjson"]
    command += ["--pythonpath", sys.executable]
    done = subprocess.run(command, capture_output=True, text=True)
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == 2 * len(EVERYDAY)
    assert [d["message"] for d in report["generalDiagnostics"]] == []


@pytest.mark.slow
@pytest.mark.parametrize("path", EVERYDAY, ids=lambda path: path.stem)
def test_programs_of_everyday_use_run(path, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, path]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path, env=environment)


@pytest.mark.slow
def test_mypy_knows_types_and_finds_mistakes(checked):
    expected = {
        number: line.partition("# ")[2]
        for number, line in enumerate(PROGRAM.splitlines(), 1)
        if "# " in line
    }
    assert checked.keys() == expected.keys(), checked
    for number, wanted in expected.items():
        if wanted.startswith("error: "):
            assert "error" in checked[number]
            assert wanted.removeprefix("error: ") in checked[number]
        else:
            assert re.search(rf'type is "([\w.]*\.)?{re.escape(wanted)}"', checked[number])


def test_editors_complete_operators_with_their_arguments():
    jedi = pytest.importorskip("jedi")
    project = jedi.Project(ROOT, added_sys_path=[str(SOURCE)])

    def script(line):
        return jedi.Script(f"import mxnova as mx\n{line}", project=project)

    names = [c.name for c in script("mx.nd.Conv").complete()]
    assert names == ["Convolution", "Convolution_v1"]
    assert "relu" in [c.name for c in script("(mx.nd.ones((2,)) + 1).re").complete()]
    (signature,) = script("mx.sym.Convolution(").get_signatures()
    described = [p.description for p in signature.params]
    assert "param num_filter: int=..." in described
    assert "param data: Symbol | None=None" in described
