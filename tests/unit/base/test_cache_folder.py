# SPDX-License-Identifier: Apache-2.0
import os

from mxnova.core.base.cache_folder import cache_folder


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.delenv("MXNOVA_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "mxnova"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == type(tmp_path)(os.path.expanduser("~/.cache/mxnova"))
