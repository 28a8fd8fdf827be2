# SPDX-License-Identifier: Apache-2.0
"""Versions of Python, mxnova and the packages that it declares."""

from __future__ import annotations

import importlib.metadata
import platform
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import mxnova

from ..environment import find
from ..report import Rows
from .finding import Finding

__all__ = ["packages"]

_REQUIREMENT = re.compile(
    r'([\w.-]+)(?:\[.*?\])?(?:>=([\d.]+))?[^;]*(?:;.*extra == ["\'](\w+)["\'])?'
)
_FOR_DEVELOPERS = ("bench", "browser", "demo", "dev", "docs", "test")


class _Need(NamedTuple):
    """A package, the least version that will do, and the extra that needs it."""

    name: str
    least: str
    extra: str


def packages() -> tuple[Rows, list[Finding]]:
    """A row for each package that is declared, extras included."""
    alias = find()
    rows: list[dict[str, Any]] = [
        {"package": "Python", "version": platform.python_version(), "needed": "", "extra": ""},
        {"package": "mxnova", "version": mxnova.__version__, "needed": "", "extra": ""},
    ]
    findings = []
    for need in _needs():
        version = _version(need.name)
        least = f">={need.least}" if need.least else ""
        rows.append(
            {
                "package": need.name,
                "version": version or "not installed",
                "needed": least,
                "extra": need.extra,
            }
        )
        finding = _finding(need, version)
        findings += [finding] if finding else []
    if alias is not None:
        text = "alias of mxnova" if alias.ours else f"another package: {alias.place}"
        rows.append({"package": "mxnet", "version": text, "needed": "", "extra": ""})
    return rows, findings


def _needs() -> Iterator[_Need]:
    try:
        requirements = importlib.metadata.requires("mxnova") or []
    except importlib.metadata.PackageNotFoundError:
        return
    for text in requirements:
        found = _REQUIREMENT.match(text)
        if found and found[1] != "mxnova" and (found[3] or "") not in _FOR_DEVELOPERS:
            yield _Need(found[1], found[2] or "", found[3] or "")


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _finding(need: _Need, version: str | None) -> Finding | None:
    wanted = f"{need.name}>={need.least}" if need.least else need.name
    if version is None:
        text = f"{need.name} is not installed"
        return None if need.extra else Finding(text, f"pip install '{wanted}'")
    if need.least and _numbers(version) < _numbers(need.least):
        text = f"{need.name} {version} is older than what mxnova is written for"
        return Finding(text, f"pip install '{wanted}'")
    return None


def _numbers(version: str) -> list[int]:
    """The release of a version: 2.13.0+cpu is [2, 13, 0]."""
    release = re.match(r"\d+(?:\.\d+)*", version)
    return [int(number) for number in release[0].split(".")] if release else []
