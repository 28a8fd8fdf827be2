# SPDX-License-Identifier: Apache-2.0
"""What the examples learn from: scikit-learn's digits, and text that comes with Python."""

from __future__ import annotations

import ast
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

__all__ = ["PACKAGES", "digits", "documentation", "functions"]

# Packages of the standard library with many functions each.
PACKAGES = (
    "asyncio",
    "email",
    "http",
    "importlib",
    "logging",
    "multiprocessing",
    "unittest",
    "urllib",
    "xml",
)
TESTS = {"test", "tests"}  # folders that not every installation has
SHORTEST_FUNCTION = 20  # words
WORD = re.compile(r"[A-Za-z]+|\d+|[^\w\s]")


def digits() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Handwritten digits: images (n, 1, 8, 8) from 0 to 1 and labels; to learn, then to test."""
    given = load_digits()
    images = (given.images[:, None] / 16).astype(np.float32)
    labels = given.target.astype(np.float32)
    learn, test, learn_labels, test_labels = train_test_split(
        images, labels, test_size=450, stratify=labels, random_state=0
    )
    return learn, learn_labels, test, test_labels


def documentation() -> str:
    """What ``help()`` says about Python's topics, some 450,000 characters."""
    return "\n".join(topics[name] for name in sorted(topics))


def functions() -> tuple[list[list[str]], np.ndarray]:
    """The words of functions of the standard library, and the places of their packages."""
    words, labels = [], []
    for label, package in enumerate(PACKAGES):
        for source in _sources(package):
            found = WORD.findall(source)
            if len(found) >= SHORTEST_FUNCTION:
                words.append(found)
                labels.append(label)
    return words, np.array(labels, np.float32)


def _sources(package: str) -> Iterator[str]:
    folder = Path(sysconfig.get_path("stdlib"), package)
    for path in sorted(folder.rglob("*.py")):
        if TESTS.isdisjoint(path.parts):
            text = path.read_text(encoding="utf-8")
            lines = text.splitlines()
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield "\n".join(lines[node.lineno - 1 : node.end_lineno])
