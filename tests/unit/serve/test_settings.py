# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.serve.settings import ModelSource, Settings


@pytest.mark.parametrize(
    ("cores", "workers", "threads", "share"),
    [(2, 1, 1, 2), (2, 1, 2, 1), (2, 2, 2, 1), (16, 1, 2, 8), (16, 3, 1, 5), (1, 1, 1, 1)],
)
def test_runs_that_go_at_once_have_equal_shares_of_the_cores(
    monkeypatch, cores, workers, threads, share
):
    monkeypatch.setattr("mxnova.core.base.cores.usable_cores", lambda: cores)
    settings = Settings({"net": ModelSource("net")}, workers=workers, threads=threads)
    assert settings.cores_of_run == share
