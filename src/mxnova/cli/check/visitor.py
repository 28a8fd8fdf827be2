# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102, N815 - the names are ast's
"""A walk through a syntax tree that knows which names stand for modules of MXNet and NumPy."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from ...core.base.dropped_numpy_names import REPLACEMENTS
from ...core.base.errors import candidates
from .deviations import DEVIATIONS
from .facade import Member, hint_of_mxnet_2, member, names_of
from .finding import Finding

__all__ = ["Visitor"]

_ROOTS = ("mxnet", "mxnova")
_NUMPY = Member("numpy")
_F = Member("F")  # the first argument of hybrid_forward: arrays' operators, or symbols'
_CAUGHT = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class _Scope(dict[str, Member | None]):
    """Names, and the modules that they stand for; None: something else."""

    def __init__(self) -> None:
        super().__init__()
        self.unclear: set[str] = set()  # that stand for several things

    def bind(self, name: str, value: Member | None) -> None:
        if name in self and self[name] != value:
            self.unclear.add(name)
        self[name] = value


class Visitor(ast.NodeVisitor):
    """Collects `findings` of a module.

    Bodies of functions are visited last, when all names of the module are known.
    """

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._scopes = [_Scope()]
        self._is_guarded = False  # by `except ImportError`, `hasattr` or a version
        self._patched: set[tuple[str, str]] = set()  # names that the script adds to modules
        self._later: list[tuple[_Function, list[_Scope], bool]] = []

    def check(self, tree: ast.Module) -> list[Finding]:
        """The findings, in the order of lines."""
        self.visit(tree)
        while self._later:
            node, self._scopes, self._is_guarded = self._later.pop()
            self._visit_body(node)
        return sorted(set(self.findings))

    # Names ----------------------------------------------------------------------------------------

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            root = alias.name.partition(".")[0]
            value = _NUMPY if root == "numpy" else Member("mxnova") if root in _ROOTS else None
            if root in _ROOTS:
                full = self._module(alias.name, node)
                value = full if alias.asname else value
            elif alias.asname and "." in alias.name:
                value = None  # a module of NumPy's
            self._scopes[-1].bind(alias.asname or root, value)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        root = (node.module or "").partition(".")[0] if not node.level else ""
        module = self._module(node.module or "", node) if root in _ROOTS else None
        module = _NUMPY if node.module == "numpy" and not node.level else module
        for alias in node.names:
            if alias.name == "*":
                continue
            value = None if module is None else self._member(module, alias.name, node)
            self._scopes[-1].bind(alias.asname or alias.name, value)

    def visit_Assign(self, node: ast.Assign) -> None:
        value = self._resolved(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._scopes[-1].bind(target.id, value)
            else:
                self.visit(target)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self._scopes[-1].bind(node.id, None)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._scopes[-1].bind(node.name, None)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Load):
            self._resolved(node)
        elif (base := self._resolved(node.value)) is not None:
            self._patched.add((base.module, node.attr))

    def visit_Call(self, node: ast.Call) -> None:
        is_exact = any(map(_asks_for_mxnets_numbers, node.keywords))
        with self._guarded(is_exact):
            self.visit(node.func)
        for part in (*node.args, *node.keywords):
            self.visit(part)

    # Scopes ---------------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._scopes[-1].bind(node.name, None)
        for part in (*node.decorator_list, node.args, node.returns):
            if part is not None:
                self.visit(part)
        self._later.append((node, [*self._scopes], self._is_guarded))

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit(node.args)
        self._later.append((node, [*self._scopes], self._is_guarded))

    def _visit_body(self, node: _Function) -> None:
        scope = _Scope()
        given = node.args
        names = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        for argument in names:
            if argument is not None:
                scope.bind(argument.arg, None)
        if getattr(node, "name", "") == "hybrid_forward" and len(given.args) > 1:
            scope[given.args[1].arg] = _F
        self._scopes = [*self._scopes, scope]
        for part in node.body if isinstance(node.body, list) else [node.body]:
            self.visit(part)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._scopes[-1].bind(node.name, None)
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        outer = self._scopes
        self._scopes = [*outer, _Scope()]
        for part in node.body:
            self.visit(part)
        for function, scopes, _ in self._later:
            if function in node.body:
                scopes.pop()  # names of a class are none of its methods'
        self._scopes = outer

    def visit_ListComp(self, node: ast.ListComp | ast.DictComp | ast.SetComp) -> None:
        self._scopes = [*self._scopes, _Scope()]
        rest = [*ast.iter_child_nodes(node)][: -len(node.generators)]
        for part in (*node.generators, *rest):
            self.visit(part)
        self._scopes = self._scopes[:-1]

    visit_SetComp = visit_DictComp = visit_ListComp
    visit_GeneratorExp = visit_ListComp  # type: ignore[assignment]

    def visit_Try(self, node: ast.Try) -> None:
        with self._guarded(any(map(_catches_missing, node.handlers))):
            for part in (*node.body, *node.handlers):  # one of them is for other versions
                self.visit(part)
        for part in (*node.orelse, *node.finalbody):
            self.visit(part)

    def visit_If(self, node: ast.If) -> None:
        text = ast.dump(node.test)
        with self._guarded("hasattr" in text or "version" in text.lower()):
            self.generic_visit(node)

    visit_IfExp = visit_If  # type: ignore[assignment]

    @contextmanager
    def _guarded(self, condition: bool) -> Iterator[None]:
        before = self._is_guarded
        self._is_guarded = before or condition
        yield
        self._is_guarded = before

    # Members --------------------------------------------------------------------------------------

    def _resolved(self, node: ast.AST) -> Member | None:
        """The module that an expression stands for; all of it is visited."""
        if isinstance(node, ast.Name):
            return self._looked_up(node.id) if isinstance(node.ctx, ast.Load) else None
        if not isinstance(node, ast.Attribute):
            self.visit(node)
            return None
        base = self._resolved(node.value)
        return None if base is None or base.name else self._member(base, node.attr, node)

    def _looked_up(self, name: str) -> Member | None:
        for depth, scope in enumerate(reversed(self._scopes)):
            if name in scope:
                return None if depth and name in scope.unclear else scope[name]
        return None

    def _module(self, name: str, node: ast.stmt) -> Member | None:
        """The module that an import names."""
        parts = name.split(".")[1:]
        found: Member | None = Member("mxnova")
        for part in parts:
            found = None if found is None or found.name else self._member(found, part, node)
        return found

    def _member(self, base: Member, name: str, node: ast.AST) -> Member | None:
        if base == _NUMPY:
            if name in REPLACEMENTS:
                text = f"NumPy 2 has no np.{name}"
                self._found("numpy", f"np.{name}", node, text, f"write {REPLACEMENTS[name]}")
            return None
        modules = ["mxnova.ndarray", "mxnova.symbol"] if base == _F else [base.module]
        if any((module, name) in self._patched for module in modules):
            return None
        found = next(filter(None, (member(module, name) for module in modules)), None)
        full = f"{modules[0]}.{name}".removeprefix("mxnova.")
        if found is None:
            hint = hint_of_mxnet_2(full) or candidates(name, names_of(modules[0]))
            text = f"mxnova has no mxnet.{full}"
            self._found("missing", f"mxnet.{full}", node, text, hint.removeprefix("; "))
        elif (row := DEVIATIONS.get(full)) is not None:
            text = f"differs from MXNet: {row.row.replace('`', '')}"
            self._found("deviation", f"mxnet.{full}", node, text, row.remedy)
        return found

    def _found(self, kind: str, name: str, node: ast.AST, text: str, remedy: str) -> None:
        if self._is_guarded:
            return
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        self.findings.append(Finding(line, column + 1, kind, name, text, remedy))


def _asks_for_mxnets_numbers(word: ast.keyword) -> bool:
    """Whether an argument of mx.random.seed asks for what the deviation is about."""
    is_off = isinstance(word.value, ast.Constant) and not word.value.value
    return word.arg == "exact" and not is_off


def _catches_missing(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches what a missing name raises."""
    if handler.type is None:
        return True
    names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    return bool(names & _CAUGHT)
