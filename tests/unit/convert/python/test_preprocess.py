# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch
import torch.nn.functional as F

from mxnova.convert.python.preprocess import preprocess_text
from mxnova.predictor.picture import Picture

cv2 = pytest.importorskip("cv2")
RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    "picture",
    [
        Picture(),
        Picture((7, 9)),
        Picture((24, 20), (123.5, 117.0, 104.0), (0.017, 0.018, 0.019)),
        Picture((11, 11), (1.0,), (0.5,), bgr=True),
        Picture((8, 10), interpolation="area"),
        Picture((8, 10), interpolation="cubic"),
        Picture((6, 6), (127.5,), (1 / 127.5,), gray=True),
    ],
)
def test_it_gives_what_opencv_gives(picture):
    pixels = RNG.integers(0, 256, (16, 20, 1 if picture.gray else 3), dtype=np.uint8)
    encoded = cv2.imencode(".png", pixels if picture.gray else pixels[:, :, ::-1])[1].tobytes()
    wanted = picture.decode("x.png", encoded)
    names = {"torch": torch, "F": F}
    exec(preprocess_text(picture), names)
    found = names["preprocess"](pixels)
    assert found.dtype == torch.float32
    assert found.shape == wanted.shape
    level = np.max(picture.scale)  # what one level of a pixel becomes
    assert np.abs(found.numpy() - wanted).max() <= 1.01 * level


def test_nothing_is_written_where_nobody_tells():
    assert preprocess_text(None) == ""
