# SPDX-License-Identifier: Apache-2.0
import asyncio
import gc
import os
import threading
import weakref

import numpy as np
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


@pytest.fixture
def root(models, tmp_path):
    """A folder with a model for each of some names."""
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        for ending in ("symbol.json", "0001.params"):
            os.link(models / f"dense-{ending}", tmp_path / name / f"net-{ending}")
        (tmp_path / name / "net-shapes.json").write_text('[{"name": "data", "shape": [1, 4]}]')
    return tmp_path


def run(test, **changed):
    """Run an asynchronous test with a repository."""
    from mxnova.serve import Settings
    from mxnova.serve.metrics import Metrics
    from mxnova.serve.repository import Repository

    async def main():
        repository = Repository(Settings(changed.pop("models", {}), **changed), Metrics())
        repository.start()
        try:
            await test(repository)
        finally:
            repository.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    "path, status",
    [("\0", 400), ("a\0b", 400), ("\ud800", 400), ("a\udcff", 400), ("\x1b[31m", 400), ("a\nb", 400),
     ("\x85", 400), ("x" * 5000, 400), ("x/" * 3000, 400), ("loop", 400), ("../..", 403), ("", 403), ("no", 400)],
)  # fmt: skip
def test_load_refuses_impossible_paths(root, caplog, path, status):
    from mxnova.serve.errors import Refused

    (root / "loop").symlink_to(root / "loop")

    async def test(repository):
        with pytest.raises(Refused) as caught:
            await repository.load("x", f"{root}/{path}")
        assert caught.value.status == status
        assert caught.value.text.isprintable()

    run(test, root=root)
    assert all(record.getMessage().isprintable() for record in caplog.records)


def test_load_refuses_more_models_than_allowed(root):
    from mxnova.serve.errors import Refused

    async def test(repository):
        for name in ("a", "b", "a"):
            await repository.load(name)
        with pytest.raises(Refused, match="2 models are loaded; unload one") as caught:
            await repository.load("c")
        assert caught.value.status == 507
        await repository.unload("a")
        await repository.load("c")

    run(test, root=root, max_models=2)


def test_loads_are_bounded_in_number_and_time_and_do_not_delay_requests(root, sources, monkeypatch):
    from mxnova.serve import repository as module
    from mxnova.serve.errors import Refused

    may_end = threading.Event()
    load = module.load

    async def test(repository):
        monkeypatch.setattr(module, "load", lambda *given: may_end.wait(60) and load(*given))
        loads = [asyncio.ensure_future(repository.load("abc"[i % 3])) for i in range(8)]
        await asyncio.sleep(0)
        with pytest.raises(Refused, match="8 models are being loaded") as caught:
            await repository.load("a")
        assert caught.value.status == 503
        served = await repository.get("dense")
        fed = served.fit({"data": np.ones((1, 4), np.float32)})
        assert (await served.submit(fed, lambda n_bytes: None))[0].shape == (1, 3)
        results = await asyncio.gather(*loads, return_exceptions=True)
        assert all(isinstance(result, Refused) for result in results)
        assert {result.status for result in results} <= {503, 504}
        may_end.set()

    run(test, models={"dense": sources["dense"]}, root=root, load_timeout=0.1)


def test_a_list_of_models_that_cannot_be_written_is_no_fault(root, monkeypatch):
    from mxnova.serve.errors import Refused

    def fail(*_args):
        raise OSError(28, "No space left on device")

    async def test(repository):
        monkeypatch.setattr(repository._state, "reload", fail)
        with pytest.raises(Refused, match="list of models") as caught:
            await repository.load("a")
        assert caught.value.status == 507

    run(test, root=root)
