# SPDX-License-Identifier: Apache-2.0
"""Vision datasets are read from files of the published form."""

from __future__ import annotations

import gzip
import hashlib
import io
import pickle
import struct
import tarfile
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import FormatError, MissingFileError
from mxnova.gluon.data import DataLoader, RecordFileDataset
from mxnova.gluon.data.vision import (
    CIFAR10,
    CIFAR100,
    MNIST,
    FashionMNIST,
    ImageFolderDataset,
    ImageRecordDataset,
)

RNG = np.random.RandomState(0)
DIGITS = RNG.randint(0, 256, (5, 28, 28)).astype("uint8")
LABELS = RNG.randint(0, 10, 5).astype("uint8")
DATA = Path(__file__).parents[3] / "data"


def idx(values):
    header = struct.pack(f">{1 + values.ndim}I", 0x800 + values.ndim, *values.shape)
    return gzip.compress(header + values.tobytes(), mtime=0)


def put(folder, images=DIGITS, labels=LABELS, part="train"):
    (folder / f"{part}-images-idx3-ubyte.gz").write_bytes(idx(images))
    (folder / f"{part}-labels-idx1-ubyte.gz").write_bytes(idx(labels))


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    monkeypatch.setenv("MXNET_GLUON_REPO", "file:///nowhere")


@pytest.mark.parametrize("kind", [MNIST, FashionMNIST])
@pytest.mark.parametrize("train", [True, False])
def test_digits(tmp_path, kind, train, caplog):
    put(tmp_path, part="train" if train else "t10k")
    dataset = kind(str(tmp_path), train=train)
    image, label = dataset[2]
    assert len(dataset) == 5
    assert isinstance(image, mx.nd.NDArray)
    assert (image.shape, image.dtype) == ((28, 28, 1), np.uint8)
    assert np.array_equal(image.asnumpy()[..., 0], DIGITS[2])
    assert (label, label.dtype) == (LABELS[2], np.int32)
    assert "not the published file" in caplog.text


def test_transform_and_loader(tmp_path):
    put(tmp_path)
    dataset = MNIST(str(tmp_path), transform=lambda x, y: (x.astype("float32") / 255, y))
    images, labels = next(iter(DataLoader(dataset, 5, num_workers=1)))
    assert np.allclose(images.asnumpy()[..., 0], DIGITS / 255)
    assert labels.asnumpy().tolist() == LABELS.tolist()


def test_the_published_hash_is_quiet(tmp_path, caplog):
    put(tmp_path)

    class Ours(MNIST):
        def _get_data(self):
            files = [self._train_data[0], self._train_label[0]]
            self._train_data, self._train_label = (
                (name, hashlib.sha1((tmp_path / name).read_bytes()).hexdigest()) for name in files
            )
            super()._get_data()

    assert len(Ours(str(tmp_path))) == 5
    assert not caplog.text


@pytest.mark.parametrize(
    "content",
    [
        b"no gzip",
        gzip.compress(b"\0\0", mtime=0),
        gzip.compress(struct.pack(">4I", 2049, 5, 28, 28), mtime=0),
        gzip.compress(struct.pack(">4I", 2051, 2**31, 2**31, 2**31), mtime=0),
        gzip.compress(struct.pack(">4I", 2051, 5, 28, 28) + bytes(100), mtime=0),
        gzip.compress(struct.pack(">4I", 2051, 4, 28, 28) + bytes(4 * 28 * 28), mtime=0),
        idx(DIGITS)[:-300],
        idx(DIGITS)[:20] + b"\xff" * 20 + idx(DIGITS)[40:],
    ],
)
def test_damaged_digits(tmp_path, content):
    put(tmp_path)
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(content)
    with pytest.raises(FormatError, match=str(tmp_path)):
        MNIST(str(tmp_path))


