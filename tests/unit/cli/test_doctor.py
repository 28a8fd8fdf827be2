# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from mxnova.cli.arguments import parse
from mxnova.cli.doctor import settings, versions


@pytest.fixture
def report(monkeypatch, capsys, tmp_path):
    """What doctor says as JSON, with variables of the environment."""
    for name in ("MXNOVA_CACHE", "MXNET_HOME"):
        monkeypatch.setenv(name, str(tmp_path))

    def run(**given):
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        options = parse(["doctor", "--json"])
        status = options.act(options)
        found = json.loads(capsys.readouterr().out)
        assert status == int(bool(found["findings"]))
        return found

    return run


def findings(report):
    return {row["what"]: row["remedy"] for row in report["findings"]}


def test_all_is_there(report, capsys):
    found = report(OMP_NUM_THREADS="1")
    packages = {row["package"]: row["version"] for row in found["versions"]}
    assert {"Python", "mxnova", "numpy", "torch", "rich", "onnxruntime"} <= packages.keys()
    assert not {"pytest", "sphinx"} & packages.keys()
    backends = {row["backend"]: row["usable"] for row in found["backends"]}
    assert backends["aten"] == "yes"
    assert backends.keys() >= {"onednn", "openvino", "onnxruntime", "inductor", "cudagraph"}
    assert found["threads"]["cores"] >= found["threads"]["usable"] >= 1
    assert found["processor"]["name"]
    assert {row["cache"] for row in found["caches"]} >= {"downloaded models and data"}
    options = parse(["doctor"])
    options.act(options)
    assert "torch" in capsys.readouterr().out


def test_variables_that_do_nothing_or_cannot_be_read(report):
    found = report(
        MXNOVA_CAHCE="x", MXNOVA_FUSE="maybe", MXNET_RANDOMS="x", MXNET_CUDNN_LIB_CHECKING="0",
        MXNOVA_JOB_SECRET="abcdef",
    )  # fmt: skip
    told = findings(found)
    assert told["MXNOVA_CAHCE: mxnova reads no such variable; did you mean 'MXNOVA_CACHE'?"] == (
        "unset MXNOVA_CAHCE"
    )
    assert any("MXNOVA_FUSE='maybe'" in what for what in told)
    assert any("MXNET_RANDOMS" in what for what in told)
    assert not any("CUDNN" in what for what in told)
    assert "abcdef" not in json.dumps(found)


def test_urls_are_shown_without_passwords(report):
    found = report(MXNOVA_MIRRORS="https://me:word@example.org/x?sig=abc")
    shown = {row["variable"]: row["value"] for row in found["variables"]}
    assert shown["MXNOVA_MIRRORS"] == "https://example.org/x"


def test_a_cache_that_cannot_be_written_to(report, tmp_path):
    (tmp_path / "file").write_text("")
    told = findings(report(MXNOVA_CACHE=str(tmp_path / "file" / "cache")))
    assert any("export MXNOVA_CACHE=FOLDER" in remedy for remedy in told.values())


@pytest.mark.parametrize(
    "requirement, version, finding",
    [
        ("torch>=2.6", "2.5.1+cpu", "torch 2.5.1+cpu is older"),
        ("torch>=2.6", "2.10.0", None),
        ("torch>=2.6", None, "torch is not installed"),
        ('onnx>=1.16; extra == "onnx"', "1.9", "onnx 1.9 is older"),
        ('onnx>=1.16; extra == "onnx"', None, None),
        ('sphinx>=7; extra == "docs"', "1", None),
        ('cuda-bindings[all]>=12.6; extra == "rtc"', "12.6", None),
    ],
)
def test_versions(requirement, version, finding, monkeypatch):
    monkeypatch.setattr(versions.importlib.metadata, "requires", lambda name: [requirement])
    monkeypatch.setattr(versions, "_version", lambda name: version)
    told = [found.what for found in versions.packages()[1]]
    assert bool(told) == (finding is not None)
    assert finding is None or told[0].startswith(finding)


def test_sizes_of_folders(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(bytes(5))
    assert settings._size(tmp_path) == 5
    assert settings._size(tmp_path / "none") == 0
