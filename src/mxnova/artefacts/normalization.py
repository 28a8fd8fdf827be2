# SPDX-License-Identifier: Apache-2.0
"""What networks that were trained on ImageNet with Gluon take."""

from __future__ import annotations

from ..predictor.picture import Picture

__all__ = ["normalized"]

_MEAN, _DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of values from 0 to 1


def normalized(size: tuple[int, int] | None = None) -> Picture:
    """Images in RGB less the mean of ImageNet's, over their deviation."""
    return Picture(size, tuple(255 * m for m in _MEAN), tuple(1 / (255 * d) for d in _DEVIATION))
