# SPDX-License-Identifier: Apache-2.0
"""``mxnova im2rec`` and ``mxnova rec2idx``: lists of images, record files, and their indices."""

from __future__ import annotations

import os
import random
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO, NamedTuple

from ..core.base.console import open_console
from ..core.base.errors import (
    ArgumentError,
    FileError,
    FormatError,
    MissingFileError,
    MXNetError,
    shown,
)
from ..core.base.interrupts import blocked_interrupts, deferred_interrupts, ignore_interrupts
from ..core.base.opencv import require_opencv
from ..core.base.printable import printable
from ..core.base.progress import progress
from ..formats import recordio as records
from ..formats.atomic import replacing
from ..formats.images import decode_image
from ..formats.source import map_file, read_file
from ..formats.temporary import set_aside
from ..formats.text_tables import ImageEntry, parse_image_list
from ..recordio import pack_img

__all__ = ["im2rec", "rec2idx"]

_SEED = 100  # MXNet's, so that lists come out in the same order
_AT_ONCE = 8  # images that a process is given
_TOLD = 4096  # records after which a bar moves


def im2rec(options: SimpleNamespace) -> None:
    """Writes lists of images, or record files of the images in lists."""
    if options.list:
        _write_lists(options)
        return
    lists = _lists(Path(options.prefix))
    if not lists:
        raise MissingFileError(2, "there is no such list; --list makes it", f"{options.prefix}.lst")
    for path in lists:
        _write_records(path, options)


# Lists --------------------------------------------------------------------------------------------


