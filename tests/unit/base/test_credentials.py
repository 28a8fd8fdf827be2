# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.core.base.credentials import without_credentials
from mxnova.core.base.errors import ArgumentError, FileError, MXNetError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("s3://bucket/a: gone", "s3://bucket/a: gone"),
        ("at http://user:word@host/a?b=c, twice", "at http://host/a twice"),
        ("'https://host/a?X-Sig=1#part' 'ftp://u@h'", "'https://host/a' 'ftp://h'"),
        ("zip://a::https://h/a.zip?k", "zip://a::https://h/a.zip"),
        ("a@b ? c", "a@b ? c"),
        ("http://user:w@rd@host/a@b", "http://host/a@b"),
    ],
)
def test_urls_in_texts(text, expected):
    assert without_credentials(text) == expected


def test_errors_have_none():
    url = "https://name:word@host/a?word"
    errors = [MXNetError(url), ArgumentError(f"f: {url}"), FileError(2, url, url)]
    assert all("word" not in f"{error} {error!r}" for error in errors)
