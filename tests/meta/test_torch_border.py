# SPDX-License-Identifier: Apache-2.0
"""Private names of torch stand in one module."""

import ast
import re
from pathlib import Path

import pytest
import torch

SOURCE = Path(__file__).parents[2] / "src" / "mxnova"
RUNTIME = SOURCE / "core" / "runtime"
BORDER = {
    RUNTIME / "torch_api.py", RUNTIME / "torch_cudnn.py", RUNTIME / "torch_integers.py",
    RUNTIME / "torch_optimizers.py", RUNTIME / "torch_script.py",
}  # fmt: skip

# What may go with any release, in source text: where alone it may stand.
PRIVATE = {
    re.compile(
        r"\btorch\._(?!_version__|_file__)|\btorch\.ops\b|_execution_engine|\b_VF\b"
    ): BORDER,
    re.compile(r"\b(?!self\b|cls\b)\w+\._(base|version|is_view|grad_fn|indices|values)\b"): BORDER,
    re.compile(r"libtorch|torch\.__file__"): BORDER,
    re.compile(r"\btorch\.jit\b|\"jit\""): {RUNTIME / "torch_script.py"},
}
HOLDERS = (
    torch, torch.Tensor, torch.Generator, torch.autograd, torch.autograd.Function,
    torch.backends, torch.cuda, torch.nn.functional, torch.nn.Module,
)  # fmt: skip


def own_names(tree):
    """Names that a module gives its own functions, attributes and fields."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def read_names(tree):
    """(line, name) of attributes that are read, by dots or by `getattr`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node.lineno, node.attr
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("getattr", "hasattr"):
            yield from ((node.lineno, a.value) for a in node.args if isinstance(a, ast.Constant))


def private_names():
    """Names with one underscore of torch's modules and classes."""
    names = {name for holder in HOLDERS for name in dir(holder)}
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


@pytest.fixture(scope="module")
def sources(no_collector):
    return {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}


def test_private_names_stand_in_one_module(sources):
    found = [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for path, text in sources.items()
        for number, line in enumerate(text.splitlines(), 1)
        for pattern, border in PRIVATE.items()
        if path not in border and pattern.search(line)
    ]
    assert found == []


def test_gpus_are_waited_for_in_one_module(sources):
    """CUDA refuses it while kernels are recorded: there it waits until they are."""
    found = [path for path, text in sources.items() if re.search(r"cuda\.synchronize\b", text)]
    assert found == [RUNTIME / "engine" / "gpu.py"]


def test_private_attributes_are_read_in_one_module(sources):
    trees = {path: ast.parse(text) for path, text in sources.items() if path not in BORDER}
    theirs = private_names() - {name for tree in trees.values() for name in own_names(tree)}
    assert {"_backward_hooks", "_is_zerotensor", "_standard_gamma"} <= theirs
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {name}"
        for path, tree in trees.items()
        for line, name in read_names(tree)
        if name in theirs
    ]
    assert found == []
