# SPDX-License-Identifier: Apache-2.0
"""Random transforms of colours change what they say, within what they say."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx
from mxnova.gluon.data.vision import transforms

IMAGE = np.random.default_rng(0).uniform(80, 120, (6, 7, 3)).astype(np.float32)
GREY = np.array([0.299, 0.587, 0.114], np.float32)  # weights of red, green and blue


def changed(transform, times=20):
    """What comes of the image, again and again."""
    return [transform(mx.nd.array(IMAGE)).asnumpy() for _ in range(times)]


@pytest.mark.parametrize(
    "transform",
    [
        transforms.RandomColorJitter(),
        transforms.RandomBrightness(0),
        transforms.RandomContrast(0),
        transforms.RandomSaturation(0),
        transforms.RandomLighting(0),
    ],
)
def test_nothing_changes_by_nothing(transform):
    np.testing.assert_allclose(changed(transform, 1)[0], IMAGE, rtol=1e-5)


@pytest.mark.parametrize(
    "transform",
    [transforms.RandomBrightness(0.2), transforms.RandomColorJitter(brightness=0.2)],
)
def test_brightness_is_a_factor(transform):
    factors = [image / IMAGE for image in changed(transform)]
    assert all(np.ptp(factor) < 1e-4 for factor in factors)
    means = [factor.mean() for factor in factors]
    assert min(means) > 0.7999 and max(means) < 1.2001
    assert np.ptp(means) > 0.05


def test_contrast_keeps_the_mean_of_the_grey_image():
    images = changed(transforms.RandomContrast(0.5))
    means = [(image @ GREY).mean() for image in images]
    np.testing.assert_allclose(means, (IMAGE @ GREY).mean(), rtol=1e-4)
    spreads = [np.ptp(image @ GREY) / np.ptp(IMAGE @ GREY) for image in images]
    assert 0.499 < min(spreads) < max(spreads) < 1.501


def test_saturation_scales_the_differences_of_colours():
    differences = IMAGE[..., 0] - IMAGE[..., 1]
    for image in changed(transforms.RandomSaturation(0.5)):
        factors = (image[..., 0] - image[..., 1]) / differences
        assert np.ptp(factors) < 1e-2
        assert 0.49 < factors.mean() < 1.51


def test_hue_changes_colours_and_not_grey_pixels():
    hue = transforms.RandomHue(0.3)
    assert any(np.abs(image - IMAGE).max() > 1 for image in changed(hue))
    grey = mx.nd.ones((4, 4, 3)) * 100
    np.testing.assert_allclose(hue(grey).asnumpy(), 100, rtol=0.01)


def test_lighting_shifts_all_pixels_alike():
    for image in changed(transforms.RandomLighting(0.5), 3):
        shift = image - IMAGE
        assert np.ptp(shift, axis=(0, 1)).max() < 1e-3
        assert np.abs(shift).max() > 0
