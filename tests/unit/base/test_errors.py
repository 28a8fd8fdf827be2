# SPDX-License-Identifier: Apache-2.0
"""The tree of errors, and the bounds on their texts."""

from __future__ import annotations

import copy
import os
import pickle

import pytest

import mxnova as mx
from mxnova.core.base import errors
from mxnova.core.base.errors import FileError, MXNetError, argument_error, bounded, shown

# fmt: off
OF_THE_SYSTEM = [
    (FileNotFoundError(2, "No such file"),  errors.MissingFileError),
    (PermissionError(13, "Not allowed"),    errors.FilePermissionError),
    (IsADirectoryError(21, "Directory"),    errors.DirectoryError),
    (OSError(5, "Disk on fire"),            errors.FileError),
]
# fmt: on


@pytest.mark.parametrize("error, kind", OF_THE_SYSTEM, ids=lambda x: getattr(x, "__name__", ""))
def test_file_errors_are_what_the_system_raised_and_ours(error, kind):
    ours = FileError.of(error, "a/b.params")
    assert type(ours) is kind
    assert isinstance(ours, (MXNetError, FileError))
    assert isinstance(ours, type(error))
    for same in (ours, copy.copy(ours), pickle.loads(pickle.dumps(ours))):
        assert (same.errno, same.strerror, same.filename) == (*error.args, "a/b.params")
        assert str(same) == f"a/b.params: {error.strerror}"


def test_file_errors_can_be_worded_freely():
    assert str(FileError("no disk")) == "no disk"


def leaves(cls):
    found = [leaf for sub in cls.__subclasses__() for leaf in leaves(sub)]
    return found if cls.__name__.startswith("_") else [cls, *found]


@pytest.mark.parametrize("kind", leaves(MXNetError), ids=lambda kind: kind.__name__)
def test_no_error_keeps_a_long_text(kind):
    error = kind("start " + "x" * 1_000_000 + " end")
    assert len(str(error)) <= errors.MAX_TEXT + 200  # what _NotFor adds
    assert str(error).startswith("start")
    assert len(pickle.dumps(error)) < 3 * errors.MAX_TEXT


def test_bounded_texts_keep_both_ends_and_are_not_cut_again():
    text = bounded("start" + "x" * 100_000 + "the reason")
    assert text.startswith("startx")
    assert text.endswith("the reason")
    assert "100,015 characters" in text
    assert bounded(text) == text


# fmt: off
SHOWN = [
    ("text",                  "'text'"),
    ("x" * 300,               "'" + "x" * 196 + "..."),
    (b"\0" * 10,              repr(b"\0" * 10)),
    ([1, [2, (3,)]],          "[1, [2, (3,)]]"),
    ({"a": 1},                "{'a': 1}"),
    (1 << 20_000,             "<an integer of 20001 bits>"),
    (None,                    "None"),
    (1.5,                     "1.5"),
]
HUGE = [
    "x" * 10_000_000,
    b"x" * 10_000_000,
    [[]] * 10_000_000,
    dict.fromkeys(range(1_000_000)),
    [{"a": "x" * 1000} for _ in range(1000)],
    set(range(1_000_000)),
]
# fmt: on


@pytest.mark.parametrize("value, text", SHOWN, ids=[text[:20] for _, text in SHOWN])
def test_values_are_shown_as_their_repr(value, text):
    assert shown(value) == text


@pytest.mark.parametrize("value", HUGE, ids=lambda value: type(value).__name__)
def test_large_values_are_shown_short(value):
    assert len(shown(value)) <= 200
    assert len(shown(value, 60)) <= 60
    assert len(str(argument_error("op", "name", value, "reason"))) < 250
    assert str(argument_error("op", "name", value, "reason")).endswith(": reason")


def missing(path):
    with pytest.raises(errors.MissingFileError) as raised:
        mx.nd.load(path)
    return str(raised.value)


def test_a_missing_file_names_what_is_near(tmp_path, monkeypatch):
    mx.nd.save(str(tmp_path / "net-0003.params"), [mx.nd.ones(1)])
    asked, near = tmp_path / "net-0005.params", "; did you mean 'net-0003.params'?"
    assert missing(str(asked)) == f"{asked}: No such file or directory{near}"
    monkeypatch.chdir(tmp_path)
    assert missing("net-005.params").endswith(near)
    assert missing("quite another").endswith("directory")


def test_a_missing_folder_is_named(tmp_path):
    assert missing(str(tmp_path / "no" / "x")).endswith(f"; there is no folder '{tmp_path}/no'")


def test_addresses_and_texts_of_our_own_get_no_hint():
    assert (
        str(errors.MissingFileError(2, os.strerror(2), "s3://a/b")) == f"s3://a/b: {os.strerror(2)}"
    )
    assert str(errors.MissingFileError(2, "is gone", "x")) == "x: is gone"


def test_folders_of_many_files_are_not_searched_to_their_end(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(errors, "candidates", lambda name, names: asked.extend(names) or "")
    monkeypatch.setattr(errors, "_MOST_NAMES", 3)
    for i in range(5):
        (tmp_path / f"{i}").touch()
    missing(str(tmp_path / "x"))
    assert len(asked) == 3


class OutOfMemoryError(RuntimeError):
    """What ATen raises of a GPU."""


# fmt: off
OF_GPUS = [
    (OutOfMemoryError("CUDA out of memory. Tried to allocate 200.00 GiB. GPU 0 has a total capacity of 139.80 GiB of "
                      "which 138.70 GiB is free. Including non-PyTorch memory, this process has 1 GiB in use."),
     errors.OutOfMemoryError, "op: gpu(0) lacks memory: 200.00 GiB asked for, 138.70 GiB of 139.80 GiB free"),
    (OutOfMemoryError("CUDA out of memory. Tried to allocate 9.00 GiB. GPU 1 has a total capacity of 20.00 GiB of which "
                      "12.00 GiB is free. This process has 1 GiB in use. 8.00 GiB allowed; Of the allocated memory 0"),
     errors.OutOfMemoryError, "op: gpu(1) lacks memory: 9.00 GiB asked for, 12.00 GiB of 20.00 GiB free, "
                              "8.00 GiB allowed by MXNET_GPU_MEM_POOL_RESERVE"),
    (OutOfMemoryError("CUDA out of memory."), errors.OutOfMemoryError, "op: CUDA out of memory."),
    (RuntimeError("CUDA error: device-side assert triggered\nCompile with"), MXNetError,
     "op: CUDA error: device-side assert triggered, of this call or of an earlier one, since a GPU works on while "
     "Python goes on; with CUDA_LAUNCH_BLOCKING=1 it is told where it arises"),
]
# fmt: on


@pytest.mark.parametrize("error, kind, text", OF_GPUS)
def test_errors_of_gpus(error, kind, text):
    ours = errors.from_foreign(error, "op")
    assert (type(ours), str(ours)) == (kind, text)
