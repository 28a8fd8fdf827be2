# SPDX-License-Identifier: Apache-2.0
"""Iterators that stop within an epoch, and others that go on from their states."""

import json

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import ArgumentError, FormatError
from mxnova.recordio import IRHeader, MXIndexedRecordIO, pack_img

N = 19


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("states")
    rec, idx = str(folder / "r.rec"), str(folder / "r.idx")
    draw = np.random.RandomState(0)
    with MXIndexedRecordIO(idx, rec, "w") as record:
        for i in range(N):
            image = draw.randint(0, 256, (10, 12, 3), np.uint8)
            record.write_idx(i, pack_img(IRHeader(0, i, i, 0), image, img_fmt=".png"))
    broken = bytearray((folder / "r.rec").read_bytes())
    broken[record.idx[7] + 8 + 24 :][:4] = b"none"
    broken[record.idx[7] + 32 : record.idx[7] + 36] = b"none"
    (folder / "broken.rec").write_bytes(broken)
    np.savetxt(folder / "d.csv", np.arange(2 * N).reshape(N, 2), delimiter=",")
    (folder / "d.svm").write_text("".join(f"{i} {i % 4}:{i}\n" for i in range(N)))
    return folder


def records(folder, **options):
    named = {"path_imgidx": str(folder / "r.idx")} if options.pop("index", True) else {}
    path = str(folder / options.pop("file", "r.rec"))
    return mx.io.ImageRecordIter(
        path_imgrec=path, data_shape=(3, 8, 8), batch_size=4, **named, **options
    )


RANDOM = {"shuffle": True, "seed": 3, "rand_crop": True, "rand_mirror": True}
MAKERS = {
    "csv": lambda f: mx.io.CSVIter(data_csv=str(f / "d.csv"), data_shape=(2,), batch_size=4),
    "csv, not round": lambda f: mx.io.CSVIter(
        data_csv=str(f / "d.csv"), data_shape=(2,), batch_size=4, round_batch=False
    ),
    "libsvm": lambda f: mx.io.LibSVMIter(
        data_libsvm=str(f / "d.svm"), data_shape=(4,), batch_size=4
    ),
    "records": lambda f: records(f),
    "records, random": lambda f: records(f, **RANDOM),
    "records, random, not round": lambda f: records(f, round_batch=False, **RANDOM),
    "records without index": lambda f: records(f, index=False, **RANDOM),
    "records in chunks": lambda f: records(f, index=False, shuffle_chunk_size=1, **RANDOM),
    "records, seeds of images": lambda f: records(f, seed_aug=5, **RANDOM),
    **{
        f"arrays, {handle}, {shuffle}": lambda f, handle=handle, shuffle=shuffle: mx.io.NDArrayIter(
            np.arange(2 * N).reshape(N, 2), np.arange(N), 4, shuffle, handle
        )
        for handle in ("pad", "discard", "roll_over")
        for shuffle in (False, True)
    },
}


def shown(batch):
    return [array.asnumpy().tolist() for array in [*batch.data, *batch.label]] + [batch.pad]


@pytest.mark.parametrize("kind", MAKERS)
def test_an_iterator_goes_on(kind, files):
    np.random.seed(2)
    iterator = MAKERS[kind](files)
    for k in (0, 3, 5):  # epochs, each of which starts where the one before left samples over
        for _ in range(k):
            if next(iterator, None) is None:
                break
        state = json.loads(json.dumps(iterator.state_dict()))
        other = MAKERS[kind](files)
        next(other)
        other.load_state_dict(state)
        assert other.state_dict() == state
        if k == 0 and "arrays" not in kind:
            other.reset()  # as programs do before their first epoch
        numbers = np.random.get_state()
        for one in (iterator, other):
            np.random.set_state(numbers)
            one.seen = [shown(batch) for batch in one]
            one.reset()
            one.seen += [shown(next(one))]
            if one is iterator:
                after = np.random.get_state()
        assert iterator.seen == other.seen
        np.random.set_state(after)
        iterator.reset()


def test_broken_records_are_counted(files):
    iterator, other = (records(files, file="broken.rec") for _ in range(2))
    next(iterator)
    with pytest.raises(FormatError, match="cannot decode image"):
        next(iterator)
    state = iterator.state_dict()
    assert (state["batches"], state["broken"]) == (2, 1)
    other.load_state_dict(state)
    assert [shown(batch) for batch in other] == [shown(batch) for batch in iterator]


@pytest.mark.parametrize("kind, change", [
    ("csv", {"batches": -1}), ("csv", {"epoch": {"start": 99}}), ("csv", {"batch_size": 5}),
    ("csv", {"broken": 3}), ("records, random", {"epoch": {"ahead": 4}}),
    ("records, random", {"epoch": {"ahead": 0, "order": [None, None]}}),
    ("records", {"epoch": {"ahead": 0, "order": [None, None], "augmentation": "x"}}),
    ("arrays, pad, True", {"order": [0] * N}), ("arrays, pad, True", {"idx": [1 << 80]}),
    ("arrays, pad, True", {"order": None}), ("arrays, pad, False", {"cursor": 10**9}),
    ("arrays, pad, False", {"num_data": 4}), ("arrays, roll_over, False", {"left_over": [N]}),
])  # fmt: skip
def test_states_that_are_none(kind, change, files):
    iterator = MAKERS[kind](files)
    with pytest.raises(ArgumentError, match="state"):
        iterator.load_state_dict({**iterator.state_dict(), **change})
