# SPDX-License-Identifier: Apache-2.0
import errno
import os

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import ArgumentError
from mxnova.formats import safetensors
from mxnova.predictor import Predictor, compiled_cache

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
RNG = np.random.default_rng(2)


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """A checkpoint, and a cache folder of its own."""
    monkeypatch.setenv("MXNOVA_CACHE", str(tmp_path / "cache"))
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    arrays = {"fc_weight": mx.nd.array(RNG.normal(size=(3, 4))), "fc_bias": mx.nd.ones((3,))}
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, symbol, arrays, {})
    return str(tmp_path / "net")


def made(saved, **options):
    options = {"backend": "onnxruntime", "cache": True, **options}
    return Predictor.from_checkpoint(saved, 0, {"data": (1, 4)}, **options)


def test_it_is_compiled_once(saved, monkeypatch):
    x = RNG.normal(size=(1, 4)).astype("f")
    wanted = made(saved, backend="aten", cache=False).predict(data=x)[0]
    np.testing.assert_allclose(made(saved).predict(data=x)[0], wanted, atol=1e-5)
    monkeypatch.setattr(compiled_cache.CompiledRequest, "write", None)
    again = made(saved)
    np.testing.assert_allclose(again.predict(data=x)[0], wanted, atol=1e-5)
    assert again.predict(data=np.ones((5, 4), "f"))[0].shape == (5, 3)


def test_the_files_content_decides(saved, tmp_path):
    x = np.ones((1, 4), "f")
    before = made(saved).predict(data=x)[0]
    arrays = {"fc_weight": mx.nd.zeros((3, 4)), "fc_bias": mx.nd.ones((3,))}
    symbol = mx.sym.load(f"{saved}-symbol.json")
    mx.model.save_checkpoint(saved, 0, symbol, arrays, {})
    assert not np.array_equal(made(saved).predict(data=x)[0], before)
    assert len(list((tmp_path / "cache" / "compiled").iterdir())) == 2
    given = Predictor(
        symbol,
        mx.nd.load(f"{saved}-0000.params"),
        {"data": (1, 4)},
        backend="onnxruntime",
        cache=True,
    )
    np.testing.assert_array_equal(given.predict(data=x)[0], [[1, 1, 1]])


def test_a_damaged_file_is_made_again(saved, tmp_path):
    made(saved)
    (path,) = (tmp_path / "cache" / "compiled").iterdir()
    content = path.read_bytes()
    for broken in (b"", content[:-1], content[:-1] + b"\xff"):
        path.write_bytes(broken)
        assert made(saved).predict(data=np.ones((1, 4), "f"))[0].shape == (1, 3)
        assert path.read_bytes() == content


def test_what_is_no_compiled_model_of_the_runtime_is_made_again(saved, tmp_path, caplog):
    made(saved)
    (path,) = (tmp_path / "cache" / "compiled").iterdir()
    content = path.read_bytes()
    for old, new in (
        (b'onnxruntime\\"', b'openvino\\"   '),  # another runtime
        (b'\\"version\\": 2', b'\\"version\\": 9'),  # a later format
        (b"Gemm", b"Gemx"),
    ):
        assert content.count(old)
        path.write_bytes(content.replace(old, new))
        assert made(saved).predict(data=np.ones((1, 4), "f"))[0].shape == (1, 3)
        assert path.read_bytes() == content
    assert caplog.text.count("compiled again") == 3


def no_folder(folder, monkeypatch):
    folder.write_text("a file")


def read_only(folder, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anything


def full(folder, monkeypatch):
    write = safetensors.write

    def fail(path, *content):
        if folder in path.parents:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(path, *content)

    monkeypatch.setattr(safetensors, "write", fail)


def squatted(folder, monkeypatch):
    monkeypatch.setattr(compiled_cache.CompiledRequest, "key", lambda _: "key")
    (folder / "compiled" / "key.mxnova").mkdir(parents=True)


@pytest.mark.parametrize("spoil", [no_folder, read_only, full, squatted])
def test_a_model_runs_where_the_cache_cannot_be_written(
    saved, tmp_path, monkeypatch, caplog, spoil
):
    wanted = made(saved, backend="aten", cache=False).predict(data=np.ones((1, 4), "f"))[0]
    spoil(tmp_path / "cache", monkeypatch)
    found = made(saved).predict(data=np.ones((1, 4), "f"))[0]
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    assert "the compiled model is not kept" in caplog.text


@pytest.mark.parametrize(
    "options, fact",
    [
        ({"backend": None}, "backend=None"),
        ({"backend": "aten"}, "'onnxruntime' or 'openvino'"),
        ({"precision": "bfloat16"}, "precision=bfloat16"),
        ({"ctx": "gpu(0)"}, "ctx=gpu"),
    ],
)
def test_options_that_do_not_go_together(saved, options, fact):
    with pytest.raises(ArgumentError) as error:
        made(saved, **options)
    assert fact in str(error.value)
