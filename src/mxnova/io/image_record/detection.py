# SPDX-License-Identifier: Apache-2.0
"""Augmentation of images and boxes for ImageDetRecordIter.

As in Liu et al., "SSD: single shot multibox detector", 2016: frames around, parts of random size
that boxes constrain, mirrored images. Random numbers are drawn before anything is decoded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...core.base.errors import ArgumentError, FormatError, argument_error
from ...core.base.opencv import require_opencv
from ...core.base.std_random import StdRandom
from .augmentation import Drawing
from .source import Drawn

__all__ = ["MAGIC", "DetAugmentation", "parse_boxes"]

MAGIC = 233  # MXNet's seed
_LEAST_PAD = 1.05  # by which an image grows, else it stays as it is

_LISTS = (
    "min_crop_scales",
    "max_crop_scales",
    "min_crop_aspect_ratios",
    "max_crop_aspect_ratios",
    "min_crop_overlaps",
    "max_crop_overlaps",
    "min_crop_sample_coverages",
    "max_crop_sample_coverages",
    "min_crop_object_coverages",
    "max_crop_object_coverages",
    "max_crop_trials",
)


def parse_boxes(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Header and boxes of a label; rows of boxes are ``class, left, top, right, bottom, ...``.

    Raises:
        FormatError: the label breaks the format.
    """
    if len(labels) < 7 or not np.isfinite(labels[:2]).all():
        raise FormatError(f"{len(labels)} labels: a header and a box have 7 at least")
    header, width = int(labels[0]), int(labels[1])
    if header < 2 or width < 5 or header > len(labels) or (len(labels) - header) % width:
        text = f"{len(labels)} labels, a header of {header} and boxes of {width}"
        raise FormatError(f"{text}: do not fit together")
    return labels[:header], labels[header:].reshape(-1, width).copy()


