# SPDX-License-Identifier: Apache-2.0
"""Additions to Gluon: MXNet calls them experimental."""

from __future__ import annotations

from typing import Any

from mxnova import _import_module

__all__ = ["cnn", "data", "estimator", "nn", "rnn"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return _import_module(f"{__name__}.{name}")
    from ...core.base.doors import leave
    from ...core.base.mxnet_names import MissingName

    try:
        raise MissingName(__name__, name, __dir__)
    except MissingName as error:
        leave(error)
        raise


def __dir__() -> list[str]:
    return sorted(__all__)
