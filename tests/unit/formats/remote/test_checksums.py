# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import base64
import hashlib
from types import SimpleNamespace

import pytest

from mxnova.formats.remote.checksums import of_headers, of_info, of_s3, verify
from mxnova.formats.remote.failures import AnswerError

CONTENT = b"content"
MD5, SHA = (hashlib.new(name, CONTENT).digest() for name in ("md5", "sha256"))
MD5_TEXT, SHA_TEXT = (base64.b64encode(digest).decode() for digest in (MD5, SHA))


@pytest.mark.parametrize(
    ("headers", "is_whole", "expected"),
    [
        ({}, True, None),
        ({"Repr-Digest": f"sha-256=:{SHA_TEXT}:, md5=:{MD5_TEXT}:"}, False, ("sha256", SHA)),
        ({"Digest": f"MD5={MD5_TEXT},SHA-256={SHA_TEXT}"}, False, ("sha256", SHA)),
        ({"x-goog-hash": f"crc32c=AAAAAA==, md5={MD5_TEXT}"}, False, ("md5", MD5)),
        ({"Content-MD5": MD5_TEXT}, True, ("md5", MD5)),
        ({"Content-MD5": MD5_TEXT}, False, None),  # of a part
        ({"Content-MD5": "no base64"}, True, None),
        ({"Repr-Digest": f"sha-256=:{MD5_TEXT}:"}, True, None),  # too short
    ],
)
def test_headers(headers, is_whole, expected):
    assert of_headers(headers, is_whole) == expected


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({}, None),
        ({"md5Hash": MD5_TEXT}, ("md5", MD5)),
        ({"content_settings": SimpleNamespace(content_md5=bytearray(MD5))}, ("md5", MD5)),
        ({"content_settings": SimpleNamespace(content_md5=None)}, None),
        ({"md5Hash": 3}, None),
    ],
)
def test_what_stores_know(info, expected):
    assert of_info(info) == expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ({"ETag": f'"{MD5.hex()}"'}, ("md5", MD5)),
        ({"ETag": f'"{MD5.hex()}"', "ServerSideEncryption": "AES256"}, ("md5", MD5)),
        ({"ETag": f'"{MD5.hex()}"', "ServerSideEncryption": "aws:kms"}, None),
        ({"ETag": f'"{MD5.hex()}"', "SSECustomerAlgorithm": "AES256"}, None),
        ({"ETag": f'"{MD5.hex()}-2"'}, None),  # of an upload in parts
        ({"ChecksumSHA256": SHA_TEXT, "ETag": "x"}, ("sha256", SHA)),
        ({"ChecksumSHA256": f"{SHA_TEXT}-2"}, None),
    ],
)
def test_what_s3_knows(head, expected):
    assert of_s3(head) == expected


def test_verification():
    for checksum in (None, ("md5", MD5), ("sha256", SHA)):
        verify(CONTENT, checksum)
        if checksum:
            with pytest.raises(AnswerError, match=f"the store says {checksum[1].hex()}"):
                verify(b"other", checksum)
