# SPDX-License-Identifier: Apache-2.0
"""Which paths are URLs, and what importing them costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import mxnova as mx
from mxnova.core.base.errors import FileError, MXNetError
from mxnova.formats.remote.urls import is_remote, local_path
from mxnova.formats.source import Source, read_file


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("s3://bucket/a.params", True),
        ("HTTPS://host/a", True),
        ("memory://a", True),
        ("simplecache::s3://bucket/a", True),
        ("zip://a.params::s3://bucket/a.zip", True),
        ("file:///tmp/a", False),
        ("a.params", False),
        ("C://a.params", False),
        ("C:\\a.params", False),
        ("folder/s3://a", False),
        ("a::b", False),
        ("://a", False),
        ("", False),
        (Path("s3://bucket/a"), False),
        (b"s3://bucket/a", False),
        (3, False),
    ],
)
def test_urls(path, expected):
    assert is_remote(path) is expected


def test_a_url_of_a_local_file(tmp_path):
    path = tmp_path / "a.params"
    url = f"file://{path}"
    mx.nd.save(url, [mx.nd.ones((2,))])
    assert local_path(url) == str(path) and path.exists()
    assert mx.nd.load(url)[0].shape == (2,)
    assert local_path(f"file://localhost{path}") == str(path)


@pytest.mark.slow
def test_local_files_need_no_fsspec(tmp_path):
    (tmp_path / "file").write_bytes(b"content")
    program = (
        "import sys; from mxnova.formats.source import read_file; from mxnova import recordio;"
        f"assert read_file({str(tmp_path / 'file')!r}) == b'content';"
        "print(sorted({'fsspec', 'aiohttp', 'mxnova.formats.remote.stores'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stdout.strip() == "[]", found.stderr


@pytest.mark.parametrize(
    ("package", "url", "text"),
    [
        ("fsspec", "s3://bucket/a", "fsspec is not installed: pip install 'mxnova[remote]'"),
        ("aiohttp", "http://host/a", "aiohttp is not installed: pip install 'mxnova[remote]'"),
        ("s3fs", "s3://bucket/a", "s3fs is not installed: pip install 'mxnova[remote]' s3fs"),
        ("gcsfs", "gs://bucket/a", "gcsfs is not installed: pip install 'mxnova[remote]' gcsfs"),
    ],
)
def test_packages_that_are_missing(monkeypatch, package, url, text):
    import importlib

    if package != "fsspec":
        pytest.importorskip("fsspec")
        for name in ("fsspec.registry",):
            registry = importlib.import_module(name)._registry
            for scheme in ("s3", "gs", "http"):
                monkeypatch.delitem(registry, scheme, raising=False)
    else:
        monkeypatch.setitem(sys.modules, "fsspec.core", None)
    monkeypatch.setitem(sys.modules, package, None)
    for module in ("http", "https"):
        monkeypatch.delitem(sys.modules, f"fsspec.implementations.{module}", raising=False)
    with pytest.raises(MXNetError, match="is not installed") as caught:
        read_file(url)
    assert text in str(caught.value)


def test_a_store_that_nobody_knows():
    pytest.importorskip("fsspec")
    with pytest.raises(FileError, match="Protocol not known: nowhere"):
        Source("nowhere://host/a")


def test_names_in_messages_have_no_secrets(memory):
    from mxnova.formats.atomic import replacing

    url = f"{memory}/a?signature=secret"
    with replacing(url) as file:
        file.write(b"content")
    assert Source(url).name == f"{memory}/a"
    with pytest.raises(MXNetError) as caught:
        mx.nd.load(url)
    assert "secret" not in str(caught.value)
