# SPDX-License-Identifier: Apache-2.0
"""Recipes for engines that spread rows over processes: Ray, Spark, Dask."""

from __future__ import annotations

import importlib
import os
import shutil
import sys

import numpy as np
import pytest

import mxnova as mx

from .conftest import ROWS


def recipe(name):
    return importlib.import_module(f"examples.recipes.{name}")


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray")
    pytest.importorskip("pyarrow")
    paths = os.pathsep.join(p for p in sys.path if p)
    environment = {"env_vars": {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}}
    os.environ["RAY_AUTH_MODE"] = "disabled"  # tokens lie in the home folder
    ray.init(num_cpus=4, include_dashboard=False, runtime_env=environment, log_to_driver=False)
    yield ray
    ray.shutdown()


def test_ray_data(ray, predictor, wanted):
    rows = ray.data.from_numpy(ROWS)
    found = recipe("ray_data").classified(rows, predictor).take_batch(len(ROWS))
    order = np.lexsort(ROWS.T), np.lexsort(found["data"].T)
    np.testing.assert_array_equal(found["class"][order[1]], wanted.argmax(1)[order[0]])


def test_ray_train(ray, prefix, tmp_path):
    classes = (ROWS @ np.float32([1, -2, 1, 2]) > 0).astype("int64")
    rows = ray.data.from_items([{"data": r, "class": int(c)} for r, c in zip(ROWS, classes)])
    result = recipe("ray_train").train(prefix, rows, epochs=10, storage=str(tmp_path))
    assert result.metrics["loss"] < 0.5

    def accuracy(path):
        scores = mx.open_model(path).predictor({"data": ROWS.shape}).predict(data=ROWS)
        return (scores[0].argmax(1) == classes).mean()

    with result.checkpoint.as_directory() as folder:
        assert accuracy(folder) > max(0.9, accuracy(prefix))


def test_ray_gluon(ray, tmp_path):
    x = ROWS[:64].astype("float32")
    result = recipe("ray_gluon").train(x, x @ np.float32([1, 2, 3, 4]), 200, str(tmp_path))
    with result.checkpoint.as_directory() as folder:
        weight = mx.nd.load(f"{folder}/net.params")["weight"].asnumpy()
    np.testing.assert_allclose(weight, [[1, 2, 3, 4]], atol=1e-3)


@pytest.fixture(scope="module")
def spark():
    sql = pytest.importorskip("pyspark.sql")
    pytest.importorskip("pyarrow")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.executorEnv.OMP_NUM_THREADS": "1",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = sql.SparkSession.builder.master("local[2]").config(map=settings)
        session = builder.getOrCreate()
        yield session
        session.stop()


def test_spark(spark, predictor, wanted):
    frame = spark.createDataFrame([(row.tolist(),) for row in ROWS], "data array<float>")
    scores_of = recipe("spark").scores_of(predictor, features=4, batch_size=32)
    rows = frame.repartition(3).select("data", scores_of("data").alias("scores")).collect()
    found = {tuple(np.float32(row.data)): row.scores for row in rows}
    np.testing.assert_allclose([found[tuple(row)] for row in ROWS], wanted, rtol=1e-5)


def test_dask(predictor, wanted):
    distributed = pytest.importorskip("distributed")
    array = pytest.importorskip("dask.array")
    rows = array.from_array(ROWS, chunks=(64, 2))
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, cluster.get_client():
        scores = recipe("dask_arrays").scores_of(rows, predictor, classes=3)
        assert scores.shape == wanted.shape
        np.testing.assert_allclose(scores.compute(), wanted, rtol=1e-5)
