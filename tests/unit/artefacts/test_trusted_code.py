# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.artefacts import trusted_code
from mxnova.core.base.errors import ArgumentError


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache folder of its own."""
    monkeypatch.setenv("MXNOVA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("name", ["net.py", "net.pt2"])
def test_read_code_accepts_only_files_that_were_remembered_and_stayed_unchanged(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"x = 1\n")
    with pytest.raises(ArgumentError, match="this installation did not write it: give --trust"):
        trusted_code.read_code(str(path), trust=False)
    assert trusted_code.read_code(str(path), trust=True) == b"x = 1\n"
    trusted_code.remember_code(str(path))
    assert trusted_code.read_code(str(path), trust=False) == b"x = 1\n"
    path.write_bytes(b"x = 2\n")
    assert not trusted_code.is_own_code(str(path))
    with pytest.raises(ArgumentError, match="--trust"):
        trusted_code.read_code(str(path), trust=False)


def test_remember_code_ignores_files_that_contain_no_code(tmp_path, cache):
    (tmp_path / "net.onnx").write_bytes(b"x")
    trusted_code.remember_code(str(tmp_path / "net.onnx"))
    assert not cache.exists()


def test_files_stay_foreign_without_a_usable_cache_folder(tmp_path, cache, monkeypatch):
    path = tmp_path / "net.py"
    path.write_bytes(b"x = 1\n")
    cache.write_bytes(b"")  # a file in place of the folder
    trusted_code.remember_code(str(path))
    assert not trusted_code.is_own_code(str(path))

    def fail():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(trusted_code, "cache_folder", fail)
    trusted_code.remember_code(str(path))
    assert not trusted_code.is_own_code(str(path))


def test_code_file_finds_the_python_file_beside_weights(tmp_path):
    weights, source = str(tmp_path / "net.safetensors"), tmp_path / "net.py"
    assert trusted_code.code_file(weights) is None
    source.write_text("")
    assert trusted_code.code_file(weights) == str(source)
    assert trusted_code.code_file("net.onnx") is None
    assert trusted_code.code_file("net.pt2") == "net.pt2"
