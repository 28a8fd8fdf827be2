# SPDX-License-Identifier: Apache-2.0
"""Utilities of training loops: splitting batches over devices, clipping gradients, downloads."""

from __future__ import annotations

import hashlib
import itertools
import logging
import math
import os
import ssl
import string
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from http.client import HTTPException
from numbers import Real
from pathlib import Path, PureWindowsPath
from typing import Any, BinaryIO

import numpy as np
import torch

from .. import __name__ as _package
from .. import ndarray as nd
from ..core.base import env
from ..core.base.console import open_console
from ..core.base.credentials import without_credentials
from ..core.base.doors import door, facade
from ..core.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    AssertedError,
    AssertedTypeError,
    FileError,
    argument_error,
    shown,
)
from ..core.base.user_warnings import warn_user
from ..core.graph.numpy_symbol import _Symbol
from ..core.graph.symbol import Symbol
from ..core.kernels.norms import vector_norm
from ..core.nd.array import NDArray
from ..core.nd.wrapping import wrap
from ..core.runtime.context import Context
from ..formats.atomic import replacing
from ..formats.source import sha1_of
from .block.hooks import HookHandle
from .block.nesting import _check_all_np_ndarrays  # noqa: F401 - a name that packages use
from .listing import brief as _brief_print_list  # noqa: F401 - a name that packages use
from .listing import indented as _indent  # noqa: F401
from .parameter.shapes import shape_is_known

__all__ = [
    "HookHandle",
    "check_sha1",
    "clip_global_norm",
    "download",
    "replace_file",
    "shape_is_known",
    "split_and_load",
    "split_data",
]

_log = logging.getLogger("mxnova")


# Batches ------------------------------------------------------------------------------------------


@door
def split_data(
    data: NDArray, num_slice: int, batch_axis: int = 0, even_split: bool = True
) -> list[NDArray]:
    """Cuts a batch into `num_slice` slices along an axis.

    Args:
        data: the batch.
        num_slice: how many slices.
        batch_axis: the axis.
        even_split: whether all slices must be of one size; otherwise the first may have one more.

    Raises:
        ArgumentError: the batch cannot be cut so.

    Example:
        >>> [x.shape for x in mx.gluon.utils.split_data(mx.nd.zeros((4, 3)), 2)]
        [(2, 3), (2, 3)]
    """
    if num_slice < 1:
        raise argument_error("split_data", "num_slice", num_slice, "must be at least 1")
    if not -len(data.shape) <= batch_axis < len(data.shape):
        raise argument_error("split_data", "batch_axis", batch_axis,
                             f"data has shape {data.shape}")  # fmt: skip
    size, rest = divmod(data.shape[batch_axis], num_slice)
    if even_split and rest:
        raise ArgumentError(
            f"data with shape {data.shape} cannot be evenly split into {num_slice} slices along "
            f"axis {batch_axis}: take a batch of a multiple of {num_slice}, or even_split=False"
        )
    if not isinstance(data, NDArray):
        return np.array_split(data, num_slice, batch_axis)
    if num_slice == 1:
        return [data.copy()]
    ends = [size * i + min(i, rest) for i in range(num_slice + 1)]
    if data.stype == "csr" and batch_axis in (0, -2):
        return [data[begin:end] for begin, end in itertools.pairwise(ends)]
    parts: list[NDArray] = nd.split_v2(data, tuple(ends[1:-1]), axis=batch_axis)
    return parts


@door
def split_and_load(
    data: Any, ctx_list: Sequence[Context], batch_axis: int = 0, even_split: bool = True
) -> list[NDArray]:
    """Cuts a batch into a slice for each context, and puts it there.

    Args:
        data: an array, or what makes one.
        ctx_list: the contexts.
        batch_axis: axis along which the batch is cut.
        even_split: whether all slices must be of one size.

    Example:
        >>> [x.shape for x in mx.gluon.utils.split_and_load(
        ...     mx.nd.zeros((4, 3)),
        ...     [mx.cpu(0), mx.cpu(1)],
        ... )]
        [(2, 3), (2, 3)]
    """
    if not isinstance(data, NDArray):
        data = nd.array(data, ctx=ctx_list[0])
    if len(ctx_list) == 1:
        return [data.as_in_context(ctx_list[0])]
    slices = split_data(data, len(ctx_list), batch_axis, even_split)
    return [part.as_in_context(ctx) for part, ctx in zip(slices, ctx_list, strict=True)]


# Gradients ----------------------------------------------------------------------------------------


