# SPDX-License-Identifier: Apache-2.0
"""Libraries of operators: compiled ones are for MXNet alone."""

from __future__ import annotations

import os
from typing import Any, NoReturn

from .core.base.doors import facade
from .core.base.errors import MissingFileError, MXNetError, shown

__all__ = ["load"]


def load(path: Any, verbose: bool = True) -> NoReturn:
    """Refuses a compiled library of operators, passes or partitioners: these call MXNet's C++.

    The same is written in Python: operators as `mx.operator.CustomOp`, functions with gradients as
    `mx.autograd.Function`; partitioners and passes as functions of symbols.

    Args:
        path: file of the library.
        verbose: without effect.

    Raises:
        MXNetError: always; MissingFileError where there is no such file.
    """
    if not isinstance(path, (str, os.PathLike)) or not os.path.exists(path):
        raise MissingFileError(f"library.load: path={shown(path)}: there is no such file")
    raise MXNetError(
        f"library.load: path={shown(path)}: a compiled library calls MXNet's own C++, which is not "
        "here. Write its operators in Python: mx.operator.CustomOp with mx.operator.register, or "
        "mx.autograd.Function; both may call any library through ctypes"
    )


facade(__name__)
