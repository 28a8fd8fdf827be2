# SPDX-License-Identifier: Apache-2.0
import pickle

import numpy as np
import pytest

from mxnova.core.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    FileError,
    FormatError,
    OutOfRangeError,
    UnknownNameError,
)
from mxnova.recordio import (
    IRHeader,
    MXIndexedRecordIO,
    RecordDataset,
    pack_img,
    unpack,
    unpack_img,
)

from ..test_recordio import run_python
from .conftest import BROKEN, break_records, id_of, write_records


@pytest.fixture
def path(tmp_path):
    write_records(tmp_path / "r.rec", 20)
    return tmp_path / "r.rec"


def test_elements(path):
    dataset = RecordDataset(path)
    with MXIndexedRecordIO(path.with_suffix(".idx"), path, "r") as record:
        assert list(dataset) == [record.read_idx(key) for key in record.keys]
    assert len(dataset) == 20
    assert dataset[-1] == dataset[np.int64(19)]
    header, payload = RecordDataset(path, decode="header")[3]
    assert (header.id, header.label, payload) == (3, 1.5, b"xxx")
    assert RecordDataset(str(path), keys=[5, 2], decode=id_of)[0] == 5
    assert list(RecordDataset([path, path], decode=id_of)) == [*range(20)] * 2


def test_the_index_may_be_elsewhere_or_missing(path, tmp_path):
    elsewhere = path.with_suffix(".idx").rename(tmp_path / "other.index")
    expected = list(RecordDataset(path, elsewhere))
    assert list(RecordDataset(path)) == expected
    content = path.read_bytes()
    path.write_bytes(
        content[:-4] + content[108:]
    )  # one that is cut off, others that are no records
    found = RecordDataset(path, decode=id_of, max_broken=3)
    assert list(found)[:19] == [*range(19)]
    assert len(found.broken) >= 1


def test_keys_need_an_index(path, tmp_path):
    elsewhere = path.with_suffix(".idx").rename(tmp_path / "other.index")
    with pytest.raises(FileError, match=r"r\.idx: there is no index, which knows the keys"):
        RecordDataset(path, keys=[2])
    assert list(RecordDataset(path, elsewhere, keys=[2], decode=id_of)) == [2]


def test_images(tmp_path):
    image = np.random.RandomState(0).randint(0, 256, (7, 9, 3), np.uint8)
    with MXIndexedRecordIO(tmp_path / "i.idx", tmp_path / "i.rec", "w") as record:
        record.write_idx(0, pack_img(IRHeader(0, [1, 2], 4, 0), image, img_fmt=".png"))
        record.write_idx(1, b"short")
    dataset = RecordDataset(tmp_path / "i.rec", decode="image")
    header, pixels = dataset[0]
    assert header.label.tolist() == [1, 2]
    assert np.array_equal(pixels, unpack_img(RecordDataset(tmp_path / "i.rec")[0])[1][..., ::-1])
    with pytest.raises(FormatError, match=r"i.rec: record at offset \d+: packed record: 5 bytes"):
        dataset[1]


def test_broken_records_are_left_out_as_far_as_allowed(many):
    with pytest.raises(FormatError, match="offset"):
        list(RecordDataset(many))
    with pytest.raises(FormatError, match="max_broken=4"):
        list(RecordDataset(many, max_broken=4))
    dataset = RecordDataset(many, decode=id_of, max_broken=5)
    assert sorted(dataset) == sorted({*range(403)} - BROKEN)
    assert dataset.broken == sorted(BROKEN)
    assert dataset.__getitems__([2, 3, 4]) == [2, 4]
    with pytest.raises(FormatError, match="all 2 records"):
        dataset.__getitems__([64, 65])
    assert [] in list(dataset.batches(1, shuffle=False))
    assert len(list(dataset.batches(None))) == 403 - len(BROKEN)
    copy = pickle.loads(pickle.dumps(dataset))
    assert copy.broken == dataset.broken


def test_a_file_that_is_cut_off_is_no_broken_record(path):
    dataset = RecordDataset(path, max_broken=20)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(FileError, match="was cut off"):
        list(dataset)


def picky(record):
    if unpack(record)[0].id == 3:
        raise ZeroDivisionError
    raise ValueError


def test_errors_of_decoders(path):
    with pytest.raises(ZeroDivisionError):  # a fault of the program
        list(RecordDataset(path, decode=picky, max_broken=9))
    with pytest.raises(ValueError):
        RecordDataset(path, decode=picky)[0]


@pytest.mark.parametrize("options", [{}, {"threads": 3}, {"threads": 1, "batch_size": None}])
def test_threads_keep_the_order(many, options):
    dataset = RecordDataset(many, decode=id_of, max_broken=9)
    options = {"batch_size": 8, "block_size": 16, **options}
    assert list(dataset.batches(**options)) == list(dataset.batches(**{**options, "threads": 0}))


@pytest.mark.parametrize("arguments, error, text", [
    ({"paths": []}, ArgumentError, "empty"), ({"paths": 3}, ArgumentTypeError, "paths=3"),
    ({"paths": ["a", "b"], "keys": [1]}, ArgumentError, "one file, not 2"),
    ({"decode": "x"}, ArgumentError, "'bytes', 'header', 'image'"),
    ({"decode": 3}, ArgumentTypeError, "decode=3"), ({"keys": [77]}, UnknownNameError, "77"),
    ({"max_broken": -1}, ArgumentError, "max_broken"), ({"index": "/no"}, FileError, "/no"),
    ({"paths": "/no/file.rec"}, FileError, "/no/file.rec"),
])  # fmt: skip
def test_arguments_are_checked(arguments, error, text, path):
    with pytest.raises(error, match=text):
        RecordDataset(**{"paths": path, **arguments})


def test_indices_are_checked(path):
    dataset = RecordDataset(path)
    for index in (20, -21):
        with pytest.raises(OutOfRangeError, match="20 records"):
            dataset[index]
    with pytest.raises(ArgumentTypeError, match="integer"):
        dataset["a"]
    with pytest.raises(ArgumentError, match="threads"):
        dataset.batches(2, threads=-1)
    with pytest.raises(ArgumentError, match="before `batches` is called"):
        dataset.batches(2)[0]


def test_an_index_that_leads_out_of_the_file(path):
    path.with_suffix(".idx").write_text("0\t99999\n")
    with pytest.raises(FormatError, match="offset 99999"):
        RecordDataset(path)


@pytest.mark.slow
def test_torch_is_not_needed(path):
    code = f"""
import sys
sys.modules["torch"] = None
from mxnova.recordio import RecordDataset
dataset = RecordDataset({str(path)!r}, decode="header")
print(len([header for batch in dataset.batches(6) for header, _ in batch]))
"""
    done = run_python(code)
    assert done.stdout == "20\n", done.stderr


def test_files_are_left_nowhere(many, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    dataset = RecordDataset(many, max_broken=9)
    list(dataset)
    assert len(list(tmp_path.iterdir())) == 1
    del dataset
    assert not list(tmp_path.iterdir())


def test_offsets_may_be_in_any_order(path):
    content = path.read_bytes()
    lines = path.with_suffix(".idx").read_text().splitlines()
    path.with_suffix(".idx").write_text("\n".join(lines[::-1]))
    dataset = RecordDataset(path, decode=id_of)
    assert list(dataset) == [*range(20)][::-1]
    file = dataset._reader.files.files[0]
    assert file.place(0, 20) == (0, len(content))
    assert file.place(18, 19)[0] == file.offsets[18]
    break_records(path, [0])
    with pytest.raises(FormatError):
        dataset[19]
