# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from mxnova.core.base.errors import ArgumentError, MXNetError
from mxnova.predictor.picture import Picture

cv2 = pytest.importorskip("cv2")
PIXELS = np.random.default_rng(0).integers(0, 255, (4, 6, 3), np.uint8)  # blue, green, red
PNG = cv2.imencode(".png", PIXELS)[1].tobytes()


def test_channels_are_red_green_blue_unless_asked():
    np.testing.assert_array_equal(
        Picture().decode("x", PNG), PIXELS[:, :, ::-1].transpose(2, 0, 1)[None]
    )
    np.testing.assert_array_equal(
        Picture(bgr=True).decode("x", PNG), PIXELS.transpose(2, 0, 1)[None]
    )


def test_the_mean_is_subtracted_before_scaling():
    found = Picture.of("4x6", "10,20,30", 0.5).decode("x", PNG)[0, :, 1, 2]
    wanted = (PIXELS[1, 2, ::-1].astype("f") - [10, 20, 30]) * 0.5
    np.testing.assert_allclose(found, wanted)


def test_it_fits_the_input():
    assert Picture().fitted((-1, 3, 8, 9)).size == (8, 9)
    assert Picture().fitted((-1, 3, -1, -1)).size is None
    assert Picture(size=(2, 2)).fitted((-1, 3, 8, 9)).size == (2, 2)
    gray = Picture().fitted((-1, 1, 2, 3))
    assert gray.decode("x", PNG).shape == (1, 1, 2, 3)


def test_notes_are_options():
    noted = {"size": [2, 3], "mean": [1, 2, 3], "scale": 2, "bgr": True}
    assert Picture.of_mapping(noted) == Picture((2, 3), (1, 2, 3), (2,), True)


@pytest.mark.parametrize(
    "noted",
    [
        {"size": "2"},
        {"size": [2]},
        {"size": [0, 1]},
        {"mean": "x"},
        {"mean": [1, 2]},
        {"mean": [None]},
        {"mean": "inf"},
        {"scale": "x"},
        {"interpolation": "none"},
        {"scale": float("nan")},
        {"sizes": "2x2"},
    ],  # fmt: skip
    ids=str,
)
def test_notes_that_cannot_be_used(noted):
    with pytest.raises(ArgumentError):
        Picture.of_mapping(noted)


def test_what_is_no_image_and_what_is_too_large(monkeypatch):
    with pytest.raises(MXNetError, match="x: cannot decode image"):
        Picture().decode("x", b"text")
    monkeypatch.setenv("MXNOVA_IMAGE_MAX_PIXELS", "23")
    with pytest.raises(ArgumentError, match="6 x 4"):
        Picture().decode("x", PNG)
