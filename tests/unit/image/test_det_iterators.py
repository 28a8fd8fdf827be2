# SPDX-License-Identifier: Apache-2.0
"""ImageDetIter: labels of two iterators agree, shapes change, and boxes are drawn."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx

cv2 = pytest.importorskip("cv2")
ONE = [2, 5, 0, 0.25, 0.25, 0.75, 0.75]  # header of two numbers, boxes of five, one box
TWO = [*ONE, 1, 0.5, 0.5, 1, 1]


@pytest.fixture
def iterator(tmp_path):
    """Makes one over grey images of 20×20 with these labels."""
    cv2.imwrite(str(tmp_path / "grey.png"), np.full((20, 20, 3), 100, np.uint8))

    def make(*labels, **options):
        images = [[*label, "grey.png"] for label in labels]
        return mx.image.ImageDetIter(2, (3, 20, 20), imglist=images, path_root=tmp_path, **options)

    return make


def test_labels_have_room_for_the_most_boxes(iterator):
    batch = iterator(ONE, TWO).next()
    assert batch.data[0].shape == (2, 3, 20, 20)
    first, second = batch.label[0].asnumpy()
    np.testing.assert_allclose(first[0], ONE[2:])
    assert (first[1] == -1).all()
    np.testing.assert_allclose(second[1], TWO[7:])


def test_two_iterators_get_one_shape_of_labels(iterator):
    train, valid = iterator(TWO, TWO), iterator(ONE, ONE)
    assert train.sync_label_shape(valid) is valid
    assert train.label_shape == valid.label_shape == (2, 5)
    assert valid.next().label[0].shape == (2, 2, 5)


@pytest.mark.parametrize("other", [5, None])
def test_another_iterator_is_refused(iterator, other):
    with pytest.raises(mx.MXNetError, match="sync_label_shape"):
        iterator(ONE, ONE).sync_label_shape(other)


def test_labels_grow_and_do_not_shrink(iterator):
    images = iterator(ONE, TWO)
    images.reshape(label_shape=(4, 5))
    assert images.provide_label[0].shape == (2, 4, 5)
    assert (images.next().label[0].asnumpy()[:, 2:] == -1).all()
    for shape in [(3, 5), (4, 6), (4, 5, 1)]:
        with pytest.raises(ValueError, match=r"label_shape=.*\(4, 5\) at least"):
            images.reshape(label_shape=shape)


def test_boxes_are_drawn(iterator):
    (first, second) = iterator(ONE, TWO).draw_next(color=(10, 20, 30), thickness=1)
    assert first.shape == (20, 20, 3)
    assert first.dtype == np.uint8
    frame = np.zeros((20, 20), bool)
    frame[5:16, 5:16] = True
    frame[6:15, 6:15] = False
    assert (first[frame] == (10, 20, 30)).all()
    assert (first[~frame] == 100).all()
    assert (second[19, 12:] == 100).all()  # the corner at 1, 1 is beyond the last pixel
    assert (second[10, 10:] == (10, 20, 30)).all()


def test_names_of_classes_are_drawn(iterator):
    plain, named = (
        next(iterator(ONE, ONE).draw_next(color=(0, 0, 0), thickness=1, id2labels=names))
        for names in (None, {0: "x"})
    )
    assert (plain != named).any()


def test_what_was_subtracted_is_added(iterator):
    images = iterator(ONE, ONE, mean=np.array([50.0, 50.0, 50.0]))
    drawn = next(images.draw_next(color=(0, 0, 0), mean=np.array([50.0, 50.0, 50.0])))
    assert (drawn[0] == 100).all()