def _write_lists(options: SimpleNamespace) -> None:
    if options.train_ratio + options.test_ratio > 1:
        raise ArgumentError("im2rec: --train-ratio and --test-ratio: must not exceed 1 together")
    images = list(enumerate(_images(options)))
    if not images:
        raise ArgumentError(f"im2rec: {options.root}: there are no images")
    if options.shuffle:
        random.Random(_SEED).shuffle(images)
    size = -(-len(images) // options.chunks)
    for i in range(options.chunks):
        suffix = f"_{i}" if options.chunks > 1 else ""
        _write_chunk(images[i * size : (i + 1) * size], suffix, options)


def _images(options: SimpleNamespace) -> Iterator[tuple[str, int]]:
    """Paths of images below the root, and their labels."""
    extensions = tuple(e.lower() for e in options.exts)
    label = 0
    for folder, folders, files in os.walk(options.root, followlinks=True, onerror=_raise):
        folders.sort()
        names = [name for name in sorted(files) if name.lower().endswith(extensions)]
        for name in names:
            yield _listed(os.path.relpath(os.path.join(folder, name), options.root)), label
        if not options.recursive:
            return
        if names:
            sys.stdout.write(f"{printable(os.path.relpath(folder, options.root))} {label}\n")
            label += 1


def _listed(path: str) -> str:
    """`path`, which a line of a list must be able to hold."""
    if any(c in path for c in "\t\n\r") or path != os.fsencode(path).decode(errors="replace"):
        reason = "a list holds no names with tabs, line ends or bytes that are not UTF-8"
        raise ArgumentError(f"im2rec: {shown(path)}: {reason}")
    return path


def _raise(error: OSError) -> None:
    raise error


def _write_chunk(
    images: list[tuple[int, tuple[str, int]]], suffix: str, options: SimpleNamespace
) -> None:
    n_test = int(len(images) * options.test_ratio)
    n_train = int(len(images) * options.train_ratio)
    if options.train_ratio == 1:
        parts = {"": images}
    else:
        parts = {
            "_test": images[:n_test],
            "_train": images[n_test : n_test + n_train],
            "_val": images[n_test + n_train :],
        }
    for name, part in parts.items():
        wanted = name != "_test" or options.test_ratio
        if wanted and not (name == "_val" and options.train_ratio + options.test_ratio == 1):
            with replacing(f"{options.prefix}{suffix}{name}.lst") as file:
                for number, (path, label) in part:
                    file.write(f"{number}\t{label:f}\t{path}\n".encode())


# Records ------------------------------------------------------------------------------------------


class _Packing(NamedTuple):
    """The options that say how an image becomes a record."""

    root: str
    pass_through: bool
    resize: int
    center_crop: bool
    quality: int
    color: int
    encoding: str
    pack_label: bool


def _lists(prefix: Path) -> list[Path]:
    """The lists whose names begin with the prefix."""
    if not prefix.parent.is_dir():
        return []
    found = (p for p in prefix.parent.iterdir() if p.name.startswith(prefix.name))
    return sorted(p for p in found if p.suffix == ".lst")


def _write_records(path: Path, options: SimpleNamespace) -> None:
    try:
        entries = parse_image_list(read_file(path))
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None
    n_left_out = offset = 0
    with ExitStack() as stack:
        record, index = stack.enter_context(_records_with_index(path))
        packed = zip(entries, _all_packed(entries, options, stack), strict=True)
        for entry, result in _with_progress(path.name, packed, len(entries)):
            if isinstance(result, str):
                n_left_out += 1
                sys.stderr.write(f"{printable(entry.path)}: left out: {result}\n")
                continue
            index.write(f"{entry.index}\t{offset}\n".encode())
            offset += record.write(records.encode(result))
    sys.stdout.write(f"{path.with_suffix('.rec')}: {len(entries) - n_left_out:,} records\n")
    if n_left_out:
        raise FormatError(f"{path}: {n_left_out:,} images of {len(entries):,} were left out")


@contextmanager
def _records_with_index(path: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """New files of records and of their index, which take their places at the end.

    No index is there while the records are exchanged: whatever ends the process meanwhile, none is
    left that tells of other records. Where they cannot be exchanged the old index comes back.
    """
    place = os.path.realpath(path.with_suffix(".idx"))
    _remove_if_empty(Path(place))
    record_path = path.with_suffix(".rec")
    with replacing(place) as index, ExitStack() as exchange, replacing(record_path) as record:
        yield record, index
        for file in (record, index):
            file.flush()
            os.fsync(file.fileno())
        exchange.enter_context(deferred_interrupts())
        exchange.enter_context(set_aside(place))  # until the records have their place


def _remove_if_empty(index: Path) -> None:
    """An empty file would be filled where it is."""
    try:
        if index.is_file() and not index.stat().st_size:
            index.unlink()
    except OSError as error:
        raise FileError.of(error, index) from None


def _all_packed(
    entries: Sequence[ImageEntry], options: SimpleNamespace, stack: ExitStack
) -> Iterator[bytes | str]:
    """What `_packed` gives for each entry, in their order; from several processes if asked for."""
    packing = _Packing(**{name: getattr(options, name) for name in _Packing._fields})
    if options.num_thread == 1:
        return (_packed(entry, packing) for entry in entries)
    # Fresh processes, since one that is forked off threads may hang.
    workers = ProcessPoolExecutor(options.num_thread, get_context("spawn"), _settle)
    return _in_order(stack.enter_context(workers), 4 * options.num_thread, packing, entries)


def _settle() -> None:
    """What each process does first."""
    ignore_interrupts()
    require_opencv().setNumThreads(1)


def _in_order(
    workers: ProcessPoolExecutor, ahead: int, packing: _Packing, entries: Sequence[ImageEntry]
) -> Iterator[bytes | str]:
    """What `_packed` gives, while `ahead` tasks are under way."""
    pending: deque[Future[list[bytes | str]]] = deque()
    try:
        for first in range(0, len(entries), _AT_ONCE):
            with blocked_interrupts():  # it may start a process
                pending.append(workers.submit(_pack, entries[first : first + _AT_ONCE], packing))
            if len(pending) > ahead:
                yield from pending.popleft().result()
        while pending:
            yield from pending.popleft().result()
    except BrokenProcessPool:
        raise MXNetError("im2rec: a process that encodes images has died") from None


def _pack(entries: Sequence[ImageEntry], packing: _Packing) -> list[bytes | str]:
    return [_packed(entry, packing) for entry in entries]


def _with_progress(name: str, items: Iterable[Any], n: int) -> Iterator[Any]:
    """The items, with a bar on a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.markup import escape
    from rich.progress import track

    yield from track(items, escape(name), n, console=open_console(stderr=True))


def _packed(entry: ImageEntry, packing: _Packing) -> bytes | str:
    """The record of an image, or why there is none."""
    try:
        content = read_file(os.path.join(packing.root, entry.path))
        label: Any = entry.labels[0]
        if packing.pack_label and len(entry.labels) > 1:
            label = list(entry.labels)
        header = (0, label, entry.index, 0)
        if packing.pass_through:
            return records.pack(header, content)
        image = _fitting(decode_image("im2rec", content, packing.color), packing)
        return pack_img(header, image, packing.quality, packing.encoding)
    except MXNetError as error:
        return str(error)


def _fitting(image: Any, packing: _Packing) -> Any:
    if packing.center_crop:
        height, width = image.shape[:2]
        side = min(height, width)
        top, left = (height - side) // 2, (width - side) // 2
        image = image[top : top + side, left : left + side]
    if packing.resize > 0:
        height, width = image.shape[:2]
        size = packing.resize
        new = (size, height * size // width) if height > width else (width * size // height, size)
        image = require_opencv().resize(image, new)
    return image


# Index --------------------------------------------------------------------------------------------


def rec2idx(options: SimpleNamespace) -> None:
    """Writes the index of a record file."""
    view = map_file(options.record)
    with progress() as tell, replacing(options.index) as index:
        number = offset = 0
        try:
            while offset < len(view):
                if number % _TOLD == 0:
                    tell("index", offset, len(view))
                index.write(f"{number}\t{offset}\n".encode())
                number, offset = number + 1, records.offset_after(view, offset)
        except FormatError as error:
            raise FormatError(f"{options.record}: {error}") from None
    sys.stdout.write(f"{options.index}: {number:,} records\n")
