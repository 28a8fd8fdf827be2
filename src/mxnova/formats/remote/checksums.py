# SPDX-License-Identifier: Apache-2.0
"""Checksums that stores have of whole objects."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from typing import Any

from .failures import AnswerError

__all__ = ["Checksum", "of_headers", "of_info", "of_s3", "verify"]

Checksum = tuple[str, bytes]  # the name of an algorithm of hashlib, the digest

_LENGTHS = {"sha512": 64, "sha256": 32, "md5": 16}
_NAMED = re.compile(r"(?:^|[,\s])(sha-?512|sha-?256|md5)=:?([A-Za-z0-9+/]+={0,2}):?", re.IGNORECASE)


def of_headers(headers: Mapping[str, str], is_whole: bool) -> Checksum | None:
    """What a server says of the object; `Content-MD5` is about the body alone."""
    found = {}
    for name in ("Repr-Digest", "Digest", "x-goog-hash"):
        for algorithm, text in _NAMED.findall(headers.get(name, "")):
            found[algorithm.lower().replace("-", "")] = text
    if is_whole and "Content-MD5" in headers:
        found["md5"] = headers["Content-MD5"]
    return _strongest(found)


def of_info(info: Mapping[str, Any]) -> Checksum | None:
    """What a store says of an object: Google's `md5Hash`, Azure's `content_settings`."""
    settings = info.get("content_settings")
    md5 = info.get("md5Hash") or getattr(settings, "content_md5", None)
    if isinstance(md5, (bytes, bytearray)):
        return ("md5", bytes(md5)) if len(md5) == _LENGTHS["md5"] else None
    return _strongest({"md5": md5}) if isinstance(md5, str) else None


def of_s3(head: Mapping[str, Any]) -> Checksum | None:
    """What S3's HeadObject says: a SHA-256 that was asked for, or an ETag that is an MD5.

    It is one of what was not written in parts, nor encrypted with a key of the user's.
    """
    if "ChecksumSHA256" in head:
        return _strongest({"sha256": head["ChecksumSHA256"]})
    is_plain = head.get("ServerSideEncryption", "AES256") == "AES256"
    etag = str(head.get("ETag", "")).strip('"')
    if is_plain and "SSECustomerAlgorithm" not in head and re.fullmatch("[0-9a-f]{32}", etag):
        return "md5", bytes.fromhex(etag)
    return None


def _strongest(found: Mapping[str, str]) -> Checksum | None:
    for algorithm, length in _LENGTHS.items():
        try:
            digest = base64.b64decode(found.get(algorithm, ""), validate=True)
        except (binascii.Error, ValueError):
            continue
        if len(digest) == length:
            return algorithm, digest
    return None


def verify(content: bytes | bytearray, checksum: Checksum | None) -> None:
    """Compares the content of an object with what its store says of it.

    Raises:
        AnswerError: they differ.
    """
    if checksum is None:
        return
    algorithm, expected = checksum
    found = hashlib.new(algorithm, content, usedforsecurity=False).digest()
    if found != expected:
        text = f"{algorithm} {found.hex()}, the store says {expected.hex()}"
        raise AnswerError(f"the bytes have another checksum: {text}")
