# SPDX-License-Identifier: Apache-2.0
"""Iterators over files give MXNet's batches (recorded), and refuse what is broken."""

from __future__ import annotations

import gc
import json
import os
import struct
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import FormatError, MXNetError
from mxnova.formats import recordio

from . import programs

FOLDER = Path(__file__).parents[2] / "data" / "io"
RECORDED = json.loads((FOLDER / "recorded.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def arrays():
    with np.load(FOLDER / "recorded.npz") as file:
        return {name: file[name] for name in file.files}


@pytest.mark.parametrize("program", programs.PROGRAMS)
def test_batches_are_those_of_mxnet(program, arrays, monkeypatch):
    monkeypatch.chdir(FOLDER)
    found, recorded = programs.batches(program, mx), RECORDED[program]
    assert [b["pad"] for b in found] == [b["pad"] for b in recorded]
    assert [b["index"] for b in found] == [b["index"] for b in recorded]
    for batch, expected in zip(found, recorded, strict=True):
        data, *labels = [arrays[f"arr_{i}"] for i in expected["arrays"]]
        assert batch["arrays"][0].dtype == data.dtype
        assert batch["arrays"][0].shape == data.shape
        difference = abs(batch["arrays"][0].astype(float) - data)
        # OpenCV rounds otherwise today, by one where it interpolates.
        assert difference.max() <= 3
        assert difference.mean() < 0.4
        for label, of_mxnet in zip(batch["arrays"][1:], labels, strict=True):
            assert label.dtype == of_mxnet.dtype
            np.testing.assert_allclose(label, of_mxnet, rtol=1e-5, atol=1e-6)


def iterator(path=FOLDER / "a.rec", **options):
    defaults = {"data_shape": (3, 8, 9), "batch_size": 4}
    return mx.io.ImageRecordIter(path_imgrec=str(path), **{**defaults, **options})


def epoch(it):
    found = [(b.data[0].asnumpy(), b.label[0].asnumpy(), b.pad) for b in it]
    it.reset()
    return found


def test_threads_change_nothing():
    options = {"rand_crop": True, "rand_mirror": True, "random_h": 20, "shuffle": True}
    one, many = (iterator(preprocess_threads=n, **options) for n in (1, 5))
    for _ in range(3):
        for first, second in zip(epoch(one), epoch(many), strict=True):
            assert (first[0] == second[0]).all()
            assert (first[1] == second[1]).all()


def test_a_last_batch_that_is_not_rounded_says_how_much_is_missing():
    *_, (data, label, pad) = epoch(iterator(round_batch=False))
    assert pad == 2
    assert not data[2:].any()
    assert label.tolist() == [4, 5, 0, 0]


@pytest.mark.parametrize("n_read", [0, 1, 2])
def test_reset_in_the_midst_starts_from_the_beginning(n_read):
    it = iterator(batch_size=2)
    for _ in range(n_read):
        it.next()
    it.reset()
    assert it.next().label[0].asnumpy().tolist() == [0, 1]


def test_mean_image_is_made_once_and_subtracted(tmp_path):
    path = tmp_path / "mean.nd"
    made = epoch(iterator(batch_size=6, mean_img=str(path)))
    mean = mx.nd.load(str(path))["mean_img"].asnumpy()
    plain = epoch(iterator(batch_size=6))[0][0]
    np.testing.assert_allclose(mean, plain.mean(axis=0), rtol=1e-5)
    read = epoch(iterator(batch_size=6, mean_img=str(path)))
    for data, *_ in (made[0], read[0]):
        np.testing.assert_allclose(data, plain - mean, atol=1e-4)
    with pytest.raises(FormatError, match="mean_img must have the shape"):
        iterator(data_shape=(3, 9, 9), mean_img=str(path))


def test_chunks_come_in_random_order_with_all_records():
    it = iterator(batch_size=6, shuffle=True, shuffle_chunk_size=1)
    assert sorted(epoch(it)[0][1].tolist()) == [0, 1, 2, 3, 4, 5]


# Errors -------------------------------------------------------------------------------------------


def records():
    return list(recordio.read_records((FOLDER / "a.rec").read_bytes()))


def broken(tmp_path, change):
    """A file whose fourth record is another, and its offset."""
    parts = [recordio.encode(record) for record in records()]
    offset = sum(map(len, parts[:3]))
    parts[3] = change(records()[3], parts[3])
    path = tmp_path / "broken.rec"
    path.write_bytes(b"".join(parts))
    return path, offset


@pytest.mark.parametrize(
    "change, reason",
    [
        (lambda record, _: recordio.encode(record[:24] + b"no image"), "cannot decode image"),
        (lambda record, _: recordio.encode(record[:10]), "the header alone has"),
        (lambda _, part: b"\0" * 8 + part[8:], "starts a"),
        (lambda record, _: recordio.encode(record[:60]), "cannot decode image"),
    ],
    ids=["no image", "no header", "no record", "cut off"],
)
def test_a_broken_record_raises_with_its_offset(tmp_path, change, reason):
    path, offset = broken(tmp_path, change)
    it = iterator(path, batch_size=2)
    assert it.next().label[0].asnumpy().tolist() == [0, 1]
    with pytest.raises(FormatError, match=f"broken.rec: .*{offset}.*{reason}"):
        it.next()


def test_other_batches_survive_a_broken_image(tmp_path):
    path, _ = broken(tmp_path, lambda record, _: recordio.encode(record[:24] + b"no image"))
    it = iterator(path, batch_size=2)
    it.next()
    with pytest.raises(FormatError):
        it.next()
    assert it.next().label[0].asnumpy().tolist() == [4, 5]


def test_large_images_are_refused(monkeypatch):
    monkeypatch.setenv("MXNOVA_IMAGE_MAX_PIXELS", "100")
    with pytest.raises(MXNetError, match="MXNOVA_IMAGE_MAX_PIXELS"):
        iterator()


@pytest.mark.parametrize(
    "options, message",
    [
        ({"batch_size": 40}, "cannot fill up a batch"),
        ({"data_shape": (3, 10)}, "channels, height, width"),
        ({"data_shape": (2, 10, 10)}, "1, 3 or 4 channels"),
        ({"dtype": "float64"}, "must be float32"),
        ({"label_width": 3}, "1 labels, where label_width=3"),
        ({"num_parts": 2, "part_index": 2}, "must be below"),
        ({"path": "there/is/none.rec"}, "No such file"),
        ({"max_crop_size": 100, "min_crop_size": 50}, "max_crop_size"),
        ({"batch_size": None}, "batch_size"),
    ],
)
def test_unusable_arguments_are_refused(options, message):
    with pytest.raises(MXNetError, match=message):
        iterator(**options)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integers_in_csv_may_be_written_as_numpy_writes_them(tmp_path, dtype):
    path, numbers = tmp_path / "numbers.csv", np.array([[0, 15], [-3, 2]])
    np.savetxt(path, numbers, delimiter=",")
    batch = mx.io.CSVIter(data_csv=str(path), data_shape=(2,), batch_size=2, dtype=dtype).next()
    assert batch.data[0].dtype == np.dtype(dtype)
    np.testing.assert_array_equal(batch.data[0].asnumpy(), numbers)


@pytest.mark.parametrize("text", ["1.5", "nan", "1e400", "3e9", "x", "1.0,2\n3"])
def test_what_is_no_integer_is_refused_in_csv(tmp_path, text):
    path = tmp_path / "numbers.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match="CSV: .*(to int32 at row 0|columns changed)"):
        mx.io.CSVIter(data_csv=str(path), data_shape=(1,), batch_size=1, dtype="int32")


@pytest.mark.parametrize("dtype", ["int64", "int32", "float32"])
def test_characters_of_other_planes_are_refused_in_csv(tmp_path, dtype):
    path = tmp_path / "numbers.csv"
    path.write_bytes("1\n\U000d645a".encode())  # NumPy's parser of integers reads beside a table
    with pytest.raises(FormatError, match="CSV: line 2: .*characters of no number"):
        mx.io.CSVIter(data_csv=str(path), data_shape=(1,), batch_size=1, dtype=dtype)


def test_unknown_arguments_are_logged(caplog):
    iterator(colour=3)
    assert "there are no arguments colour" in caplog.text


@pytest.mark.parametrize("name", ["data_shape", "input_shape"])
def test_arguments_of_mxnets_examples_are_not_logged(tmp_path, caplog, name):
    (tmp_path / "images").write_bytes(struct.pack(">4I", 2051, 2, 2, 2) + bytes(8))
    (tmp_path / "labels").write_bytes(struct.pack(">2I", 2049, 2) + bytes(2))
    files = {"image": str(tmp_path / "images"), "label": str(tmp_path / "labels")}
    mx.io.MNISTIter(**files, batch_size=2, **{name: (4,)})
    assert "there are no arguments" not in caplog.text


def test_threads_end_with_their_iterator():
    before = set(threading.enumerate())
    it = iterator(preprocess_threads=3)
    epoch(it)
    new = set(threading.enumerate()) - before
    mine = [thread for thread in new if thread.name.startswith("ImageRecordIter")]
    assert mine
    del it
    gc.collect()
    for thread in mine:
        thread.join(60)
    assert not any(thread.is_alive() for thread in mine)


FORK = """
import os, sys
import mxnova as mx
it = mx.io.ImageRecordIter(path_imgrec=sys.argv[1], data_shape=(3, 8, 9), batch_size=2)
it.next()
pid = os.fork()
second = it.next().label[0].asnumpy().tolist()
if pid == 0:
    os._exit(second != [2, 3])
sys.exit(second != [2, 3] or os.waitpid(pid, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_goes_on_by_itself():
    command = [sys.executable, "-c", FORK, str(FOLDER / "a.rec")]
    assert subprocess.run(command, timeout=120).returncode == 0
