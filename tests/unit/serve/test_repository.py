# SPDX-License-Identifier: Apache-2.0
import asyncio
import gc
import weakref

import pytest

pytest.importorskip("uvicorn")


def test_a_model_that_is_unloaded_is_freed(sources):
    from mxnova.serve import Settings
    from mxnova.serve.metrics import Metrics
    from mxnova.serve.repository import Repository

    repository = Repository(Settings({"dense": sources["dense"]}), Metrics())

    async def test():
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
