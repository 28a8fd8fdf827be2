# SPDX-License-Identifier: Apache-2.0
import ctypes
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mxnova import base, recordio
from mxnova.core.base.errors import ArgumentError, AssertedError, FormatError, MXNetError
from mxnova.recordio import IRHeader, MXIndexedRecordIO, MXRecordIO

DATA = Path(__file__).parents[1] / "data/recordio"
PAYLOADS = [bytes.fromhex(text) for text in json.loads((DATA / "payloads.json").read_text())]


def run_python(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture
def paths(tmp_path):
    """Paths of the index and the file of three records, under the keys 0, 10 and 20."""
    paths = str(tmp_path / "r.idx"), str(tmp_path / "r.rec")
    record = MXIndexedRecordIO(*paths, "w")
    for key, payload in zip((0, 10, 20), (b"a", b"bb", b"ccccc"), strict=True):
        record.write_idx(key, payload)
    record.close()
    return paths


@pytest.fixture
def indexed(paths):
    with MXIndexedRecordIO(*paths, "r") as record:
        yield record


def test_files_are_those_of_mxnet(tmp_path):
    idx, rec = tmp_path / "r.idx", tmp_path / "r.rec"
    with MXIndexedRecordIO(idx, rec, "w") as record:
        for key, payload in enumerate(PAYLOADS):
            record.write_idx(3 * key, payload)
    assert rec.read_bytes() == (DATA / "mxnet.rec").read_bytes()
    assert idx.read_bytes() == (DATA / "mxnet.idx").read_bytes()


def test_files_of_mxnet_are_read():
    with MXRecordIO(str(DATA / "mxnet.rec"), "r") as record:
        assert [record.read() for _ in PAYLOADS] == PAYLOADS
        assert record.read() is None
        assert record.read() is None
    with MXIndexedRecordIO(DATA / "mxnet.idx", DATA / "mxnet.rec", "r") as record:
        assert [record.read_idx(key) for key in reversed(record.keys)] == PAYLOADS[::-1]


def test_writing_tells_positions_and_keeps_keys(tmp_path):
    with MXIndexedRecordIO(tmp_path / "r.idx", tmp_path / "r.rec", "w") as record:
        assert record.tell() == 0
        record.write_idx("5", b"abcde")
        assert record.tell() == 16
        record.write(b"not in the index")
        record.write_idx(5, b"")
        assert (record.keys, record.idx) == ([5, 5], {5: 40})


def test_positions_by_ctypes(paths):
    def told(function, record):
        position = ctypes.c_size_t()
        base.check_call(function(record.handle, ctypes.byref(position)))
        return position.value

    positions = []
    with MXRecordIO(paths[1], "r") as record:
        while True:
            positions.append(told(base._LIB.MXRecordIOReaderTell, record))
            if record.read() is None:
                break
    with MXRecordIO(paths[1], "w") as record:
        record.write(b"abcde")
        assert told(base._LIB.MXRecordIOWriterTell, record) == 16
    assert positions[:3] == [0, 12, 24]
    with pytest.raises(MXNetError, match="closed"):
        told(base._LIB.MXRecordIOReaderTell, record)


def test_attributes(indexed, paths):
    assert (indexed.idx_path, indexed.uri) == paths
    assert (indexed.flag, indexed.writable, indexed.is_open) == ("r", False, True)
    assert (indexed.pid, indexed.key_type) == (os.getpid(), int)
    assert (indexed.keys, indexed.idx) == ([0, 10, 20], {0: 0, 10: 12, 20: 24})


def test_reading_continues_after_the_record_sought(indexed):
    assert indexed.read_idx(10) == b"bb"
    assert indexed.read() == b"ccccc"
    assert indexed.read() is None
    indexed.seek(0)
    assert indexed.read() == b"a"


def test_keys_of_other_types(tmp_path):
    paths = tmp_path / "r.idx", tmp_path / "r.rec"
    with MXIndexedRecordIO(*paths, "w", key_type=str) as record:
        record.write_idx("a b", b"1")
        record.write_idx(7, b"2")
        with pytest.raises(ArgumentError, match=r"idx='a\\tb': a key cannot hold tabs"):
            record.write_idx("a\tb", b"3")
    with MXIndexedRecordIO(*paths, "r", str) as record:
        assert record.keys == ["a b", "7"]
        assert record.read_idx("7") == b"2"


def test_reset_starts_again(paths):
    with MXRecordIO(paths[1], "r") as record:
        record.read()
        record.reset()
        assert record.read() == b"a"
    with MXIndexedRecordIO(*paths, "w") as record:
        record.write_idx(1, b"lost")
        record.reset()
        assert record.keys == []
        record.write_idx(2, b"kept")
    with MXIndexedRecordIO(*paths, "r") as record:
        assert (record.keys, record.read(), record.read()) == ([2], b"kept", None)


def test_an_empty_file_has_no_records(tmp_path):
    (tmp_path / "r.rec").touch()
    with MXRecordIO(tmp_path / "r.rec", "r") as record:
        assert record.read() is None


def test_a_uri_may_name_its_scheme(paths):
    with MXRecordIO(f"file://{paths[1]}", "r") as record:
        assert record.read() == b"a"


def test_files_that_cannot_be_opened(tmp_path, paths):
    missing = str(tmp_path / "missing")
    with pytest.raises(MXNetError, match="missing: No such file"):
        MXRecordIO(missing, "r")
    with pytest.raises(MXNetError, match="is a directory"):
        MXRecordIO(str(tmp_path), "r")
    with pytest.raises(FileNotFoundError, match="missing"):
        MXIndexedRecordIO(missing, paths[1], "r")
    with pytest.raises(ValueError, match="flag='a': must be 'r' or 'w'"):
        MXRecordIO(paths[1], "a")


@pytest.mark.parametrize("method", ["read", "seek", "read_idx"])
def test_a_writer_does_not_read(tmp_path, method):
    arguments = () if method == "read" else (0,)
    with (
        MXIndexedRecordIO(tmp_path / "w.idx", tmp_path / "w.rec", "w") as record,
        pytest.raises(AssertedError, match=r"w\.rec: opened with flag 'w', this needs 'r'"),
    ):
        getattr(record, method)(*arguments)


def test_a_reader_does_not_write(indexed):
    for method, arguments in (("write", (b"",)), ("write_idx", (1, b"")), ("tell", ())):
        with pytest.raises(AssertedError, match=r"r\.rec: opened with flag 'r', this needs 'w'"):
            getattr(indexed, method)(*arguments)


def test_only_bytes_are_written(tmp_path):
    with (
        MXRecordIO(tmp_path / "r.rec", "w") as record,
        pytest.raises(TypeError, match="record: int"),
    ):
        record.write(5)


def test_a_closed_file_is_opened_by_seeking_only(indexed, tmp_path):
    indexed.close()
    indexed.close()
    assert (indexed.is_open, indexed.pid) == (False, None)
    with pytest.raises(RuntimeError, match=r"r\.rec: the file is closed"):
        indexed.read()
    assert indexed.read_idx(10) == b"bb"
    writer = MXIndexedRecordIO(tmp_path / "w.idx", tmp_path / "w.rec", "w")
    writer.close()
    with pytest.raises(RuntimeError, match=r"w\.rec: the file is closed"):
        writer.write_idx(0, b"")


def test_unknown_keys(indexed):
    with pytest.raises(KeyError, match=r"r\.idx: no record has the key 7"):
        indexed.read_idx(7)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ("1\t999\n", r"r\.idx: key 1: offset 999, .*r\.rec has 40 bytes"),
        ("1\t4\n", r"r\.rec: offset 4: 01000000 where"),
        ("1\t36\n", r"r\.rec: offset 36 of 40: a record needs 8 bytes"),
        ("x\t0\n", r"r\.idx: index: line 1: key 'x'"),
    ],
)
def test_an_index_that_does_not_fit(paths, index, message):
    Path(paths[0]).write_text(index)
    with pytest.raises(FormatError, match=message):
        MXIndexedRecordIO(*paths, "r").read_idx(1)


