# SPDX-License-Identifier: Apache-2.0
import errno
import json

import pytest

pytest.importorskip("prometheus_client")

from mxnova.serve import metrics
from mxnova.serve.metrics import Metrics


def lines(told):
    return told.text()[1].decode().splitlines()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    return tmp_path


def test_histograms_add_up_over_buckets():
    told = Metrics()
    for rows in (1, 8, 8, 1000):
        told.ran("net", 1, rows, 0.003)
    found = lines(told)
    assert 'mxnova_batch_rows_bucket{le="4.0",model="net"} 1.0' in found
    assert 'mxnova_batch_rows_bucket{le="8.0",model="net"} 3.0' in found
    assert 'mxnova_batch_rows_bucket{le="+Inf",model="net"} 4.0' in found
    assert 'mxnova_batch_rows_sum{model="net"} 1017.0' in found


def test_processes_add_up_their_numbers(folder, monkeypatch):
    for pid in (1, 2, 3):
        monkeypatch.setattr("os.getpid", lambda pid=pid: pid)
        told = Metrics()
        told.responded("/ping", "", 200, 0.1)
        told.flush()
    wanted = 'mxnova_requests_total{model="",route="/ping",status="200"} 3.0'
    assert wanted in lines(told)


def test_numbers_that_cannot_be_written_do_not_stop_requests(folder, monkeypatch, caplog):
    told = Metrics()
    told.responded("/ping", "", 200, 0.1)

    def fail(*_args, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", fail)
    for _ in range(3):
        told.responded("/ping", "", 200, 0.1)
        told.flush()
    assert caplog.text.count("metrics cannot be written") == 1
    assert 'mxnova_requests_total{model="",route="/ping",status="200"} 4.0' in lines(told)
    monkeypatch.undo()
    told.flush()
    assert json.loads(next(folder.glob("*.metrics")).read_text())


def test_names_of_models_are_bounded(monkeypatch):
    monkeypatch.setattr(metrics, "_MOST_MODELS", 2)
    told = Metrics()
    for number in range(100):
        told.ran(f"net{number}", 1, 1, 0.1)
    found = [line for line in lines(told) if line.startswith("mxnova_run_seconds_count")]
    assert found == [
        'mxnova_run_seconds_count{model="net0"} 1.0',
        'mxnova_run_seconds_count{model="net1"} 1.0',
        'mxnova_run_seconds_count{model=""} 98.0',
    ]