class DetAugmentation:
    """MXNet's ``det_aug_default``.

    Args:
        params: those of `DetRecord`.
    """

    def __init__(self, params: SimpleNamespace) -> None:
        self.params = params
        self._samplers = _samplers(params)

    def __call__(self, random: StdRandom, size: tuple[int, int], labels: np.ndarray) -> Drawn:
        """Draws for one image of (height, width)."""
        p = self.params
        header, boxes = parse_boxes(labels)
        drawing = Drawing(random, size, p.inter_method)
        if p.resize > 0:
            drawing.resize_short(p.resize)
        self._colors(drawing)
        if p.rand_mirror_prob > 0 and random.canonical() < p.rand_mirror_prob:
            drawing.steps.append(lambda image: require_opencv().flip(image, 1))
            boxes[:, [1, 3]] = 1 - boxes[:, [3, 1]]
        if p.rand_pad_prob > 0 and random.canonical() < p.rand_pad_prob:
            boxes = self._frame(drawing, boxes)
        if p.rand_crop_prob > 0 and self._samplers and random.canonical() < p.rand_crop_prob:
            boxes = self._crop(drawing, boxes)
        self._resize(drawing)
        row = np.concatenate([header, boxes.ravel()])
        size_of = [p.data_shape[0], *drawing.size, len(row)]
        return Drawn(drawing.steps, np.concatenate([np.array(size_of, np.float32), row]))

    # Colors ---------------------------------------------------------------------------------------

    def _colors(self, drawing: Drawing) -> None:
        p, random = self.params, drawing.draw
        names = ("hue", "saturation", "illumination", "contrast")
        probabilities = [getattr(p, f"random_{name}_prob") for name in names]
        if not any(probabilities):
            return
        most = [getattr(p, f"max_random_{name}") for name in names]
        drawn = [random.canonical() * m * 2 - m for m in most]
        done = [random.canonical() < probability for probability in probabilities]
        *shifts, contrast = (
            value if is_done else 0 for value, is_done in zip(drawn, done, strict=True)
        )
        hue, saturation, light = (int(shift) for shift in shifts)
        cv2 = require_opencv()
        if hue or saturation or light:
            shift, limit = np.array([hue, light, saturation]), np.array([180, 255, 255])

            def turn(image: Any) -> Any:
                hls = cv2.cvtColor(image, cv2.COLOR_BGR2HLS)
                hls = np.clip(hls + shift, 0, limit).astype(np.uint8)
                return cv2.cvtColor(hls, cv2.COLOR_HLS2BGR)

            drawing.steps.append(turn)
        if contrast:
            drawing.steps.append(lambda i: cv2.addWeighted(i, 1 + contrast, i, 0, 0))

    # Places ---------------------------------------------------------------------------------------

    def _frame(self, drawing: Drawing, boxes: np.ndarray) -> np.ndarray:
        p, random, (height, width) = self.params, drawing.draw, drawing.size
        if p.max_pad_scale <= 1:
            return boxes
        scale = np.float32(random.uniform(1, p.max_pad_scale))
        if scale < _LEAST_PAD:
            return boxes
        x, y = (np.float32(random.uniform(0, scale - 1)) for _ in range(2))
        left, top = int(x * width), int(y * height)
        right, bottom = int((scale - x - 1) * width), int((scale - y - 1) * height)
        sides = top, bottom, left, right
        fill, cv2 = (p.fill_value,) * 3, require_opencv()
        drawing.steps.append(
            lambda i: cv2.copyMakeBorder(i, *sides, cv2.BORDER_CONSTANT, value=fill)
        )
        drawing.size = top + height + bottom, left + width + right
        boxes[:, 1:5] = (boxes[:, 1:5] + np.array([x, y, x, y], np.float32)) / np.float32(scale)
        return boxes

    def _crop(self, drawing: Drawing, boxes: np.ndarray) -> np.ndarray:
        found = self._part_with_boxes(drawing, boxes)
        if found is None:
            return boxes
        frame, boxes = found
        height, width = drawing.size
        place = np.concatenate([frame[:2], frame[2:] - frame[:2]])
        x, y, w, h = (int(c) for c in place * np.array([width, height] * 2, np.float32))
        drawing.crop(y, x, max(1, h), max(1, w))
        return boxes

    def _part_with_boxes(
        self, drawing: Drawing, boxes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """A part that one of the samplers, asked in random order, agrees to; and its boxes."""
        samplers = list(self._samplers)
        drawing.draw.shuffle(samplers)
        for sampler in samplers:
            for _ in range(sampler.max_crop_trials):
                frame = _part(drawing.draw, sampler, drawing.size)
                if _satisfies(sampler, frame, boxes):
                    left = self._left(frame, boxes)
                    if len(left):
                        return frame, left
        return None

    def _left(self, frame: np.ndarray, boxes: np.ndarray) -> np.ndarray:
        """The boxes that are emitted, by the place of their centers or by their overlap."""
        if self.params.crop_emit_mode == "center":
            centers = (boxes[:, 1:3] + boxes[:, 3:5]) / 2
            stays = ((centers >= frame[:2]) & (centers <= frame[2:])).all(axis=1)
        else:
            shares = _areas(_shared(frame, boxes)) / np.maximum(_areas(boxes[:, 1:5]), 1e-12)
            stays = shares > self.params.emit_overlap_thresh
        left: np.ndarray = boxes[stays].copy()
        origin, size = np.tile(frame[:2], 2), np.tile(frame[2:] - frame[:2], 2)
        left[:, 1:5] = np.clip((left[:, 1:5] - origin) / size, 0, 1)
        return left

    def _resize(self, drawing: Drawing) -> None:
        """Force: to the shape; fit: within it; shrink: within it where it is larger."""
        p, (height, width) = self.params, drawing.size
        new_height, new_width = p.data_shape[1:]
        if p.resize_mode != "force":
            ratio = min(new_height / height, new_width / width)
            if p.resize_mode == "shrink":
                ratio = min(ratio, 1.0)
            new_height, new_width = int(ratio * height), int(ratio * width)
        if (new_height, new_width) != (height, width):
            drawing.resize(max(1, new_height), max(1, new_width))


_MOST_SAMPLERS = 10_000  # each of which is an object


def _samplers(p: SimpleNamespace) -> list[SimpleNamespace]:
    n, columns = p.num_crop_sampler, {}
    if n > _MOST_SAMPLERS:
        text = f"must be <= {_MOST_SAMPLERS}"
        raise argument_error("ImageDetRecordIter", "num_crop_sampler", n, text)
    for name in _LISTS:
        values: Sequence[float] = getattr(p, name)
        if len(values) not in (1, n):
            text = f"must have 1 value, or num_crop_sampler={n}"
            raise argument_error("ImageDetRecordIter", name, values, text)
        columns[name] = values * n if len(values) == 1 else values
    samplers = [SimpleNamespace(**{k: v[i] for k, v in columns.items()}) for i in range(n)]
    for s in samplers:
        ordered = 0 <= s.min_crop_scales <= s.max_crop_scales <= 1
        ordered &= 0 < s.min_crop_aspect_ratios <= s.max_crop_aspect_ratios
        if not ordered:
            raise ArgumentError("ImageDetRecordIter: crop scales and ratios: must be ordered")
    return samplers


def _part(random: StdRandom, sampler: SimpleNamespace, size: tuple[int, int]) -> np.ndarray:
    """A frame of random size and place: left, top, right, bottom, from 0 to 1."""
    scale = random.uniform(sampler.min_crop_scales, sampler.max_crop_scales)
    aspect = size[1] / size[0]
    low = max(sampler.min_crop_aspect_ratios / aspect, scale * scale)
    high = min(sampler.max_crop_aspect_ratios / aspect, 1 / max(scale * scale, 1e-12))
    ratio = math.sqrt(random.uniform(low, high))
    width, height = min(1.0, scale * ratio), min(1.0, scale / ratio)
    x, y = random.uniform(0, 1 - width), random.uniform(0, 1 - height)
    return np.array([x, y, x + width, y + height], np.float32)


def _shared(frame: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    starts, ends = np.maximum(boxes[:, 1:3], frame[:2]), np.minimum(boxes[:, 3:5], frame[2:])
    return np.concatenate([starts, ends], axis=1)


def _areas(places: np.ndarray) -> np.ndarray:
    sides = np.maximum(0, places[:, 2:] - places[:, :2])
    areas: np.ndarray = sides[:, 0] * sides[:, 1]
    return areas


def _satisfies(s: SimpleNamespace, frame: np.ndarray, boxes: np.ndarray) -> bool:
    """Whether one of the boxes overlaps the frame as much as the sampler wants."""
    shared, own = _areas(_shared(frame, boxes)), _areas(boxes[:, 1:5])
    part = _areas(frame[None])[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        measures = (
            (shared / (own + part - shared), s.min_crop_overlaps, s.max_crop_overlaps),
            (shared / part, s.min_crop_sample_coverages, s.max_crop_sample_coverages),
            (shared / own, s.min_crop_object_coverages, s.max_crop_object_coverages),
        )
    fits = np.ones(len(boxes), bool)
    for values, low, high in measures:
        if low > 0 or high < 1:
            fits &= (values >= low) & (values <= high)
    return bool(fits.any())
