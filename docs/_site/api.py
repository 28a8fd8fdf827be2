# SPDX-License-Identifier: Apache-2.0
"""Pages of the Python API, from signatures and docstrings: docs/api, made in each build."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from mxnova.core.graph import functions as of_symbols
from mxnova.core.nd import functions as of_arrays
from mxnova.core.op.schema import REGISTRY, OpType, find

from .docstrings import fenced, markdown, summary
from .operators import place_of

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# fmt: off
MODULES = {
    "Arrays": ["ndarray", "ndarray.contrib", "ndarray.image", "ndarray.linalg", "ndarray.random",
               "ndarray.sparse", "numpy", "numpy.linalg", "numpy.random", "numpy_extension",
               "autograd", "random", "context", "operator"],
    "Graphs and models": ["symbol", "executor", "model", "predictor", "artefacts", "torch_module",
                          "onnx", "convert", "visualization", "checkpoint"],
    "Gluon": ["gluon", "gluon.nn", "gluon.rnn", "gluon.loss", "gluon.data",
              "gluon.data.vision", "gluon.data.vision.transforms", "gluon.model_zoo.vision",
              "gluon.utils", "gluon.contrib.nn", "gluon.contrib.rnn", "gluon.contrib.cnn",
              "gluon.contrib.estimator"],
    "Training": ["optimizer", "lr_scheduler", "initializer", "metric", "callback", "monitor",
                 "kvstore", "module", "rnn"],
    "Data": ["io", "image", "recordio", "formats"],
    "Additions": ["contrib.amp", "contrib.quantization", "contrib.text", "contrib.onnx"],
    "The process": ["base", "engine", "profiler", "runtime", "util", "error", "name", "attribute",
                    "test_utils"],
}
# fmt: on
ALIASES = {
    "ndarray": "nd",
    "symbol": "sym",
    "numpy": "np",
    "numpy_extension": "npx",
    "module": "mod",
    "kvstore": "kv",
    "initializer": "init",
    "optimizer": "opt",
    "visualization": "viz",
}  # fmt: skip

FUNCTIONS = {"ndarray": of_arrays.function_of, "symbol": of_symbols.function_of}


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("builder-inited", lambda app: write(Path(app.srcdir) / "api"))
    return {"parallel_read_safe": True}


def write(folder: Path) -> None:
    """Writes the pages that are new or have changed, and removes others."""
    folder.mkdir(exist_ok=True)
    texts = pages()
    for path in folder.glob("*.md"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def pages() -> dict[str, str]:
    """File name -> text."""
    names = [name for group in MODULES.values() for name in group]
    return {"index.md": index(), **{f"{name}.md": page(name) for name in names}}


def index() -> str:
    """The list of modules."""
    blocks = [
        "# Python API",
        "`import mxnova as mx` imports no module by itself; each is imported when it is first "
        "used. "
        "Operators are functions of `mx.nd` and `mx.sym`: their arguments stand on the pages of "
        "[operators](../operators/index.md).",
    ]
    for title, names in MODULES.items():
        lines = [f"- [`{shown(n)}`]({n}.md): {summary(imported(n).__doc__)}" for n in names]
        blocks += [f"## {title}", "\n".join(lines)]
    names = [name for group in MODULES.values() for name in group]
    return "\n\n".join([*blocks, fenced("{toctree}", "\n".join([":hidden:", "", *names])), ""])


def imported(name: str) -> ModuleType:
    return importlib.import_module(f"mxnova.{name}")


def shown(name: str) -> str:
    """The name that programs write."""
    first, _, rest = name.partition(".")
    return ".".join(filter(None, ["mx", ALIASES.get(first, first), rest]))


def page(name: str) -> str:
    """One module."""
    module = imported(name)
    members = dict(public(module))
    found = {n: operator_of(name, n, value) for n, value in members.items()}
    operators = {n: type_ for n, type_ in found.items() if type_ is not None}
    blocks = [f"# {shown(name)}", *markdown(inspect.getdoc(module) or "")]
    own = [n for n in members if n not in operators]
    if operators:
        blocks += [
            "## Operators",
            "These functions run operators; the links lead to their arguments and examples.",
            "\n".join(operator_line(n, operators[n]) for n in sorted(operators)),
        ]
    for member in own:
        blocks += section(shown(name), member, members[member])
    return "\n\n".join(blocks) + "\n"


def public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """What a module offers, without modules and plain values."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [n for n in dir(module) if not n.startswith("_")]
    for name in dict.fromkeys(names):
        value = getattr(module, name, None)
        if callable(value) and str(getattr(value, "__module__", "")).startswith("mxnova"):
            yield name, value


def operator_of(module: str, name: str, value: Any) -> OpType | None:
    """The operator that a function of `mx.nd` or `mx.sym` runs, or None."""
    world, _, part = module.partition(".")
    full = f"_{part}_{name}" if part else name
    function_of = FUNCTIONS.get(world)
    is_operator = function_of and full in REGISTRY and value is function_of(full, name)
    return find(full) if is_operator else None


def operator_line(name: str, type_: OpType) -> str:
    return f"- [`{name}`](../operators/{place_of(type_)}): {summary(type_.doc)}"


def section(module: str, name: str, value: Any) -> list[str]:
    """A function or class."""
    blocks = [f"## {name}", signature_block(f"{module}.{name}", value)]
    blocks += markdown(inspect.getdoc(value) or "")
    if inspect.isclass(value) and not issubclass(value, BaseException):
        for method_name, method in methods(value):
            blocks.append(f"### {name}.{method_name}")
            if not isinstance(method, property):
                blocks.append(signature_block(method_name, method))
            blocks += markdown(inspect.getdoc(method) or "")
    return blocks


def methods(class_: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that the class itself defines, with a docstring."""
    for name, value in vars(class_).items():
        target = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        documented = isinstance(target, property) or inspect.isfunction(target)
        if not name.startswith("_") and documented and inspect.getdoc(target):
            yield name, target


def signature_block(name: str, value: Any) -> str:
    """How it is called."""
    try:
        signature = str(inspect.signature(value))
    except (TypeError, ValueError):
        signature = "(…)"
    signature = re.sub(r" at 0x[0-9a-f]+", "", signature).replace("'", "")
    return fenced("python", folded(name + re.sub(r"^\(self(, )?", "(", signature)))


def folded(text: str) -> str:
    """A signature of more than one line has an argument a line."""
    if len(text) <= 88:
        return text
    head, _, rest = text.partition("(")
    arguments, _, tail = rest.rpartition(")")
    parts, depth, part = list[str](), 0, ""
    for letter in arguments:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += letter
    parts.append(part.strip())
    lines = "".join(f"    {p},\n" for p in parts if p)
    return f"{head}(\n{lines}){tail}"