@door
def clip_global_norm(
    arrays: Iterable[NDArray], max_norm: float, check_isfinite: bool = True
) -> float | NDArray:
    """Scales arrays in place, so that the norm of all their elements is at most `max_norm`.

    Args:
        arrays: floating-point arrays, on any contexts.
        max_norm: bound of the norm.
        check_isfinite: whether to warn of a norm that is no number or infinite, for which the
            norm is waited for.

    Returns:
        The norm, as a number; without `check_isfinite` as an array of shape (1,).

    Example:
        >>> gradients = [mx.nd.array([3, 4])]
        >>> float(mx.gluon.utils.clip_global_norm(gradients, 1.0))
        5.0
        >>> gradients[0].asnumpy().round(2)
        array([0.6, 0.8], dtype=float32)
    """
    arrays = list(arrays)
    if not arrays:
        raise AssertedError("clip_global_norm: arrays: there are none")
    if not isinstance(max_norm, (Real, NDArray)):
        raise AssertedTypeError(f"clip_global_norm: max_norm={shown(max_norm)}: must be a number")
    values = [array._value for array in arrays]
    parts = [value if isinstance(value, torch.Tensor) else value.data for value in values]
    total = _norm_of(parts)
    if check_isfinite and not math.isfinite(float(total)):
        warn_user(
            f"clip_global_norm: the norm is {float(total)}, so that what is clipped is undefined",
            UserWarning,
        )
    scale = (float(max_norm) / (total + 1e-8)).clamp(max=1.0)
    for array, value, part in zip(arrays, values, parts, strict=True):
        if value is part:
            array._target.mul_(scale.to(part.device, part.dtype))
        else:
            array._target = value.with_data(part * scale.to(part.device, part.dtype))
    return float(total) if check_isfinite else wrap(total.reshape(1), arrays[0].context)


