# SPDX-License-Identifier: Apache-2.0
"""Whatever Python's readers of archives raise is told as damage of the archive."""

from __future__ import annotations

import io
import random
import zipfile

import pytest

from mxnova.core.base.errors import FormatError
from mxnova.formats.archives import unpacking


def _zip() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", bytes(range(256)) * 4)
    return content.getvalue()


def _read(content: bytes) -> bytes:
    with unpacking("x.zip", "; try again"), zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read("a")


def test_damaged_bytes():
    whole = _zip()
    assert len(_read(whole)) == 1024
    refusals = []
    for seed in range(2000):
        draw, content = random.Random(seed), bytearray(whole)
        for _ in range(draw.choice((1, 2, 4))):
            content[draw.randrange(len(content))] = draw.randrange(256)
        try:
            _read(bytes(content))
        except FormatError as error:
            refusals.append(str(error))
    assert len(refusals) > 1000
    assert all(x.startswith("x.zip: damaged: ") and x.endswith("; try again") for x in refusals)


def test_errors_of_the_system_stay():
    with pytest.raises(IsADirectoryError), unpacking("x.zip"):
        open("/")  # noqa: SIM115 - it does not


def test_errors_of_our_own_stay():
    with pytest.raises(FormatError, match="^mine$"), unpacking("x.zip"):
        raise FormatError("mine")
