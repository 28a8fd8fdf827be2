# SPDX-License-Identifier: Apache-2.0
"""The elements of a data set: records that are read and decoded, without those that are broken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..core.base.errors import FileError, FormatError, MXNetError
from .broken import BrokenRecords
from .decoders import Decoder
from .files import RecordFiles

__all__ = ["RecordReader"]


class RecordReader:
    """Reads elements by their numbers.

    Args:
        files: where the records are.
        decode: what becomes of a record.
        broken: what is known to be broken.
    """

    def __init__(self, files: RecordFiles, decode: Decoder, broken: BrokenRecords) -> None:
        self.files, self.broken = files, broken
        self._decode = decode

    def __len__(self) -> int:
        return len(self.files)

    def element(self, number: int) -> Any:
        """The element of a record.

        Raises:
            FormatError: it is broken; a function that decodes may raise other errors.
        """
        record = self.files.read(number)
        try:
            return self._decode(record)
        except MXNetError as error:
            raise FormatError(f"{self.files.named(number)}: {error}") from None

    def whole(self, numbers: Iterable[int]) -> Iterator[Any]:
        """The elements of records, without those that are broken, which are noted.

        Raises:
            FormatError: more are broken than may be.
            FileError: a file cannot be read: a disk or a network fails, the record may be whole.
        """
        for number in numbers:
            try:
                element = self.element(number)
            except FileError:
                raise
            except (MXNetError, ValueError, OSError) as error:
                self.broken.add(number, error)
                continue
            yield element
