# SPDX-License-Identifier: Apache-2.0
import json
import os

import pytest

from mxnova.cli.launch.report import Report
from mxnova.core.base.errors import FileError

ROW = {"steps": 9, "own_median": 0.01, "own_p95": 0.02, "step_median": 0.05, "step_p95": 0.06}


def told(**changes):
    return json.dumps(ROW | changes).encode()


def test_the_slowest_is_named_and_written(tmp_path, capsys):
    report = Report(False, tmp_path / "times.json")
    report.add(0, {0: told(), 2: told(own_median=0.03), 1: told()})
    report.add(1, {0: told()})
    shown = capsys.readouterr().err
    assert "the slowest is worker 2, 20.00 ms a step behind the median of all" in shown
    assert "attempt 1" in shown
    first, second = json.loads((tmp_path / "times.json").read_text())["attempts"]
    assert (first["slowest"], first["attempt"], second["attempt"]) == (2, 0, 1)
    assert first["behind"] == pytest.approx(0.02)
    assert first["workers"][2] == {"rank": 2, **ROW, "own_median": 0.03}


def test_a_file_that_cannot_be_written_is_told_at_once(tmp_path):
    with pytest.raises(FileError, match="times.json"):
        Report(False, tmp_path / "no" / "times.json")
    Report(False, tmp_path / "times.json")
    assert json.loads((tmp_path / "times.json").read_text()) == {"attempts": []}


HOSTILE = (b"", b"\xff", b"[]", b"1", b"{}", told(steps=0), told(steps=1.5), told(steps=True),
           told(own_p95="1"), told(own_p95=-1), told(own_p95=1e99), b'{"steps": NaN}',
           b"[" * 999, told() + b" " * 10**6 + b"x")  # fmt: skip


def test_what_is_no_report_is_left_out(capsys):
    report = Report(True, None)
    report.add(0, dict(enumerate(HOSTILE[:-1])))
    assert capsys.readouterr().err == ""
    report.add(0, {0: HOSTILE[-1], 1: told()})
    assert "worker 1" in capsys.readouterr().err


def test_nothing_is_shown_or_asked_for_by_default(capsys):
    report = Report(False, None)
    report.add(0, {0: told()})
    assert (capsys.readouterr().err, report.variables) == ("", {})


TRAIN = """\
import time
import mxnova as mx
store = mx.kv.create("dist_sync")
store.init("a", mx.nd.zeros(2))
total = mx.nd.zeros(2)
for _ in range(12):
    time.sleep(0.1 * store.rank)
    store.pushpull("a", mx.nd.ones(2), out=total)
    total.wait_to_read()
"""


@pytest.mark.slow
def test_a_worker_that_computes_for_longer_is_found(mxnova, tmp_path):
    (tmp_path / "train.py").write_text(TRAIN)
    file = tmp_path / "times.json"
    words = ("-n", "2", "--report", "--report-json", file, tmp_path / "train.py")
    done = mxnova("launch", *words, PATH=os.environ["PATH"])
    assert done.returncode == 0, done.stderr
    assert "the slowest is worker 1" in done.stderr
    (attempt,) = json.loads(file.read_text())["attempts"]
    first, second = attempt["workers"]
    assert (first["steps"], second["steps"]) == (10, 10)
    assert second["own_median"] > 0.09 > first["own_median"]
    assert min(first["step_median"], second["step_median"]) > 0.09
