# SPDX-License-Identifier: Apache-2.0
"""The kind of the files that are about to be written."""

from __future__ import annotations

import os

from ..core.base.errors import ArgumentError, candidates

__all__ = ["ENDINGS", "kind_of"]

ENDINGS = {
    "mxnet": "",
    "params": ".params",
    "safetensors": ".safetensors",
    "onnx": ".onnx",
    "openvino": ".xml",
    "export": ".pt2",
    "python": ".py",
    "compiled": ".mxnova",
}


def kind_of(target: str, to: str | None = None) -> str:
    """The kind of a file that is called `target`, unless `to` says it.

    Raises:
        ArgumentError: there is no such kind.
    """
    if to is not None:
        if to not in ENDINGS:
            raise ArgumentError(f"convert: --to {to}{candidates(to, ENDINGS)}")
        return to
    ending = os.path.splitext(target)[1]
    for kind, known in ENDINGS.items():
        if known == ending:
            return kind
    known = ", ".join(filter(None, ENDINGS.values()))
    raise ArgumentError(
        f"convert: {target}: no kind of file ends in {ending!r}; known are {known}. "
        "--to mxnet takes it for a prefix"
    )
