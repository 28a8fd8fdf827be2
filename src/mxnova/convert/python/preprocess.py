# SPDX-License-Identifier: Apache-2.0
"""The function of a Python file that makes an input of an image."""

from __future__ import annotations

from collections.abc import Sequence

from ...predictor.picture import Picture

__all__ = ["preprocess_text"]

_MODES = {
    "linear": 'mode="bilinear", align_corners=False',
    "cubic": 'mode="bicubic", align_corners=False',
    "area": 'mode="area"',
}


def preprocess_text(picture: Picture | None) -> str:
    """The text of ``preprocess``; empty where nobody tells how.

    Args:
        picture: what the function does. OpenCV, which `Picture` uses, resizes integers: results
            are within one level of the pixels.
    """
    if picture is None:
        return ""
    channels = "of one gray channel" if picture.gray else "in the order red, green, blue"
    axes = "height, width, 1" if picture.gray else "height, width, 3"
    lines = [
        "",
        "",
        "def preprocess(image):",
        f'    """The input of an image: pixels from 0 to 255, shape ({axes}), {channels}."""',
        "    x = torch.as_tensor(image).permute(2, 0, 1)[None].to(torch.float32)",
    ]
    if picture.size is not None:
        size = f"({picture.size[0]}, {picture.size[1]})"
        lines.append(f"    x = F.interpolate(x, size={size}, {_MODES[picture.interpolation]})")
        lines.append("    x = x.round().clamp(0, 255)")
    if picture.bgr and not picture.gray:
        lines.append("    x = x.flip(1)  # blue, green, red")
    result = "x"
    if any(picture.mean):
        result = f"(x - {_channels(picture.mean)})"
    if any(number != 1 for number in picture.scale):
        result += f" * {_channels(picture.scale)}"
    lines.append(f"    return {result}")
    return "\n".join(lines) + "\n"


def _channels(numbers: Sequence[float]) -> str:
    """Numbers as they stand beside an image."""
    if len(set(numbers)) == 1:
        return repr(float(numbers[0]))
    return f"torch.tensor({[float(n) for n in numbers]}).view(1, -1, 1, 1)"
