# SPDX-License-Identifier: Apache-2.0
"""Whether a program prints what a page says: numbers may differ in their last digits."""

from __future__ import annotations

import doctest
import math
import re

import numpy as np

__all__ = ["NumbersChecker", "same_output"]

# A number of NumPy's, as NumPy 2 shows it; NumPy 1 leaves the type out.
SCALAR = re.compile(r"np\.(?:(?:float|u?int|str)\d*_?\(([^()]*)\)|(True|False)_)")
NUMBER = re.compile(r"(?<![\w.])([-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?)(?!\w)")


def same_output(expected: str, got: str) -> bool:
    """Whether two texts are the same but for blanks, the last digits of floats, and ``...``."""
    if np.lib.NumpyVersion(np.__version__) < "2.0.0":
        expected = SCALAR.sub(r"\1\2", expected)
    pattern, numbers = _pattern(expected)
    found = re.fullmatch(pattern, _squeezed(got), re.S)
    return found is not None and all(map(_close, numbers, found.groups()))


def _squeezed(text: str) -> str:
    return re.sub(r"\s*([\[\]()])\s*", r"\1", " ".join(text.split()))


def _pattern(expected: str) -> tuple[str, list[str]]:
    parts = NUMBER.split(_squeezed(expected))
    texts = (re.escape(part).replace(r"\.\.\.", ".*?") for part in parts[::2])
    texts = (re.sub(r"(\\ )+", r"\\s*", text) for text in texts)
    return r"([-+]?[\d.]+(?:e[-+]?\d+)?)".join(texts), parts[1::2]


def _close(expected: str, got: str) -> bool:
    if re.fullmatch(r"[-+]?\d+", expected):
        return expected == got
    digits = len(expected.partition("e")[0].partition(".")[2])
    scale = 10.0 ** int(expected.partition("e")[2] or 0)
    return math.isclose(float(expected), float(got), rel_tol=1e-3, abs_tol=2 * scale / 10**digits)


class NumbersChecker(doctest.OutputChecker):
    """`same_output` for doctest."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return same_output(want, got)
