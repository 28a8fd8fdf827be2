# SPDX-License-Identifier: Apache-2.0
"""Optional packages, and what to say where one is missing."""

from __future__ import annotations

from typing import Any

from .errors import MXNetError

__all__ = ["missing_package", "require_package"]


def missing_package(package: str, extras: str | None = None) -> str:
    """What to install; by default the extra of the package's name."""
    return f"the package {package} is not installed: pip install 'mxnova[{extras or package}]'"


def require_package(package: str, function: str, extras: str | None = None) -> Any:
    """The package, or its parent where `package` names a module of it.

    Raises:
        MXNetError: it is not installed, which `function` needs.
    """
    try:
        return __import__(package)
    except ImportError:
        top = package.partition(".")[0]
        raise MXNetError(f"{function}: {missing_package(top, extras)}") from None
