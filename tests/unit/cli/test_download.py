# SPDX-License-Identifier: Apache-2.0
"""Files by their names; what is fetched, and from where, is tested beside `downloads`."""

import json
import os

import pytest

from mxnova.cli.arguments import parse
from mxnova.core.base.errors import ArgumentError
from mxnova.gluon import places
from mxnova.gluon.model_zoo import downloads


def act(*words):
    options = parse(["download", *words])
    return options.act(options)


@pytest.fixture
def fetched(monkeypatch, tmp_path):
    calls = []

    def fetch(name, root):
        calls.append((name, root, os.environ.get("MXNOVA_MIRRORS")))
        path = tmp_path / f"{name}.params"
        path.write_bytes(b"four")
        return [str(path)]

    monkeypatch.setattr(downloads, "fetch", fetch)
    monkeypatch.setenv("MXNOVA_MIRRORS", "https://example.org")
    return calls


def test_names_are_listed(capsys):
    act("--list", "--json")
    known = {row["name"]: row["about"] for row in json.loads(capsys.readouterr().out)["names"]}
    assert known == downloads.names()
    act("--list")
    assert "resnet50_v1" in capsys.readouterr().out


def test_files_are_told(fetched, capsys, tmp_path):
    act("resnet18_v1", "mnist", "--root", "there", "--json")
    found = json.loads(capsys.readouterr().out)["files"]
    assert found == [
        {"name": n, "file": str(tmp_path / f"{n}.params"), "bytes": 4}
        for n in ("resnet18_v1", "mnist")
    ]
    assert fetched == [(n, "there", "https://example.org") for n in ("resnet18_v1", "mnist")]


def test_places_come_first(fetched, capsys):
    act("mnist", "--from", "/one", "--from", "hf")
    assert fetched == [("mnist", None, "/one hf")]
    assert "mnist.params" in capsys.readouterr().out


def test_a_place_with_a_blank_is_one_place(fetched, tmp_path):
    folder = tmp_path / "my weights"
    folder.mkdir()
    act("mnist", "--from", str(folder))
    url = fetched[0][2]
    assert len(url.split()) == 1
    assert places._folder(url) == str(folder)


def test_nothing_is_fetched_where_one_name_is_wrong(fetched):
    with pytest.raises(
        ArgumentError, match=r"name='resnet18_v3': there is none; did you mean 'resnet18_v"
    ):
        act("mnist", "resnet18_v3")
    assert fetched == []


def test_a_name_must_be_given(capsys):
    with pytest.raises(SystemExit):
        act()
    assert "which? mxnova download NAME, or --list" in capsys.readouterr().err
