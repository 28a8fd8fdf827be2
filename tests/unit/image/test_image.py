# SPDX-License-Identifier: Apache-2.0
"""Images, transformations, samplers and batches are MXNet's, seed by seed (recorded)."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import AssertedError, MissingFileError, MXNetError

from . import programs

DATA = Path(__file__).parents[2] / "data" / "image"
RECORDED = json.loads((DATA / "recorded.json").read_text())
PNG, GREY = ((DATA / name).read_bytes() for name in ("colour.png", "grey.png"))
I = mx.image  # noqa: E741


@pytest.fixture(scope="module")
def arrays():
    with np.load(DATA / "recorded.npz") as file:
        return [file[name] for name in file.files]


def compare(found, wanted, arrays):
    if isinstance(wanted, dict):
        array = arrays[wanted["array"]]
        assert found.context.device_type == wanted["context"]
        found = found.asnumpy()
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        if array.dtype.kind in "ui":
            # OpenCV has changed the rounding of some interpolations since MXNet.
            assert abs(found.astype(int) - array.astype(int)).max() <= 1
        else:
            np.testing.assert_allclose(found, array, rtol=2e-5, atol=2e-4)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            compare(one, other, arrays)
    else:
        assert found == wanted


@pytest.mark.parametrize("program", programs.PROGRAMS)
def test_programs(program, arrays):
    compare(programs.run(program, mx, PNG, GREY), RECORDED[program], arrays)


def test_every_recorded_program_is_compared():
    assert list(RECORDED) == programs.PROGRAMS


def test_files(tmp_path):
    path = tmp_path / "image.png"
    path.write_bytes(PNG)
    assert np.array_equal(I.imread(str(path)).asnumpy(), I.imdecode(PNG).asnumpy())
    assert I.imread(str(path), flag=0).shape == (8, 11, 1)
    with pytest.raises(MissingFileError, match="nothing.png"):
        I.imread(str(tmp_path / "nothing.png"))


TENSOR = mx.nd.ones((3, 4, 4))


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (lambda: I.imdecode("text"), ValueError, "buf is a str"),
        (lambda: I.imdecode(b"no image"), MXNetError, "cannot decode image"),
        (lambda: I.imdecode(b""), MXNetError, "empty"),
        (lambda: I.image._get_interp_method(5), ValueError, "interp=5"),
        (lambda: I.image._get_interp_method(9, (1, 2)), AssertionError, "must be 4"),
        (lambda: I.imrotate(TENSOR, 1, True, True), ValueError, "exclude"),
        (lambda: I.imrotate(TENSOR.astype("uint8"), 1), TypeError, "uint8"),
        (lambda: I.imrotate(TENSOR, mx.nd.array([1])), TypeError, "one image"),
        (lambda: I.imrotate(TENSOR[0], 1), ValueError, "2 axes"),
        (lambda: I.imrotate(TENSOR.expand_dims(0), mx.nd.array([1, 2])), ValueError, "2 angles"),
        (lambda: I.random_rotate(TENSOR, 5), TypeError, "angle_limits=5"),
        (lambda: I.random_size_crop(TENSOR, (1, 1), 1, (1, 1), foo=1), AssertedError, "foo"),
        (lambda: I.CreateAugmenter((3, 9, 9), rand_resize=True), AssertionError, "rand_crop"),
        (lambda: I.CreateAugmenter((3, 9, 9), mean=[1, 2]), AssertionError, "mean"),
        (lambda: I.Augmenter()(TENSOR), NotImplementedError, "__call__"),
    ],
)
def test_errors(function, error, text):
    with pytest.raises(error, match=text):
        function()


def test_min_area_is_area():
    with pytest.warns(DeprecationWarning, match="area"):
        _, (_, _, width, height) = I.random_size_crop(
            mx.nd.ones((20, 20, 3)), (5, 5), None, (1, 1), min_area=1
        )
    assert (width, height) == (20, 20)


def images_with(label, tmp_path):
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((8, 8, 3), np.uint8))
    rows = [[label, "a.png"]] * 2
    it = mx.image.ImageIter(2, (3, 8, 8), 2, imglist=rows, path_root=str(tmp_path))
    return it.next().label[0].asnumpy().tolist()


@pytest.mark.parametrize("label, expected", [(5, [5, 5]), ([5], [5, 5]), ([5, 6], [5, 6])])
def test_a_single_label_counts_for_all(tmp_path, label, expected):
    assert images_with(label, tmp_path) == [expected, expected]


def test_other_numbers_of_labels_are_refused(tmp_path):
    with pytest.raises(MXNetError, match="3 labels of image '1', where label_width=2"):
        images_with([1, 2, 3], tmp_path)


def test_detection_augmenters_say_their_mean_exactly():
    last = mx.image.CreateDetAugmenter((3, 5, 5), mean=True, std=True)[-1]
    assert "[123.68, 116.28, 103.53]" in last.dumps()[1]
    assert "[58.395, 57.12, 57.375]" in last.dumps()[1]
