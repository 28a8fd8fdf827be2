# SPDX-License-Identifier: Apache-2.0
"""Compressed files of others: zip, tar and gzip, as Python's library reads them."""

from __future__ import annotations

import contextlib
import errno
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator

from mxnova.core.base.errors import FormatError, MXNetError

__all__ = ["unpacking"]

# RuntimeError: a password is needed; NotImplementedError: an unknown compression.
_REASONS = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, struct.error,
    EOFError, KeyError, RuntimeError, ValueError,
)  # fmt: skip
_OF_BYTES = (None, errno.EINVAL)  # gzip's own errors; places before the beginning of the file


@contextlib.contextmanager
def unpacking(archive: str, advice: str = "") -> Iterator[None]:
    """A block that reads the compressed file `archive`.

    Args:
        archive: what errors call it.
        advice: what to do about one that is damaged.

    Raises:
        FormatError: a library stumbled over its bytes.
        OSError: a file cannot be read or written.
    """
    try:
        yield
    except MXNetError:
        raise
    except (OSError, *_REASONS) as error:
        if isinstance(error, OSError) and error.errno not in _OF_BYTES:
            raise
        raise FormatError(f"{archive}: damaged: {error}{advice}") from None
