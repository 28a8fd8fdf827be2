# SPDX-License-Identifier: Apache-2.0
"""``mxnova im2rec`` makes the files that MXNet's makes (recorded)."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from mxnova.cli import main
from mxnova.formats import recordio

from . import im2rec_cases as cases

RECORDED = Path(__file__).parents[2] / "data" / "im2rec" / "recorded.npz"
ONE_IMAGE = "3\t1.0\ta/0.jpg\n"


@pytest.fixture(scope="module")
def recorded():
    with np.load(RECORDED) as file:
        return {name: file[name].tobytes() for name in file.files}


@pytest.fixture
def run(monkeypatch):
    def im2rec(*arguments):
        monkeypatch.setattr(sys, "argv", ["mxnova", "im2rec", *arguments])
        main()

    return im2rec


def wanted_files(recorded, call):
    return {
        name.rpartition("/")[2]: content
        for name, content in recorded.items()
        if name.rpartition("/")[0] == call
    }


@pytest.mark.parametrize("name", cases.LISTS)
def test_lists_are_those_of_mxnet(name, recorded, run, tmp_path):
    made = cases.files_of(run, tmp_path / "x", cases.LISTS[name])
    assert made == wanted_files(recorded, f"list/{name}")


@pytest.mark.parametrize("name", cases.RECORDS)
def test_records_are_those_of_mxnet(name, recorded, run, tmp_path):
    text, options = cases.RECORDS[name]
    made = cases.files_of(run, tmp_path / "x", options, text)
    wanted = wanted_files(recorded, f"record/{name}")
    assert made.keys() == wanted.keys()
    if "--pass-through" in options:  # nothing is encoded, which OpenCV's versions do differently
        assert made == wanted
    check_records(made["x.rec"], wanted["x.rec"])
    check_index(made)


def check_records(made, wanted):
    for record, of_mxnet in zip(
        recordio.read_records(made), recordio.read_records(wanted), strict=True
    ):
        (header, image), (of_header, of_image) = map(recordio.unpack, (record, of_mxnet))
        np.testing.assert_array_equal(header.label, of_header.label)
        assert (header.flag, *header[2:]) == (of_header.flag, *of_header[2:])
        assert bytes(image[:4]) == bytes(of_image[:4])
        pixels, of_pixels = (
            cv2.imdecode(np.frombuffer(i, np.uint8), -1).astype(int) for i in (image, of_image)
        )
        assert pixels.shape == of_pixels.shape
        assert abs(pixels - of_pixels).mean() < 0.5
        assert abs(len(image) - len(of_image)) < 0.1 * len(of_image)


def check_index(made):
    rows = [line.split("\t") for line in made["x.idx"].decode().splitlines()]
    keys = [line.split("\t")[0] for line in made["x.lst"].decode().splitlines()]
    assert [key for key, _ in rows] == keys
    for key, offset in rows:
        record, _ = recordio.read_record(made["x.rec"], int(offset))
        assert recordio.unpack(record)[0].id == int(key)


def test_several_processes_change_nothing(run, tmp_path):
    text = "".join(f"{i}\t{i / 2}\ta/{i % 2}.{'png' if i % 2 else 'jpg'}\n" for i in range(40))
    one, two = (
        cases.files_of(run, tmp_path / n, ["--num-thread", n, "--resize", "9"], text) for n in "12"
    )
    assert one == two


@pytest.mark.parametrize("renamed", [0, 1, 2])
def test_no_index_of_other_records_is_left(renamed, run, tmp_path, monkeypatch):
    """Not even where the process ends between the two files' renaming."""
    record, index = tmp_path / "x" / "x.rec", tmp_path / "x" / "x.idx"
    cases.files_of(run, tmp_path / "x", [], ONE_IMAGE)
    old, replace = record.read_bytes(), os.replace
    index.write_bytes(index.read_bytes() if renamed else b"")
    left = [renamed]

    def ending(*paths):
        if not left[0]:
            os._exit(0)
        left[0] -= 1
        replace(*paths)

    child = os.fork()
    if not child:
        try:
            monkeypatch.setattr(os, "replace", ending)
            run("--resize", "9", str(tmp_path / "x" / "x"), str(cases.ROOT))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert index.exists() == (renamed == 2)
    assert (record.read_bytes() == old) == (renamed == 0)


@pytest.mark.parametrize("refused", [".rec", ".idx"])
def test_an_exchange_that_fails_leaves_no_index_of_other_records(
    refused, run, tmp_path, monkeypatch, capsys
):
    folder = tmp_path / "x"
    old = cases.files_of(run, folder, [], ONE_IMAGE)
    rename = {name: getattr(os, name) for name in ("rename", "replace")}
    for name in rename:

        def refusing(path, target, name=name):
            if str(path if name == "rename" else target).endswith(refused):
                raise PermissionError(13, "in use")
            rename[name](path, target)

        monkeypatch.setattr(os, name, refusing)
    with pytest.raises(SystemExit):
        run("--resize", "9", str(folder / "x"), str(cases.ROOT))
    assert f"x{refused}: in use" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == old


