# SPDX-License-Identifier: Apache-2.0
"""What surrounds a test: its context, environment variables, standard error, the machine."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from ..core.base.errors import ArgumentError, ArgumentTypeError
from ..core.runtime.context import Context, current_context, num_gpus
from ..util import getenv, setenv

__all__ = [
    "default_context",
    "discard_stderr",
    "environment",
    "get_im2rec_path",
    "has_tvm_ops",
    "is_aarch64_run",
    "is_cd_run",
    "is_op_runnable",
    "list_gpus",
    "retry",
    "set_default_context",
]


def default_context() -> Context:
    """The context that tests use: the current one."""
    return current_context()


def set_default_context(ctx: Context) -> None:
    """Makes `ctx` the current context of this thread."""
    Context.set_current(ctx)


def list_gpus() -> range:
    """The numbers of this machine's GPUs."""
    return range(num_gpus())


@contextlib.contextmanager
def environment(*args: Any) -> Iterator[None]:
    """Set environment variables inside a block, and restore them afterwards.

    Args:
        args: a name and its value, or a mapping of them; None unsets a variable.
    """
    if len(args) not in (1, 2) or (len(args) == 1) != isinstance(args[0], Mapping):
        raise ArgumentTypeError("environment: it takes a name and a value, or a dict of them")
    wanted = args[0] if len(args) == 1 else {args[0]: args[1]}
    before = {name: getenv(name) for name in wanted}
    try:
        for name, value in wanted.items():
            setenv(name, value)
        yield
    finally:
        for name, value in before.items():
            setenv(name, value)


@contextlib.contextmanager
def discard_stderr() -> Iterator[None]:
    """Standard error goes nowhere inside the block, also that of native code."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)


def retry(n: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorates a test so that it may fail `n` - 1 times: assertions, not errors."""
    if n < 1:
        raise ArgumentError(f"retry: n={n}: must be >= 1")

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(*args: Any, **kwargs: Any) -> None:
            for _ in range(n - 1):
                with contextlib.suppress(AssertionError):
                    return test(*args, **kwargs)
            return test(*args, **kwargs)

        return run

    return decorate


def is_cd_run() -> bool:
    """Whether the environment variable CD_JOB says that a release is being tested."""
    return os.environ.get("CD_JOB", "0") == "1"


def is_aarch64_run() -> bool:
    """Whether the machine is a 64-bit ARM."""
    return platform.machine() == "aarch64"


def has_tvm_ops() -> bool:
    """Whether operators compiled by TVM are there: none are."""
    return False


def is_op_runnable() -> bool:
    """Whether the current context can run every operator: CPUs, and GPUs since Volta."""
    context = current_context()
    return context.device_type != "gpu" or torch.cuda.get_device_capability(context.device) >= (
        7,
        0,
    )


def get_im2rec_path(home_env: str = "MXNET_HOME") -> str:
    """Where im2rec.py is: under the directory that an environment variable names, or with mxnova.

    Args:
        home_env: the variable.

    Raises:
        FileNotFoundError: there is none.
    """
    home = os.environ.get(home_env)
    root = Path(home) if home else Path(__file__).resolve().parents[1]
    path = root / "tools" / "im2rec.py"
    if not path.is_file():
        raise FileNotFoundError(errno.ENOENT, f"no im2rec.py; set {home_env}", str(path))
    return str(path)
