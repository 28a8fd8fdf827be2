# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from mxnova import recordio
from mxnova.batch_inference import count_items, items_of
from mxnova.core.base.errors import FormatError
from mxnova.predictor.picture import Picture


def test_folders_globs_and_names_are_items(tmp_path):
    (tmp_path / "sub").mkdir()
    for name in ("b.png", "a.JPG", "notes.txt", ".hidden.png", "sub/c.npy"):
        (tmp_path / name).touch()

    def names(*sources, listed=()):
        found = (item.name for item in items_of(sources, "data", listed))
        return [name.removeprefix(f"{tmp_path}/") for name in found]

    inside = ["a.JPG", "b.png", "sub/c.npy"]
    assert names(str(tmp_path)) == inside
    assert names(f"{tmp_path}/*.png") == ["b.png"]
    assert names("-", listed=[f"{tmp_path}\n", "\n", "-\n", "x.png\n"]) == [*inside, "x.png"]
    assert names(f"{tmp_path}/*.bmp") == ["*.bmp"]
    assert count_items([str(tmp_path), "x"]) == 4
    assert count_items(["x.rec"]) is None


def test_reading_goes_on_behind_a_damaged_record(tmp_path):
    cv2 = pytest.importorskip("cv2")
    encoded = [cv2.imencode(".png", np.full((2, 2, 3), i, np.uint8))[1].tobytes() for i in range(3)]
    writer = recordio.MXRecordIO(str(tmp_path / "x.rec"), "w")
    for i, image in enumerate(encoded):
        writer.write(recordio.pack(recordio.IRHeader(0, 0.0, i, 0), image))
    writer.close()
    content = bytearray((tmp_path / "x.rec").read_bytes())
    content[8 + (24 + len(encoded[0]) + 3 & ~3)] ^= 1  # the second's magic
    (tmp_path / "x.rec").write_bytes(content)
    first, second, third = items_of([str(tmp_path / "x.rec")], "data")
    assert [first.name[-6:], third.name[-6:]] == [".rec#0", ".rec#2"]
    assert third.read(Picture()).max() == 2
    with pytest.raises(FormatError):
        second.read(Picture())
