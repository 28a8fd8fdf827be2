# SPDX-License-Identifier: Apache-2.0
"""``mxnova verify``: whether two models compute the same."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ..artefacts.trusted_code import code_file, is_own_code
from ..core.base.errors import ArgumentError
from ..core.base.gc_pause import loading
from ..core.base.printable import printable
from ..core.base.progress import progress
from ..predictor.picture import Picture
from .inputs import read_inputs
from .report import Rows, print_table, write_json
from .shapes import inputs_of

if TYPE_CHECKING:
    from ..convert.proof import Verification
    from ..convert.proof.comparison import Difference

__all__ = ["check_page", "document", "verify", "write_page"]


def verify(options: SimpleNamespace) -> int:
    """Shows how two models compare.

    Args:
        options: a, b, epoch, shape, range, input, batch, tolerance, seed, trust, json, html.

    Returns:
        0 if they are equal but for rounding, else 1.
    """
    if not options.tolerance > 0:
        raise ArgumentError(f"verify: --tolerance {options.tolerance}: must be more than 0")
    check_page(options.html, "verify")
    arrays = read_inputs(options.input, Picture())
    trust = options.trust or _ask_for_trust(options.a, options.b)
    told = inputs_of(options.shape)
    with progress() as tell:
        tell("start")
        with loading():
            from ..convert.proof import verify as compare
        found = compare(
            options.a,
            options.b,
            epoch=options.epoch,
            shapes=told.shapes,
            types=told.types,
            ranges=dict(_range(text) for text in options.range),
            inputs=arrays,
            batches=_batches(options.batch),
            tolerance=options.tolerance,
            seed=options.seed,
            trust=trust,
            tell=tell,
        )
    if options.html is not None:
        from ..convert.proof.page import page

        write_page(options.html, page(str(options.a), str(options.b), found))
    if options.json:
        write_json(document(found))
    else:
        print_table("outputs", _rows(found.outputs))
        if found.defaults:
            print_table("default precision", _rows(list(found.defaults)))
        if found.nodes:
            print_table("nodes", _rows(found.nodes))
        sys.stdout.write(printable(found.line) + "\n")
    return int(not found.is_equal)


def _ask_for_trust(*paths: str) -> bool:
    """Ask on a terminal whether to load files that run code of their authors; False elsewhere."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    files = [file for path in paths if (file := code_file(path)) and not is_own_code(file)]
    if not files:
        return False
    sys.stderr.write(
        f"{printable(' and '.join(files))}: this installation did not write this, and loading it "
        "runs code of its author. Load it? [y/N] "
    )
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _rows(differences: list[Difference]) -> Rows:
    return [
        {
            "name": row.name,
            "shape": row.shape,
            "max_abs": row.max_abs,
            "max_rel": row.max_rel,
            "cosine": row.cosine,
            "rounding": row.rounding,
            "equal": "yes" if row.is_equal else "NO",
        }
        for row in differences
    ]


def document(found: Verification) -> dict[str, Any]:
    """All of it as JSON has it."""
    return {
        "equal": found.is_equal,
        "line": found.line,
        "first": found.first and found.first.name,
        "reference": found.has_reference,
        "outputs": [{**vars(row), "equal": row.is_equal} for row in found.outputs],
        "nodes": [{**vars(row), "equal": row.is_equal} for row in found.nodes],
        "defaults": [{**vars(row), "equal": row.is_equal} for row in found.defaults],
    }


def _range(text: str) -> tuple[str, tuple[float, float, bool]]:
    name, equals, numbers = text.rpartition("=")
    words = numbers.split(",")
    is_whole = len(words) == 3 and words.pop() == "int"
    try:
        low, high = map(float, words)
    except ValueError:
        low, high = 1.0, 0.0
    if not (name and equals and low <= high and high - low < float("inf")):
        raise ArgumentError(f"--range {text}: must be NAME=LOW,HIGH or NAME=LOW,HIGH,int")
    return name, (low, high, is_whole)


def _batches(text: str) -> list[int]:
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and 0 < int(word) < 1 << 20 for word in words):
        raise ArgumentError(f"--batch {text}: must be sizes such as 1,3")
    return [int(word) for word in words]


def check_page(path: Path | None, command: str) -> None:
    """Refuses to replace what is no page by one.

    Raises:
        ArgumentError: `path` is such a file.
    """
    if path is not None and path.exists() and path.suffix.lower() not in (".html", ".htm"):
        raise ArgumentError(
            f"{command}: --html {path}: exists, and is no page: it ends in no .html"
        )


def write_page(path: Path, text: str) -> None:
    """Writes a page, all of it or nothing."""
    from ..formats.atomic import replacing

    with replacing(path) as file:
        file.write(text.encode())
