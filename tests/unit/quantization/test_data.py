# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import mxnova as mx
from mxnova import recordio
from mxnova.predictor.picture import Picture
from mxnova.quantization.data import labeled_items


def found(data, labels=(), name="data"):
    return [
        (item.name.rpartition("/")[2], item.label) for item in labeled_items(data, name, labels)
    ]


@pytest.fixture
def classes(tmp_path):
    """Folders cat and dog with a file each."""
    for name in ("dog", "cat"):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / f"{name}.npy", np.zeros((1, 2), "f"))
    return tmp_path


@pytest.mark.parametrize(
    "labels, numbers",
    [
        ((), (0, 1)),
        (("dog", "bird", "cat"), (2, 0)),
        (("dog Canis, hound", "cat Felis"), (1, 0)),
    ],
)
def test_folders_are_classes(classes, labels, numbers):
    assert found(classes, labels) == [("cat.npy", numbers[0]), ("dog.npy", numbers[1])]


def test_folders_may_be_numbers_of_classes(tmp_path):
    for name in ("10", "2"):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "x.npy", np.zeros((1, 2), "f"))
    assert found(tmp_path) == [("x.npy", 10), ("x.npy", 2)]


def test_a_folder_that_is_no_class(classes):
    with pytest.raises(mx.MXNetError, match="cat: is no class of the model; did you mean 'cats'"):
        found(classes, ("dog", "cats"))


def test_files_in_no_folder_of_a_class_have_no_labels(classes):
    np.save(classes / "x.npy", np.zeros((1, 2), "f"))
    assert dict(found(classes))["x.npy"] is None


def test_records_tell_labels(tmp_path):
    writer = recordio.MXRecordIO(str(tmp_path / "x.rec"), "w")
    for label in (3.0, [1.0], [1.0, 2.0]):
        writer.write(recordio.pack(recordio.IRHeader(0, label, 0, 0), b"image"))
    writer.write(b"short")
    writer.close()
    labels = [3.0, 1.0, None, None]
    assert [label for _, label in found(tmp_path / "x.rec")] == labels
    *_, short = labeled_items(str(tmp_path / "x.rec"), "data", ())
    with pytest.raises(mx.MXNetError, match="the header alone has 24"):
        short.read(Picture())


@pytest.mark.parametrize("name", ("label", "labels", "softmax_label", "y"))
def test_rows_of_files_of_arrays_are_items(tmp_path, name):
    values = np.arange(6, dtype="f").reshape(3, 2)
    np.savez(tmp_path / "x.npz", data=values, **{name: np.array([[2], [0], [1]])})
    assert found(tmp_path / "x.npz") == [("x.npz#0", 2), ("x.npz#1", 0), ("x.npz#2", 1)]
    item = list(labeled_items(tmp_path / "x.npz", "data", ()))[1]
    assert item.read(Picture()).tolist() == [[2, 3]]


def test_arrays_are_data():
    values = np.zeros((2, 3), "f")
    assert found(values) == [("data#0", None), ("data#1", None)]
    assert found((mx.nd.array(values), [1, 0])) == [("data#0", 1), ("data#1", 0)]


@pytest.mark.parametrize(
    "arrays, text",
    [
        ({"data": np.zeros((2, 3)), "label": np.zeros(3)}, "2 items, and 3 labels"),
        ({"data": np.zeros(3), "label": np.zeros(3)}, "items are its rows"),
        ({"image": np.zeros((2, 3)), "label": np.zeros(2)}, "holds image, label, not 'data'"),
        ({"data": np.array([["x"]]), "label": np.zeros(1)}, "holds <U1"),
    ],
)
def test_arrays_that_are_no_data(tmp_path, arrays, text):
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises(mx.MXNetError, match=text):
        found(tmp_path / "x.npz")


@pytest.mark.parametrize("content", (b"", b"PK\3\4", b"\x93NUMPY\1\0"))
def test_broken_files_of_arrays(tmp_path, content):
    for name in ("x.npz", "x.npy"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(mx.MXNetError, match=name):
            found(tmp_path / name)


@pytest.mark.parametrize("data", ("nothing", {"x": 1}, np.array(["x"])))
def test_what_is_no_data(data):
    with pytest.raises(mx.MXNetError, match="no such file|must be a path"):
        found(data)