def test_pickling_closes_and_opens_again(indexed):
    copy = pickle.loads(pickle.dumps(indexed))
    assert (indexed.is_open, copy.is_open) == (False, True)
    assert (copy.read(), copy.read_idx(20)) == (b"a", b"ccccc")
    copy.close()
    assert not pickle.loads(pickle.dumps(copy)).is_open


def test_another_process_must_open_the_file_anew(indexed, paths, monkeypatch):
    sequential = MXRecordIO(paths[1], "r")
    here = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: here + 1)
    for record in (sequential, indexed):
        with pytest.raises(RuntimeError, match=f"opened by process {here}, used by {here + 1}"):
            record.read()
    assert indexed.read_idx(10) == b"bb"
    assert indexed.pid == here + 1
    sequential.reset()
    assert sequential.read() == b"a"
    sequential.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_does_not_write_what_its_parent_buffered(tmp_path):
    code = f"""
import os
from mxnova.recordio import MXIndexedRecordIO
record = MXIndexedRecordIO({str(tmp_path / "r.idx")!r}, {str(tmp_path / "r.rec")!r}, "w")
record.write_idx(1, b"one")
if os.fork() == 0:
    record.close()
    os._exit(0)
os.wait()
record.write_idx(2, b"two")
record.close()
"""
    assert run_python(code).returncode == 0
    assert (tmp_path / "r.idx").read_text() == "1\t0\n2\t12\n"
    assert (tmp_path / "r.rec").stat().st_size == 24


