# SPDX-License-Identifier: Apache-2.0
"""A monitor of the arrays inside executors and blocks."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from . import ndarray as nd
from .core.base.doors import facade
from .core.base.errors import ArgumentTypeError, AssertedError, shown
from .core.base.printable import printable

__all__ = ["Monitor"]

NDArray = nd.NDArray


def _root_mean_square(array: NDArray) -> NDArray:
    mean: NDArray = nd.norm(array) / math.sqrt(array.size)
    return mean


class Monitor:
    """Collects statistics of outputs, weights and gradients, every `interval` batches.

    Between `tic` and `toc` it takes what passes through the executors that it is installed on.

    Args:
        interval: how many batches there are from one that is watched to the next.
        stat_func: statistic of an array: an array, or a list of them; the root of its mean square
            by default.
        pattern: regular expression of the names to take.
        sort: whether what `toc` gives is sorted by name.
        monitor_all: whether inputs of operators are taken too.
    """

    def __init__(
        self,
        interval: int,
        stat_func: Callable[[NDArray], Any] | None = None,
        pattern: str = ".*",
        sort: bool = False,
        monitor_all: bool = False,
    ) -> None:
        self.stat_func = stat_func or _root_mean_square
        self.interval = interval
        self.activated = False
        self.queue: list[tuple[int, str, Any]] = []
        self.step = 0
        self.exes: list[Any] = []
        self.re_prog = re.compile(pattern)
        self.sort = sort
        self.monitor_all = monitor_all

    def stat_helper(self, name: str, array: NDArray) -> None:
        """Record the statistic of an array, if its name matches and the batch is monitored."""
        if self.activated and self.re_prog.match(name):
            self.queue.append((self.step, str(name), self.stat_func(array)))

    def install(self, exe: Any) -> None:
        """Watches an executor; or a Block, whose operators are seen where it is hybridized.

        Raises:
            ArgumentTypeError: it is neither.
        """
        if hasattr(exe, "set_monitor_callback"):
            exe.set_monitor_callback(self.stat_helper, self.monitor_all)
        elif hasattr(exe, "register_op_hook"):
            exe.register_op_hook(self._hook, self.monitor_all)
        else:
            text = f"install: exe={shown(exe)}: must be an Executor or a Block"
            raise ArgumentTypeError(f"Monitor.{text}")
        self.exes.append(exe)

    def _hook(self, name: str, _operator: str, array: NDArray) -> None:
        self.stat_helper(name, array)

    def tic(self) -> None:
        """Begins a batch."""
        if self.step % self.interval == 0:
            for _, array in self._arrays():
                array.wait_to_read()
            self.queue = []
            self.activated = True
        self.step += 1

    def toc(self) -> list[tuple[int, str, str]]:
        """Ends a batch.

        Returns:
            (number of the batch, name, statistic as text), for outputs and for arguments and
            states; empty where the batch was not watched.
        """
        if not self.activated:
            return []
        self.activated = False
        for name, array in self._arrays():
            if self.re_prog.match(name):
                self.queue.append((self.step, name, self.stat_func(array)))
        taken, self.queue = self.queue, []
        if self.sort:
            taken.sort(key=lambda entry: entry[1])
        return [(step, name, _text(value)) for step, name, value in taken]

    def toc_print(self) -> None:
        """End a batch, and log the result of `toc`."""
        for step, name, text in self.toc():
            logging.info("Batch: %7d %-30s %s", step, printable(name), text)

    def _arrays(self) -> Iterator[tuple[str, NDArray]]:
        """Names and arrays of arguments and states of everything watched."""
        for exe in self.exes:
            if hasattr(exe, "arg_dict"):
                yield from exe.arg_dict.items()
                yield from exe.aux_dict.items()
            else:
                for name, parameter in exe.collect_params().items():
                    if parameter._data is not None:
                        yield name, parameter.data(parameter.list_ctx()[0])


def _text(value: Any) -> str:
    """Statistics as text: a tab after each."""
    values = value if isinstance(value, list) else [value]
    for each in values:
        if not isinstance(each, NDArray):
            expected = "must give an NDArray or a list of them"
            raise AssertedError(f"Monitor: stat_func gave {shown(each)}: {expected}")
    # str: an f-string shows float32 with the digits of float64.
    return "".join(str(v.asscalar() if v.shape == (1,) else v.asnumpy()) + "\t" for v in values)


facade(__name__)
