# SPDX-License-Identifier: Apache-2.0
"""Where the library is, and its version: that of MXNet whose names these are."""

from __future__ import annotations

from .core.base.doors import facade
from .core.base.errors import MXNetError

__all__ = ["__version__", "find_conf_path", "find_include_path", "find_lib_path"]

__version__ = "1.9.1"  # what scripts that ask for mxnet.__version__ were written for


def find_lib_path(prefix: str = "libmxnet") -> list[str]:
    """Raises MXNetError: there is no compiled library."""
    raise _missing(f"find_lib_path: there is no {prefix}.so")


def find_include_path() -> str:
    """Raises MXNetError: there are no headers."""
    raise _missing("find_include_path: there are no headers of C++")


def find_conf_path(prefix: str = "tvmop") -> str:
    """Raises MXNetError: there are no operators of TVM."""
    raise _missing(f"find_conf_path: there is no {prefix}.conf")


def _missing(what: str) -> MXNetError:
    return MXNetError(f"{what}: mxnova is Python, and its kernels are PyTorch's")


facade(__name__)
