# SPDX-License-Identifier: Apache-2.0
"""Images decoded, resized and framed by OpenCV, which is loaded when one of these is first used."""

from __future__ import annotations

import functools
import importlib.util
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ....formats.images import decode_image
from ....formats.source import read_file
from ...base.errors import MXNetError
from ...base.opencv import require_opencv
from ...base.params import Double, Doubles, PosInt, bounded
from ...base.shapes import Pause
from ..declaration import function_operator
from ..infer import DTypes, Shapes
from ..schema import Op

_Flag = bounded(int, 0)


def _run(op: str, function: str, *arguments: Any, **keywords: Any) -> Any:
    cv2 = require_opencv()
    try:
        return getattr(cv2, function)(*arguments, **keywords)
    except cv2.error as error:
        raise MXNetError(f"{op}: {str(error).strip()}") from None


def _image(tensor: Tensor) -> np.ndarray[Any, Any]:
    return tensor.detach().cpu().numpy()


def _tensor(image: np.ndarray[Any, Any], like: Tensor) -> Tensor:
    """`image` where `like` is, with the channel axis, which OpenCV drops when it has size 1."""
    return torch.from_numpy(image.reshape(*image.shape[:2], like.shape[2])).to(like.device)


# Decoding -----------------------------------------------------------------------------------------


def _size_unknown(_op: Op, _s: Shapes) -> None:
    """Only decoding tells the size."""
    raise Pause


def _bytes_dtype(_op: Op, t: DTypes) -> None:
    for name in (*t.inputs, *t.outputs):
        t[name] = torch.uint8


def _decoded(op: str, data: np.ndarray[Any, Any], flag: int, to_rgb: bool, source: str) -> Tensor:
    if not data.size:
        raise MXNetError(f"{op}: {source} is empty")
    image = decode_image(op, data, flag)
    if image.ndim == 2:
        image = image[:, :, None]
    elif to_rgb and image.shape[2] == 3:
        image = _run(op, "cvtColor", image, require_opencv().COLOR_BGR2RGB)
    return torch.from_numpy(image)


@function_operator(
    "_cvimdecode",
    "_npi_cvimdecode",
    shape=_size_unknown,
    dtype=_bytes_dtype,
    differentiable=None,
)
def imdecode(buf: Tensor, *, flag: _Flag = 1, to_rgb: bool = True) -> Tensor:  # type: ignore[valid-type]
    """The image in the bytes of a JPEG, PNG or other file: uint8 (height, width, channels).

    Args:
        buf: the bytes of the file, uint8.
        flag: 0: one gray channel; 1: three color channels.
        to_rgb: order of the colors: RGB, or BGR.
    """
    return _decoded("_cvimdecode", _image(buf).reshape(-1), flag, to_rgb, "buf")


@function_operator(
    "_cvimread", "_npi_cvimread", shape=_size_unknown, dtype=_bytes_dtype, differentiable=False
)
def imread(*, filename: str, flag: _Flag = 1, to_rgb: bool = True) -> Tensor:  # type: ignore[valid-type]
    """The image in a file: uint8 (height, width, channels).

    Args:
        filename: path of the file.
        flag: 0: one gray channel; 1: three color channels.
        to_rgb: order of the colors: RGB, or BGR.
    """
    data = np.frombuffer(read_file(filename), dtype=np.uint8)
    return _decoded("_cvimread", data, flag, to_rgb, repr(filename))


# Pixels -------------------------------------------------------------------------------------------


_BY_OPENCV = "OpenCV computes it"


def _resize_shape(op: Op, s: Shapes) -> None:
    s.rank("src", 3)
    s.output = (op.attr("h"), op.attr("w"), s.src[2])


@function_operator(
    "_cvimresize",
    "_npi_cvimresize",
    shape=_resize_shape,
    differentiable=None,
    untraceable=_BY_OPENCV,
)
def imresize(src: Tensor, *, w: PosInt, h: PosInt, interp: int = 1) -> Tensor:
    """An image brought to another size.

    Args:
        src: (height, width, channels).
        w: width of the output.
        h: height of the output.
        interp: nearest pixel (0), bilinear (1), bicubic (2), mean of the covered area (3), Lanczos
            over 8 pixels (4).
    """
    resized = _run("_cvimresize", "resize", _image(src), (w, h), interpolation=interp)
    return _tensor(resized, src)


_SAME_AS_MXNETS = (0, 1, 3, 4)  # kinds whose bytes have not changed since OpenCV 3


def resized_bytes(data: Tensor, kind: int, new: tuple[int, int]) -> Tensor | None:
    """Images of bytes (…, height, width, channels) in `new` (height, width) by OpenCV.

    None where OpenCV is not installed, cannot take them, or gives other bytes than MXNet's does.
    """
    is_ours = data.device.type == "cpu" and kind in _SAME_AS_MXNETS and data.shape[-1] <= 4
    if not is_ours or not data.numel() or not _is_installed():
        return None
    images = _image(data).reshape(-1, *data.shape[-3:])
    resize = require_opencv().resize
    resized = [resize(image, new[::-1], interpolation=kind) for image in images]
    result = torch.from_numpy(resized[0] if len(resized) == 1 else np.stack(resized))
    return result.view(*data.shape[:-3], *new, data.shape[-1])


@functools.cache
def _is_installed() -> bool:
    return importlib.util.find_spec("cv2") is not None


def _border_shape(op: Op, s: Shapes) -> None:
    s.rank("src", 3)
    margins = {name: op.attr(name) for name in ("top", "bot", "left", "right")}
    for name, margin in margins.items():
        if margin < 0:
            raise s.fail(f"{name}={margin}: it must be >= 0")
    height, width, channels = s.src
    top, bottom, left, right = margins.values()
    s.output = (height + top + bottom, width + left + right, channels)


@function_operator(
    "_cvcopyMakeBorder", shape=_border_shape, differentiable=None, untraceable=_BY_OPENCV
)
def copy_make_border(
    src: Tensor,
    *,
    top: int,
    bot: int,
    left: int,
    right: int,
    type: int = 0,
    value: Double = 0.0,
    values: Doubles = (),
) -> Tensor:
    """An image with a frame around it.

    Args:
        src: (height, width, channels).
        top: height of the frame above.
        bot: height of the frame below.
        left: width of the frame on the left.
        right: width of the frame on the right.
        type: what the frame holds: one color (0), the border's pixels (1), or the image mirrored
            with its border (2), repeated (3) or mirrored without its border (4).
        value: the color, for all channels.
        values: the color, one number for each channel.
    """
    color = (*values, 0.0, 0.0, 0.0)[:4] if values else (value,) * 4
    framed = _run(
        "_cvcopyMakeBorder", "copyMakeBorder", _image(src), top, bot, left, right, type, value=color
    )
    return _tensor(framed, src)
