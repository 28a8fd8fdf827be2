# SPDX-License-Identifier: Apache-2.0
"""``mxnova predict``: a saved model on .npy, .npz and image files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..core.base.errors import ArgumentError, MXNetError
from ..predictor import Predictor
from ..recordio import require_opencv

__all__ = ["Picture", "run"]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Picture:
    """How an image file becomes an input of shape (1, channels, height, width)."""

    size: tuple[int, int] | None
    mean: Array
    scale: float
    bgr: bool

    @classmethod
    def of(cls, size: str | None, mean: str, scale: float, bgr: bool) -> Picture:
        """From the text of the options."""
        try:
            numbers = np.array([float(v) for v in mean.split(",")], np.float32)
            dims = None if size is None else tuple(int(v) for v in size.lower().split("x"))
        except ValueError:
            raise ArgumentError(f"--size {size} must be HxW, --mean {mean} numbers") from None
        if numbers.size not in (1, 3) or (dims is not None and len(dims) != 2):
            raise ArgumentError(f"--size {size} must be HxW, --mean {mean} one or three numbers")
        return cls(dims, numbers, scale, bgr)  # type: ignore[arg-type]

    def read(self, path: Path) -> Array:
        """The image at `path` as an input."""
        cv2 = require_opencv()
        pixels = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_COLOR)
        if pixels is None:
            raise MXNetError(f"{path}: no image that OpenCV can read")
        if self.size is not None:
            pixels = cv2.resize(pixels, self.size[::-1])
        if not self.bgr:
            pixels = pixels[:, :, ::-1]
        values = (pixels.astype(np.float32) - self.mean) * np.float32(self.scale)
        return np.ascontiguousarray(values.transpose(2, 0, 1)[None])


def run(
    console: Console,
    prefix: str,
    epoch: int,
    inputs: Sequence[str],
    picture: Picture,
    top: int,
    output: Path | None,
) -> None:
    """Loads the model, feeds it and shows or saves its outputs."""
    arrays: dict[str, Array] = {}
    for spec in inputs:
        arrays.update(_read_input(spec, picture))
    shapes = {name: a.shape for name, a in arrays.items()}
    predictor = Predictor.from_checkpoint(prefix, epoch, shapes)
    results = dict(zip(predictor.output_names, predictor.predict(**arrays), strict=True))
    if output is not None:
        np.savez(output, **results)
        console.print(f"wrote {escape(str(output))}: {', '.join(map(escape, results))}")
    for name, values in results.items():
        _show(console, name, values, top)


def _read_input(spec: str, picture: Picture) -> dict[str, Array]:
    name, _, file = spec.partition("=")
    if not name or not file:
        raise ArgumentError(f"--input {spec}: must look like data=FILE")
    path = Path(file)
    if path.suffix == ".npy":
        return {name: np.load(path, allow_pickle=False)}
    if path.suffix == ".npz":
        return {name: _member(path, name)}
    return {name: picture.read(path)}


def _member(path: Path, name: str) -> Array:
    with np.load(path, allow_pickle=False) as archive:
        if name in archive:
            found: Array = archive[name]
            return found
        if len(archive.files) == 1:
            return archive[archive.files[0]]  # type: ignore[no-any-return]
        raise ArgumentError(f"{path} holds {', '.join(archive.files)}, not {name!r}")


def _show(console: Console, name: str, values: Array, top: int) -> None:
    console.print(f"[bold]{escape(name)}[/] {values.shape} {values.dtype}")
    if values.ndim != 2:
        with np.printoptions(threshold=64, precision=6):
            console.print(escape(str(values)))
        return
    table = Table("row", *(f"#{i + 1}" for i in range(min(top, values.shape[1]))))
    for number, row in enumerate(values):
        best = np.argsort(-row, kind="stable")[:top]
        table.add_row(str(number), *(f"{i}: {row[i]:.6g}" for i in best))
    console.print(table)
