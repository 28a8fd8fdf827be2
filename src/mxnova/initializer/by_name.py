# SPDX-License-Identifier: Apache-2.0
"""Initializers that choose by the whole name of a parameter."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .. import ndarray as nd
from ..core.base.errors import ArgumentError, AssertedError, shown
from ..core.base.printable import printable
from .base import create

__all__ = ["Load", "Mixed"]

NDArray = nd.NDArray


class Load:
    """Fills parameters with values from a file or dictionary.

    Args:
        param: a file of parameters, or arrays by name; ``arg:`` and ``aux:`` are cut off names.
        default_init: fills parameters that are not there.
        verbose: whether to log where values come from.
    """

    def __init__(
        self,
        param: str | Mapping[str, NDArray],
        default_init: Callable[[str, NDArray], None] | None = None,
        verbose: bool = False,
    ) -> None:
        arrays = nd.load(param) if isinstance(param, str) else param
        if not isinstance(arrays, Mapping):
            what = f"param={shown(param)}: must be arrays with names, or a file of such"
            raise AssertedError(f"Load: {what}")
        self.param = {_without_kind(name): array for name, array in arrays.items()}
        self.default_init = default_init
        self.verbose = verbose

    def __call__(self, name: str, arr: NDArray) -> None:
        """Fills the array of parameter `name`.

        Raises:
            AssertedError: the value has another shape, or there is none and no default.
        """
        source = "loaded values"
        if name in self.param:
            value: Any = self.param[name]
            if arr.shape != value.shape:
                reason = f"the value to load is of shape {value.shape}"
                raise AssertedError(f"Load: {name!r} is of shape {arr.shape}: {reason}")
            arr[:] = value
        elif self.default_init is not None:
            self.default_init(name, arr)
            source = "the default initializer"
        else:
            reason = "is not among the values to load, and there is no default_init"
            raise AssertedError(f"Load: {str(name)!r} {reason}")
        if self.verbose:
            logging.info("%s: filled by %s", printable(str(name)), source)


def _without_kind(name: str) -> str:
    return name[4:] if name.startswith(("arg:", "aux:")) else name


class Mixed:
    """Initializers by patterns of names; the first pattern that fits counts.

    Args:
        patterns: regular expressions that match the start of names.
        initializers: an initializer, or its name, for each.
    """

    def __init__(self, patterns: Iterable[str], initializers: Iterable[Any]) -> None:
        patterns, initializers = list(patterns), list(initializers)
        if len(patterns) != len(initializers):
            counts = f"{len(patterns)} patterns, {len(initializers)} initializers"
            raise AssertedError(f"Mixed: {counts}: each pattern has one")
        made = (create(i) if isinstance(i, str) else i for i in initializers)
        self.map = list(zip(map(re.compile, patterns), made, strict=True))

    def __call__(self, name: str, arr: NDArray) -> None:
        """Fills the array of parameter `name`.

        Raises:
            ArgumentError: no pattern fits.
        """
        for pattern, initializer in self.map:
            if pattern.match(name):
                initializer(name, arr)
                return
        reason = "fits no pattern; a last pattern '.*' fits all"
        raise ArgumentError(f"Mixed: name={str(name)!r}: {reason}")
