# SPDX-License-Identifier: Apache-2.0
"""Examples in docstrings of functions that are made at run time: scripts/examples writes them."""

from __future__ import annotations

import functools
import json
import textwrap
from pathlib import Path

__all__ = ["example_of", "with_example"]


def with_example(doc: str, package: str, name: str) -> str:
    """A docstring with the example of `name`, where its package of the core has one.

    The file of a package is read when the first of its functions is made.
    """
    example = example_of(package, name)
    return f"{doc.rstrip()}\n\nExample:\n{textwrap.indent(example, '    ')}" if example else doc


def example_of(package: str, name: str) -> str | None:
    """A session of `name`, a function that a package of the core makes."""
    return _examples(package).get(name)


@functools.cache
def _examples(package: str) -> dict[str, str]:
    path = Path(__file__).parents[1] / package / "examples.json"
    found: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return found