LIMITS = {  # a header, and bytes behind it -> what the error tells
    "more images": (struct.pack(">4I", 2051, 60_001, 28, 28), 0, "where the published file has"),
    "all of 32 bits": (
        struct.pack(">4I", 2051, *[2**32 - 1] * 3),
        0,
        "where the published file has",
    ),
    "no rows": (struct.pack(">4I", 2051, 0, 0, 2**32 - 1), 0, "there are none"),
    "more bytes than it says": (struct.pack(">4I", 2051, 1, 28, 28), 1 << 24, "has not the"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_digits_are_bounded_by_the_published_file(tmp_path, name):
    header, n_bytes, text = LIMITS[name]
    put(tmp_path)
    content = gzip.compress(header + bytes(n_bytes), 1, mtime=0)
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=text):
            MNIST(str(tmp_path))
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind, name", [(CIFAR10, "data_batch_1.bin"), (CIFAR100, "train.bin")])
def test_photographs_are_bounded_by_the_published_files(tmp_path, kind, name):
    with open(tmp_path / name, "wb") as file:
        file.truncate(1 << 33)  # of holes
    for other in range(2, 6):
        (tmp_path / f"data_batch_{other}.bin").write_bytes(rows(1, 1).tobytes())
    with pytest.raises(FormatError, match=f"{name}: more than [15]0000 images"):
        kind(str(tmp_path))


def test_members_of_archives_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(CIFAR100, "_most_images", 2)
    with tarfile.open(tmp_path / "cifar-100-binary.tar.gz", "w:gz") as tar:
        entry = tarfile.TarInfo("test.bin")
        entry.size = 3 * 3074
        tar.addfile(entry, io.BytesIO(bytes(entry.size)))
    with pytest.raises(FormatError, match=r"test\.bin unpacks to more than 6148 bytes"):
        CIFAR100(str(tmp_path), train=False)
    assert not (tmp_path / "test.bin").exists()


@pytest.mark.parametrize("kind", [MNIST, CIFAR10, CIFAR100])
def test_missing_files(tmp_path, kind):
    with pytest.raises(MissingFileError, match=r"whose SHA-1 is .* Put the file there") as info:
        kind(str(tmp_path / "new"))
    assert str(tmp_path / "new") in info.value.filename
    assert isinstance(info.value, FileNotFoundError)


def rows(n, labels):
    return np.concatenate(
        [RNG.randint(0, 10, (n, labels)), RNG.randint(0, 256, (n, 3072))], axis=1
    ).astype("uint8")


def test_photographs(tmp_path):
    parts = [rows(2, 1) for _ in range(5)]
    for i, part in enumerate(parts):
        (tmp_path / f"data_batch_{i + 1}.bin").write_bytes(part.tobytes())
    dataset = CIFAR10(str(tmp_path))
    every = np.concatenate(parts)
    assert len(dataset) == 10
    assert np.array_equal(
        dataset._data.asnumpy(), every[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    )
    assert dataset._label.tolist() == every[:, 0].tolist()
    (tmp_path / "data_batch_3.bin").write_bytes(b"short")
    with pytest.raises(FormatError, match=r"data_batch_3\.bin: 5 bytes"):
        CIFAR10(str(tmp_path))


@pytest.mark.parametrize(("fine", "column"), [(False, 0), (True, 1)])
def test_photographs_in_an_archive(tmp_path, fine, column):
    part = rows(3, 2)
    with tarfile.open(tmp_path / "cifar-100-binary.tar.gz", "w:gz") as tar:
        for name in ("some/folder/test.bin", "../train.bin"):
            entry = tarfile.TarInfo(name)
            entry.size = part.nbytes
            tar.addfile(entry, io.BytesIO(part.tobytes()))
    dataset = CIFAR100(str(tmp_path), fine_label=fine, train=False)
    assert dataset._label.tolist() == part[:, column].tolist()
    assert not (tmp_path / "train.bin").exists()


def test_damaged_archive(tmp_path):
    (tmp_path / "cifar-10-binary.tar.gz").write_bytes(b"none")
    with pytest.raises(FormatError, match="damaged"):
        CIFAR10(str(tmp_path))


def test_nothing_is_left_of_a_file_that_cannot_be_unpacked(tmp_path):
    part, archive = rows(400, 2), tmp_path / "cifar-100-binary.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        entry = tarfile.TarInfo("test.bin")
        entry.size = part.nbytes
        tar.addfile(entry, io.BytesIO(part.tobytes()))
    content = archive.read_bytes()
    archive.write_bytes(content[: len(content) // 2])
    with pytest.raises(FormatError, match="damaged"):
        CIFAR100(str(tmp_path), train=False)
    assert [path.name for path in tmp_path.iterdir()] == [archive.name]


def test_folders(tmp_path):
    png = (DATA / "image" / "colour.png").read_bytes()
    for name in ("b/2.png", "b/1.JPEG", "a/x.jpg", "a/x.gif"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(png)
    (tmp_path / "text").write_text("")
    with pytest.warns(UserWarning, match="is ignored") as ignored:
        dataset = ImageFolderDataset(str(tmp_path))
    assert len(ignored) == 2
    assert dataset.synsets == ["a", "b"]
    names = [(str(Path(path).relative_to(tmp_path)), label) for path, label in dataset.items]
    assert names == [("a/x.jpg", 0), ("b/1.JPEG", 1), ("b/2.png", 1)]
    assert dataset[2][0].shape == (8, 11, 3)
    with pytest.warns(UserWarning, match="is ignored"):
        grey = ImageFolderDataset(str(tmp_path), flag=0, transform=lambda x, y: (x.shape, y))
    assert grey[0] == ((8, 11, 1), 0)


@pytest.fixture
def records(tmp_path):
    png = (DATA / "image" / "colour.png").read_bytes()
    path = str(tmp_path / "data.rec")
    record = mx.recordio.MXIndexedRecordIO(str(tmp_path / "data.idx"), path, "w")
    for i in range(4):
        label = i * 1.5 if i else [1, 2]
        record.write_idx(i, mx.recordio.pack(mx.recordio.IRHeader(0, label, i, 0), png))
    record.close()
    return path


def test_records(records):
    assert len(RecordFileDataset(records)) == 4
    dataset = ImageRecordDataset(records)
    image, label = dataset[2]
    assert (image.shape, label) == ((8, 11, 3), 3.0)
    assert dataset[0][1].tolist() == [1, 2]
    grey = ImageRecordDataset(records, 0, lambda x, y: (x, -y))
    assert (grey[1][0].shape, grey[1][1]) == ((8, 11, 1), -1.5)
    copy = pickle.loads(pickle.dumps(dataset))
    assert copy[2][1] == dataset[2][1] == 3.0


def test_records_in_workers(records):
    dataset = ImageRecordDataset(records, transform=lambda x, y: (x, float(np.sum(y))))
    for _ in range(2):
        labels = [y.asnumpy().tolist() for _, y in DataLoader(dataset, 2, num_workers=2)]
        assert labels == [[3.0, 1.5], [3.0, 4.5]]
