# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from mxnova.cli.arguments import parse
from mxnova.cli.serve import settings_of
from mxnova.core.base.errors import ArgumentError


def settings(*arguments):
    return settings_of(parse(["serve", *arguments]))


def test_options_become_settings():
    found = settings("a=x/net", "y/other.mxnova", "-s", "data=N,3", "--epoch", "4", "--mean", "1,2,3",
                     "--port", "0", "--max-delay", "0.5", "--workers", "2",
                     "--model-root", "z", "--ctx", "gpu", "--backend", "aten")  # fmt: skip
    assert list(found.models) == ["a", "other"]
    source = found.models["a"]
    assert (source.path, source.epoch) == ("x/net", 4)
    assert (source.ctx, source.backend) == (found.ctx, found.backend) == ("gpu", "aten")
    assert source.shapes == {"data": ("N", 3)}
    assert source.preprocessing == {"mean": "1,2,3"}
    assert (found.port, found.max_delay, found.workers, found.host) == (0, 0.5, 2, "127.0.0.1")


def test_addresses_come_from_the_environment_unless_they_are_told(monkeypatch):
    monkeypatch.setenv("MXNOVA_SERVE_HOST", "0.0.0.0")
    assert settings("net").host == "0.0.0.0"
    assert settings("net", "--host", "::1").host == "::1"


SAGEMAKER = {
    "SAGEMAKER_BIND_TO_PORT": ("port", "9000", 9000),
    "SAGEMAKER_MODEL_SERVER_WORKERS": ("workers", "3", 3),
    "SAGEMAKER_MODEL_SERVER_TIMEOUT": ("timeout", "20", 20),
    "SAGEMAKER_MAX_PAYLOAD_IN_MB": ("max_request_bytes", "2", 2 << 20),
}


@pytest.mark.parametrize("variable", SAGEMAKER)
def test_variables_of_sagemaker_stand_for_options(monkeypatch, variable):
    field, text, value = SAGEMAKER[variable]
    monkeypatch.setenv(variable, text)
    assert getattr(settings("net"), field) == value
    option = "--" + field.replace("_", "-")
    assert getattr(settings("net", option, "7"), field) == 7
    monkeypatch.setenv(variable, "many")
    with pytest.raises(ArgumentError, match=variable):
        settings("net")


def test_sagemaker_says_where_models_are(monkeypatch):
    monkeypatch.setenv("SM_MODEL_DIR", "/somewhere/model")
    assert settings().models["model"].path == "/somewhere/model"
    assert list(settings("net").models) == ["net"]
    monkeypatch.setenv("SAGEMAKER_MULTI_MODEL", "true")
    found = settings()
    assert (found.models, found.root) == ({}, Path("/opt/ml/models"))


@pytest.mark.parametrize(
    "arguments, reason",
    [
        ((), "which models"),
        (("a=x", "a=y"), "two models 'a'"),
        (("=x",), "must be NAME=MODEL"),
        (("x", "--workers", "0"), "--workers=0"),
        (("x", "--max-batch", "-1"), "--max-batch=-1"),
        (("x", "--max-batch", "257"), "at most 256"),
        (("x", "--port", "65536"), "--port=65536"),
        (("x", "--timeout", "nan"), "--timeout=nan"),
        (("x", "--max-delay", "61"), "--max-delay=61"),
        (("x", "-s", "data"), "--shape data"),
        (("x", "--mean", "1,2"), "--mean"),
        (("x", "--size", "1"), "--size"),
    ],
)
def test_options_that_cannot_be_used_are_named(arguments, reason):
    with pytest.raises(ArgumentError, match=reason):
        settings(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize("package", ["starlette", "uvicorn", "httptools", "prometheus_client"])
def test_packages_that_are_not_installed_are_named(mxnova, package):
    program = f"import sys; sys.modules[{package!r}] = None; import mxnova.cli as c; c.main()"
    done = mxnova.python("-c", program, "serve", "net")
    assert done.returncode == 1
    assert "pip install 'mxnova[serve]'" in done.stderr