def test_an_interrupt_between_the_files_leaves_no_index_of_other_records(
    run, tmp_path, monkeypatch, interrupts
):
    folder, replace = tmp_path / "x", os.replace
    old = cases.files_of(run, folder, [], ONE_IMAGE)

    def interrupted(path, target):
        replace(path, target)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises((KeyboardInterrupt, SystemExit)):
        run("--resize", "9", str(folder / "x"), str(cases.ROOT))
    assert sorted(path.name for path in folder.iterdir()) == ["x.lst", "x.rec"]
    assert (folder / "x.rec").read_bytes() != old["x.rec"]


def test_an_empty_index_that_cannot_be_removed_is_told(run, tmp_path, monkeypatch, capsys):
    def refuse(_path, **_options):
        raise PermissionError(13, "in use")

    cases.files_of(run, tmp_path / "x", [], ONE_IMAGE)
    (tmp_path / "x" / "x.idx").write_bytes(b"")
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(SystemExit):
        run(str(tmp_path / "x" / "x"), str(cases.ROOT))
    assert "x.idx: in use" in capsys.readouterr().err


@pytest.mark.parametrize("n", "12")
def test_images_that_cannot_be_read_are_left_out_and_told(n, run, tmp_path, capsys):
    text = "1\t0\ta/notes.txt\n2\t0\tnowhere.jpg\n" + ONE_IMAGE
    with pytest.raises(SystemExit) as ended:
        cases.files_of(run, tmp_path / "x", ["--num-thread", n], text)
    assert ended.value.code == 1
    told = capsys.readouterr().err
    assert re.search(r"a/notes.txt: left out: .*cannot decode image", told)
    assert "nowhere.jpg: left out" in told
    assert "2 images of 3 were left out" in told
    content = (tmp_path / "x" / "x.rec").read_bytes()
    assert [recordio.unpack(r)[0].id for r in recordio.read_records(content)] == [3]


@pytest.mark.parametrize(
    "options, text",
    [
        (["--list", "--exts", ".gif"], "there are no images"),
        (["--list", "--train-ratio", ".9", "--test-ratio", ".2"], "must not exceed 1"),
        ([], "there is no such list"),
    ],
)
def test_nothing_is_written_where_there_is_nothing(options, text, run, tmp_path, capsys):
    with pytest.raises(SystemExit):
        cases.files_of(run, tmp_path / "x", options)
    assert text in capsys.readouterr().err
    assert not [*(tmp_path / "x").iterdir()]


@pytest.mark.parametrize("line", ["no number\t0\ta/0.jpg", "1\tnan?\ta/0.jpg", "1"])
def test_a_broken_list_leaves_no_record_file(line, run, tmp_path, capsys):
    with pytest.raises(SystemExit):
        cases.files_of(run, tmp_path / "x", [], f"{ONE_IMAGE}{line}\n")
    assert re.search(r"x\.lst: .*line 2|line 2.*x\.lst", capsys.readouterr().err)
    assert [path.name for path in (tmp_path / "x").iterdir()] == ["x.lst"]


HOSTILE = [b"a\tb.jpg", b"a\nb.jpg", b"a\rb.jpg", b"a\xffb.jpg", b"\t/b.jpg"]


@pytest.mark.skipif(sys.platform != "linux", reason="file systems that take any bytes as names")
@pytest.mark.parametrize("name", HOSTILE)
def test_names_that_a_list_cannot_hold_are_refused(name, run, tmp_path, capsys):
    path = os.path.join(os.fsencode(tmp_path), b"in", name)
    os.makedirs(os.path.dirname(path))
    with open(path, "wb"):
        pass
    with pytest.raises(SystemExit):
        run("--list", "--recursive", str(tmp_path / "x"), str(tmp_path / "in"))
    error = capsys.readouterr().err
    assert "a list holds no names with tabs, line ends or bytes that are not UTF-8" in error
    assert len(error.splitlines()) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["in"]


def test_names_that_look_odd_are_kept(run, tmp_path):
    names = ["- rf.jpg", "a b'c\"$x.jpg", "ü\u202e.jpg", "\x1b[31m.jpg"]
    (tmp_path / "in").mkdir()
    for name in names:
        (tmp_path / "in" / name).write_bytes(b"x")
    prefix = str(tmp_path / "x")
    run("--list", "--no-shuffle", prefix, str(tmp_path / "in"))
    run("--pass-through", prefix, str(tmp_path / "in"))
    listed = (tmp_path / "x.lst").read_text(encoding="utf-8").splitlines()
    assert sorted(line.split("\t")[2] for line in listed) == sorted(names)
    assert len((tmp_path / "x.idx").read_text().splitlines()) == len(names)


def test_an_index_is_made_of_a_record_file(run, tmp_path, monkeypatch):
    made = cases.files_of(run, tmp_path / "x", [], cases.LIST)
    record, index = tmp_path / "x" / "x.rec", tmp_path / "again.idx"
    monkeypatch.setattr(sys, "argv", ["mxnova", "rec2idx", str(record), str(index)])
    main()
    offsets = [line.split()[1] for line in made["x.idx"].decode().splitlines()]
    assert index.read_text() == "".join(f"{i}\t{o}\n" for i, o in enumerate(offsets))