def test_neither_torch_nor_opencv_is_imported():
    result = run_python("import mxnova.recordio, sys; print({'torch', 'cv2'} & {*sys.modules})")
    assert result.stdout == "set()\n"


def test_images_without_opencv_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(MXNetError, match=r"pip install mxnova\[image\]"):
        recordio.unpack_img(b"")
    with pytest.raises(MXNetError, match=r"pip install mxnova\[image\]"):
        recordio.pack_img((0, 1, 0, 0), np.zeros((2, 2), np.uint8))


class TestImages:
    HEADER = IRHeader(0, [1, 2], 3, 0)

    @pytest.fixture(autouse=True)
    def _opencv(self):
        pytest.importorskip("cv2")

    @pytest.fixture
    def image(self):
        smooth = np.add.outer(np.arange(12), np.arange(16)) * 4
        return np.stack([smooth, smooth[::-1], smooth + 50], -1).astype(np.uint8)

    @pytest.mark.parametrize(
        ("img_fmt", "start", "tolerance"),
        [(".jpg", b"\xff\xd8\xff", 12), (".JPEG", b"\xff\xd8\xff", 12), (".png", b"\x89PNG", 0)],
    )
    def test_an_image_survives(self, image, img_fmt, start, tolerance):
        packed = recordio.pack_img(self.HEADER, image, img_fmt=img_fmt)
        assert recordio.unpack(packed)[1].startswith(start)
        header, unpacked = recordio.unpack_img(packed)
        assert (header.label.tolist(), header.id) == ([1, 2], 3)
        assert unpacked.dtype == np.uint8
        np.testing.assert_allclose(unpacked.astype(int), image.astype(int), atol=tolerance)

    def test_quality_and_color(self, image):
        def size(**options):
            return len(recordio.pack_img(self.HEADER, image, **options))

        assert size(quality=10) < size(quality=95) == size()
        assert (
            size(quality=9, img_fmt=".png")
            == size(img_fmt=".png")
            < size(quality=0, img_fmt=".png")
        )
        packed = recordio.pack_img(self.HEADER, image, img_fmt=".png")
        assert recordio.unpack_img(packed, iscolor=0)[1].shape == (12, 16)
        grey = recordio.pack_img(self.HEADER, image[..., 0], img_fmt=".png")
        np.testing.assert_array_equal(recordio.unpack_img(grey)[1], image[..., 0])
        assert recordio.unpack_img(grey, iscolor=1)[1].shape == (12, 16, 3)

    def test_what_is_no_image(self, image):
        packed = recordio.pack(self.HEADER, b"garbage")
        assert recordio.unpack_img(packed)[1] is None
        with pytest.raises(MXNetError, match="unpack_img: the record has no bytes"):
            recordio.unpack_img(recordio.pack(self.HEADER, b""))
        with pytest.raises(MXNetError, match=r"pack_img: img_fmt='\.nope'"):
            recordio.pack_img(self.HEADER, image, img_fmt=".nope")


@pytest.mark.parametrize("flag", ["r", "w"])
def test_files_that_outlive_the_module(tmp_path, flag):
    """As at the interpreter's end, which sets the names of modules to None."""
    path = tmp_path / "x.rec"
    writer = recordio.MXRecordIO(path, "w")
    writer.write(b"abc")
    writer.close()
    code = (
        "import mxnova.recordio as module\n"
        f"record = module.MXRecordIO({str(path)!r}, {flag!r})\n"
        "record.read() if record.flag == 'r' else record.write(b'abc')\n"
        "for name in set(vars(module)) - {'__builtins__'}:\n"
        "    setattr(module, name, None)\n"
        "del record\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert recordio.MXRecordIO(path, "r").read() == b"abc"