def _norm_of(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """The norm over all elements, in float32 unless some are float64."""
    for tensor in tensors:
        if not tensor.is_floating_point():
            raise ArgumentError(
                f"clip_global_norm: arrays: must be floating-point, one is {tensor.dtype}"
            )
    device = tensors[0].device
    is_double = any(tensor.dtype is torch.float64 for tensor in tensors)
    dtype = torch.float64 if is_double else torch.float32
    norms = [vector_norm(t, 2, tuple(range(t.ndim))).to(device, dtype) for t in tensors]
    return vector_norm(torch.stack(norms), 2, (0,))


# Files --------------------------------------------------------------------------------------------

_STEP = 1 << 20  # bytes that are read at once
_TIMEOUT = 60.0  # seconds without a byte


@door
def check_sha1(filename: str, sha1_hash: str) -> bool:
    """Whether the SHA-1 of a file's content is `sha1_hash`, in lower case.

    Args:
        filename: the name of the file.
        sha1_hash: hexadecimal digits.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "abc.txt")
        >>> n_bytes = path.write_bytes(b"abc")
        >>> mx.gluon.utils.check_sha1(str(path), "a9993e364706816aba3e25717850c26c9cd0d89d")
        True
    """
    return sha1_of(filename) == sha1_hash


@door
def download(
    url: str,
    path: str | None = None,
    overwrite: bool = False,
    sha1_hash: str | None = None,
    retries: int = 5,
    verify_ssl: bool = True,
) -> str:
    """Fetches a file, which is there whole or not at all.

    Args:
        url: where from, by http or https.
        path: file, or directory, to put it at; default: the current directory. What ends with a
            slash is a directory, which is made where it is missing.
        overwrite: whether a file that is there already is fetched again.
        sha1_hash: SHA-1 of its content; a file with another one is fetched again, and refused.
        retries: how often to try again.
        verify_ssl: whether the server must prove who it is; without that there is a warning.

    Returns:
        Where the file is.

    Raises:
        ArgumentError: the URL is none of http and https, or its end is no file name.
        FileError: it cannot be fetched, or is another one; the text says where to put it by hand.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "abc.txt")
        >>> n_bytes = path.write_bytes(b"abc")
        >>> sha1 = "a9993e364706816aba3e25717850c26c9cd0d89d"
        >>> url = "https://example.com/abc.txt"  # not asked: the file is there and whole
        >>> mx.gluon.utils.download(url, str(path), sha1_hash=sha1) == str(path)
        True
    """
    if retries < 0:
        raise AssertedError(f"download: retries={shown(retries)}: must be at least 0")
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        raise ArgumentError(f"download: url={shown(url)}: must be of http or https")
    target = _target_of(url, path)
    if target.exists() and not overwrite and not (sha1_hash and not check_sha1(target, sha1_hash)):  # type: ignore[arg-type]
        return str(target)
    if not verify_ssl:
        text = "Unverified HTTPS request is being made (verify_ssl=False)."
        warn_user(f"{text} The server of {without_credentials(url)} may be anybody.", UserWarning)
    target.parent.mkdir(parents=True, exist_ok=True)
    for left in range(retries, -1, -1):
        try:
            _fetch(url, target, sha1_hash, verify_ssl)
            break
        except (OSError, HTTPException, ValueError) as error:
            if isinstance(error, urllib.error.HTTPError):
                error.close()
            if left == 0 or not _may_help_to_retry(error):
                raise FileError(
                    None,
                    f"cannot be fetched from {url}: {error}. Put the file there by hand",
                    str(target),
                ) from error
            named = without_credentials(url)
            _log.warning("%s: %s; %d more attempts", named, error, left)
    return str(target)


def _target_of(url: str, path: str | None) -> Path:
    target = Path(path or "").expanduser()
    is_folder = path is None or target.is_dir() or path.endswith(("/", os.sep))
    return target / name_in_url(url) if is_folder else target


@door
def name_in_url(url: str) -> str:
    """The last part of a URL, as the name of a file.

    Raises:
        AssertedError: it would name no file, or one in another directory.
    """
    name = url.rsplit("/", 1)[-1]
    if name in ("", "..") or PureWindowsPath(name).name != name:  # of any system
        raise AssertedError(f"download: url={shown(url)} names no file: path must be given")
    return name


def _may_help_to_retry(error: Exception) -> bool:
    if isinstance(error, urllib.error.HTTPError):
        return error.code >= 500 or error.code in (408, 429)
    return not isinstance(error, ValueError)  # no URL


def _fetch(url: str, target: Path, sha1_hash: str | None, verify_ssl: bool) -> None:
    request = urllib.request.Request(_quoted(url), headers={"User-Agent": _package})
    sha1 = hashlib.sha1(usedforsecurity=False)
    with (
        _opener(verify_ssl).open(request, timeout=_TIMEOUT) as answer,
        replacing(target) as file,
    ):
        length = answer.headers.get("Content-Length")
        expected = int(length) if length and length.isdigit() else None
        received = 0
        for part in _shown_progress(answer, expected, target.name):
            file.write(part)
            sha1.update(part)
            received += len(part)
        if expected is not None and received != expected:
            raise OSError(f"{received} of {expected} bytes arrived")
        if sha1_hash and sha1.hexdigest() != sha1_hash:
            raise OSError(f"its SHA-1 is {sha1.hexdigest()}, expected {sha1_hash}")


def _quoted(url: str) -> str:
    """The URL in ASCII: other characters and spaces, which nobody may send, as their bytes."""
    return urllib.parse.quote(url, safe=string.punctuation)


def _opener(verify_ssl: bool) -> urllib.request.OpenerDirector:
    """What opens URLs of http and https, and of nothing else that a server may redirect to."""
    context = ssl.create_default_context()
    if not verify_ssl:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.UnknownHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(context=context),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


def _shown_progress(stream: BinaryIO, n_bytes: int | None, name: str) -> Iterator[bytes]:
    """The content of a stream in parts, with a bar where somebody looks."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(),
               TransferSpeedColumn())  # fmt: skip
    console = open_console(file=sys.stderr)
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(name, total=n_bytes)
        while part := stream.read(_STEP):
            progress.advance(task, len(part))
            yield part


@door
def replace_file(src: str, dst: str) -> None:
    """Move a file atomically to a path that may exist.

    Args:
        src: the name of the new file.
        dst: the name of the file to be replaced.

    Raises:
        FileError: it cannot be moved; then it is removed.

    Example:
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> n_bytes = (folder / "new").write_bytes(b"new"), (folder / "old").write_bytes(b"old")
        >>> mx.gluon.utils.replace_file(str(folder / "new"), str(folder / "old"))
        >>> (folder / "old").read_bytes()
        b'new'
    """
    try:
        os.replace(src, dst)
    except OSError as error:
        Path(src).unlink(missing_ok=True)
        raise FileError.of(error, dst) from error


def _get_repo_url() -> str:
    """Where models and data sets are fetched from, with a slash at the end."""
    url: str = env.get("MXNET_GLUON_REPO")
    return url if url.endswith("/") else f"{url}/"


def _get_repo_file_url(namespace: str, filename: str) -> str:
    """The URL of a file in a folder of the repository."""
    return f"{_get_repo_url()}{namespace}/{filename}"


# Kinds of arrays and symbols ----------------------------------------------------------------------


def _check_same_symbol_type(symbols: Sequence[Symbol]) -> type[Symbol]:
    """The class of all symbols, of which some graph is to be made: NumPy's or the classic one.

    Raises:
        ArgumentTypeError: there are some of each.
    """
    kinds = [_Symbol if isinstance(symbol, _Symbol) else Symbol for symbol in symbols]
    if len(set(kinds)) > 1:
        raise ArgumentTypeError(
            "classic symbols and NumPy's cannot be outputs of one graph: as_np_ndarray() or "
            "as_nd_ndarray() make them of one kind"
        )
    return kinds[0]


facade(__name__)
