# SPDX-License-Identifier: Apache-2.0
import asyncio
import gc
import os
import weakref

import pytest

pytest.importorskip("uvicorn")


@pytest.mark.parametrize("is_own", ["0", "1"])
def test_a_model_that_is_unloaded_is_freed(sources, monkeypatch, is_own):
    """In a process of the server's own, too, where what stays is not looked through again."""
    from mxnova.serve import Settings
    from mxnova.serve.metrics import Metrics
    from mxnova.serve.repository import Repository

    monkeypatch.setenv("MXNOVA_TUNE_PROCESS", is_own)
    gc.unfreeze()
    first = gc.get_freeze_count()
    repository = Repository(Settings({"dense": sources["dense"]}), Metrics())

    async def test():
        assert (gc.get_freeze_count() > first) == (is_own == "1")
        predictor = (await repository.get("dense")).model.predictor
        predictor.itself = predictor  # a cycle, as some graphs have
        predictor = weakref.ref(predictor)
        gc.disable()
        try:
            await repository.unload("dense")
        finally:
            gc.enable()
        assert predictor() is None

    repository.start()
    try:
        asyncio.run(test())
    finally:
        repository.close()
        gc.unfreeze()


@pytest.mark.parametrize("name, value, reason", [
    ("ctx", "gpu(7)", r"gpu\(7\): this machine has"), ("backend", "nosuch", "'nosuch'"),
])  # fmt: skip
def test_models_of_the_root_run_where_the_server_is_told(models, tmp_path, name, value, reason):
    from mxnova.serve import Settings
    from mxnova.serve.errors import Refused
    from mxnova.serve.metrics import Metrics
    from mxnova.serve.repository import Repository

    for ending in ("symbol.json", "0001.params"):
        os.link(models / f"dense-{ending}", tmp_path / f"dense-{ending}")
    (tmp_path / "dense-shapes.json").write_text('[{"name": "data", "shape": [1, 4]}]')
    repository = Repository(Settings({}, root=tmp_path, **{name: value}), Metrics())
    try:
        with pytest.raises(Refused, match=reason):
            asyncio.run(repository.load("dense"))
    finally:
        repository.close()
