# SPDX-License-Identifier: Apache-2.0
"""A progress bar of `fit`, where standard error is a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from ..base import _as_list
from ..callback import ProgressBar
from ..core.base import env
from ..core.base.progress import progress

__all__ = ["fit_progress"]

BatchDone = Callable[[int, int, Any], None]


@contextlib.contextmanager
def fit_progress(num_epoch: int, callbacks: Any) -> Iterator[BatchDone | None]:
    """A function that takes epoch, batches done and metric; None where no bar is shown.

    Args:
        num_epoch: number of the epoch after the last.
        callbacks: of batches; a `ProgressBar` among them is a bar already.
    """
    has_own = any(isinstance(c, ProgressBar) for c in _as_list(callbacks or []))
    if has_own or not (env.get("MXNOVA_PROGRESS") and sys.stderr.isatty()):
        yield None
        return
    with progress() as tell:
        yield _Teller(tell, num_epoch)


class _Teller:
    """Says how far an epoch is; the one before tells how many batches there are."""

    def __init__(self, tell: Callable[..., Any], num_epoch: int) -> None:
        self._tell = tell
        self._num_epoch = num_epoch
        self._epoch = -1
        self._done = 0
        self._total: int | None = None

    def __call__(self, epoch: int, done: int, metric: Any) -> None:
        if epoch != self._epoch:
            self._epoch, self._total = epoch, self._done or None
        self._done = done
        values = " ".join(f"{name}={value:.4g}" for name, value in metric.get_global_name_value())
        total = f"/{self._total}" if self._total else ""
        text = f"epoch {epoch + 1}/{self._num_epoch} batch {done}{total} {values}"
        self._tell(text, done, self._total)
