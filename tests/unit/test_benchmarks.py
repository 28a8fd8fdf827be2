# SPDX-License-Identifier: Apache-2.0
import contextlib
import json
import os
import shutil
import socket
import threading
import time
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import typer
from rich.console import Console

import mxnova as mx
from benchmarks import against, cores, gpu, load
from benchmarks.__main__ import main
from benchmarks.harness import Outcome, Result, Stats, _differences, run
from benchmarks.models.networks import convolutional
from benchmarks.models.parameters import parameters_of
from benchmarks.peers import PeerError, PeerProcess, interpreter_of
from benchmarks.report import save, show, time_text
from benchmarks.subject import SUBJECTS, Case, Options, Skip, find
from benchmarks.subjects import ablation, training, training_bfloat16
from benchmarks.worker import Stopwatch
from mxnova.core.exec.passes import pipeline
from mxnova.core.runtime import torch_api

ROOT = Path(__file__).parents[2]
SMOKE = Options(threads=1, smoke=True)


@pytest.mark.parametrize(
    "name, case",
    [
        ("recordio", "read 100k of 100 B"),
        ("dispatch", "a + b"),
        ("training", "LSTM, batch 32, hybridized"),
        ("training_bfloat16", "LeNet, batch 64"),
        ("data_loader", "uint8 images"),
        ("inference", "convolutional, batch 2"),
        ("inference_int8", "convolutional, batch 2"),
        ("kvstore", "100 MB key by key, SGD"),
        ("gpu_calls", "a + b"),
        ("gpu_data", "embedding, SGD step of few rows"),
        ("gpu_inference", "convolutional, batch 2, float16"),
        ("gpu_training_float16", "LeNet, batch 64"),
        pytest.param(
            *("inference_bfloat16", "convolutional, batch 2"),
            marks=pytest.mark.skipif(
                not torch_api.has_onednn_bfloat16(), reason="no bfloat16 here"
            ),
        ),
    ],
)
def test_subject_runs(name, case, tmp_path):
    outcome = run(name, SMOKE, peers=["mxnova"], rounds=2, scratch=tmp_path)
    by_case = {r.case: r for r in outcome.results}
    assert not outcome.absent
    assert not any(r.skipped for r in outcome.results)
    assert by_case[case].stats["mxnova"].minimum > 0
    assert list(tmp_path.iterdir()) == []


def test_a_gpu_is_asked_for_by_name(tmp_path):
    outcome = run("gpu_inference", SMOKE, peers=["torch-cudagraph"], only=["32"], scratch=tmp_path)
    (result,) = outcome.results
    assert result.case == "convolutional, batch 2, float32"
    if not torch.cuda.is_available():
        assert result.skipped == {"torch-cudagraph": "a CUDA graph needs a GPU"}
        with pytest.raises(Skip, match="no GPU here; with --smoke"):
            gpu.device_for(Options())


def test_report_tells_times_ratios_and_absent_peers(tmp_path):
    outcome = run("dispatch", SMOKE, peers=["mxnet"], scratch=tmp_path)
    assert outcome.absent == {
        "mxnet": "left out: --mxnet-python or MXNET_PYTHON names no interpreter"
    }
    stats = {"mxnova": Stats.of([3e-6]), "torch": Stats.of([1.5e-6]), "mxnet": Stats.of([2e-5])}
    outcome.others = 0.5
    outcome.versions = {"torch": {"version": "2", "gpu": "Card, CUDA 13"}}
    outcome.results = [Result("a + b", stats, {"mxnova": 0.0, "torch": 0.25})]
    console = Console(record=True, width=110)
    show(outcome, console)
    text = console.export_text()
    assert "2.00 x (≤ 1.5)" in text
    assert "0.15 x (≤ 0.4)" in text
    assert "outputs of torch differ by 2.5e-01" in text
    assert "names no interpreter" in text
    assert "Card, CUDA 13" in text
    assert "Other processes used 0.5 cores" in text
    saved = json.loads(save(outcome, tmp_path).read_text())
    assert saved["results"][0]["ratios"] == {"torch": 2.0, "mxnet": pytest.approx(0.15)}


@pytest.mark.parametrize("subject", [training, training_bfloat16])
def test_a_step_of_training_ends_with_its_updates(subject, monkeypatch):
    waits, waitall = [], mx.nd.waitall
    monkeypatch.setattr(mx.nd, "waitall", lambda: waits.append(1) or waitall())
    for module in (training, training_bfloat16):
        monkeypatch.setattr(module, "import_mx", lambda peer: mx)
    case = next(iter(subject.cases("mxnet", SMOKE).values()))()
    waits.clear()
    case.statement()
    assert waits == [1]


def test_process_that_cannot_start_says_why():
    with pytest.raises(PeerError, match="unknown_subject"):
        PeerProcess(interpreter_of("mxnova", None), "unknown_subject", "mxnova", SMOKE).greet()


def test_load_of_other_processes_leaves_out_our_own(monkeypatch):
    for name, values in {"_busy_seconds": (10, 13), "_own_seconds": (1, 2)}.items():
        monkeypatch.setattr(load, name, iter(values).__next__)
    monkeypatch.setattr(load.time, "perf_counter", iter((0, 4)).__next__)
    others = load.watch_others()
    assert others() == 0.5


@pytest.mark.skipif(not load._STAT.exists(), reason="Linux counts the time")
def test_machine_spends_time():
    before = load._busy_seconds()
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    assert load._busy_seconds() - before >= 0.05


def test_stats():
    assert Stats.of([5, 1, 2, 3, 4]) == Stats(median=3, minimum=1, p90=5, samples=5)


def test_differences_are_fractions_of_the_first_peers_largest_value():
    arrays = {"one": [np.array([1.0, -4.0])], "two": [np.array([1.0, -3.0])], "odd": [np.ones(3)]}
    assert _differences(arrays) == {"one": 0.0, "two": 0.25, "odd": np.inf}


def test_stopwatch_counts_items_and_waits():
    case = Case("pass", finish=lambda: time.sleep(0.004), number=1, items=2)
    assert all(t >= 0.002 for t in Stopwatch(case).turn(0.01))


def test_parameters_are_the_same_each_time():
    first, second = parameters_of(convolutional), parameters_of(convolutional)
    assert first["block1_conv_weight"].shape == (32, 16, 3, 3)
    assert all(np.array_equal(first[n], second[n]) for n in first)


@pytest.mark.parametrize("name", SUBJECTS)
def test_targets_are_set_against_peers(name):
    subject = find(name)
    assert {peer for _, peer in subject.targets} <= set(subject.peers[1:])


@pytest.mark.parametrize(
    "seconds, text", [(2.5, "2.5 s"), (0.0025, "2.5 ms"), (2.5e-6, "2.5 µs"), (2.5e-8, "25 ns")]
)
def test_time_text(seconds, text):
    assert time_text(seconds) == text


def test_each_pass_is_left_out_once():
    left_out = [s["MXNOVA_PASSES"] for s in ablation.SWITCHES.values() if "MXNOVA_PASSES" in s]
    elsewhere = ("mkldnn", "integer", "low_precision")  # no network of those has such nodes
    names = [each.name for each in pipeline.INFERENCE if not each.name.startswith(elsewhere)]
    assert left_out == [f"-{n}" for n in names]


TABLE = """
Before.

<!-- ablation: written by scripts/ablation_table -->
| old | table |
<!-- end of ablation -->

After.
"""


def outcome(**milliseconds):
    """What `benchmarks ablation` saves: times by peer, of one case."""
    stats = {peer: {"minimum": ms / 1000} for peer, ms in milliseconds.items()}
    machine = {"processor": "CPU X", "cores": 2}
    results = [{"case": "ResNet-50, batch 1", "stats": stats}]
    return {"results": results, "machine": machine, "threads": 2, "others": 0.0}


def test_the_table_of_passes_is_written(tmp_path):
    script = SourceFileLoader("ablation_table", str(ROOT / "scripts" / "ablation_table"))
    table = module_from_spec(spec_from_loader("ablation_table", script))
    script.exec_module(table)
    (tmp_path / "ablation.json").write_text(
        json.dumps(outcome(**{"mxnova": 40.0, "mxnova-without-in_place_sums": 41.26}))
    )
    page = tmp_path / "page.md"
    page.write_text(TABLE)
    table.main(tmp_path / "ablation.json", page)
    text = page.read_text()
    assert "| all passes | 40.0 |" in text
    assert "| without `in_place_sums` | 41.3 (1.03) |" in text
    assert "CPU X" in text
    assert "old" not in text
    assert text.startswith("\nBefore.")
    assert text.endswith("After.\n")
    with pytest.raises(SystemExit, match="no place for the table"):
        table.main(tmp_path / "ablation.json", tmp_path / "ablation.json")


def test_peers_that_there_are_not(tmp_path):
    with pytest.raises(typer.BadParameter, match="no peer onnx; there are mxnova, torch, mxnet"):
        main(["dispatch"], peer=["mxnova", "onnx"], output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def saved(tmp_path, only=()):
    """Where the result of a run without measured cases is saved."""
    return save(Outcome("dispatch", find("dispatch"), SMOKE, only), tmp_path)


def test_chosen_cases_are_saved_beside_the_result_of_all(tmp_path):
    paths = [saved(tmp_path, only) for only in ([], ["a + b"], ["a + b", "../relu(a)"])]
    assert len(list(tmp_path.iterdir())) == len(set(paths)) == 3
    assert [json.loads(p.read_text())["only"] for p in paths] == [
        [], ["a + b"], ["a + b", "../relu(a)"],
    ]  # fmt: skip


def test_a_result_that_cannot_be_written_leaves_the_one_before(tmp_path, monkeypatch):
    before = saved(tmp_path).read_bytes()

    def fail(*_given):
        raise OSError(28, "no space left")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space left"):
        saved(tmp_path)
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [before]


def test_cases_that_there_are_not(tmp_path):
    options = {"peer": ["torch"], "smoke": True, "output": tmp_path}
    with pytest.raises(
        typer.BadParameter, match="dispatch has no case 'nosuch'; it has: .*a [+] b"
    ):
        main(["dispatch"], case=["a + b", "nosuch"], **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("wrk, workers", [(False, 2), (True, 1)])
def test_serving_is_measured(wrk, workers, capsys):
    pytest.importorskip("uvicorn")
    if wrk and shutil.which("wrk") is None:
        pytest.skip("wrk is not installed")
    from benchmarks import serving

    options = {"rows": 2, "seconds": 0.2, "turns": 1, "options": "", "clients": 2}
    serving.main(None, "3,48,48", 1, **options, workers=workers, wrk=wrk, smoke=True)
    found = json.loads(capsys.readouterr().out)
    assert found["served"] / found["1 bare loop"] == found["ratio to 1 bare loop"] > 0
    assert ("2 bare loops" in found) == (workers == 2)
    assert found["processor time, clients"] >= 0
    assert found["p99"] >= found["median"] > 0
    assert found["load"] > 0


@pytest.mark.parametrize(
    "spreads, shown", [([3], 3), ([4, 1], 4), ([9, 2, 1], 2), ([4, 1, 2, 3], 3)]
)
def test_latencies_of_the_turn_in_the_middle_and_its_load_are_shown(spreads, shown):
    from benchmarks import serving
    from benchmarks.clients import Answers

    turns = [
        serving.latencies(Answers(200, (), 0), Answers(20 * spread, [1.0] * 9 + [1e6 * spread], 0))
        for spread in spreads
    ]
    found = serving.middle(turns)
    assert found["load"] == pytest.approx(0.1 * shown)
    assert (found["requests"], found["median"]) == (10, 1000)


def test_serving_by_wrk_runs_for_whole_seconds(monkeypatch):
    from benchmarks import serving

    found = []
    monkeypatch.setattr(serving.shutil, "which", str)
    monkeypatch.setattr(serving, "measure", lambda *given: found.append(given[3]) or {})
    monkeypatch.setattr(serving, "BareLoops", lambda *_: contextlib.nullcontext())
    monkeypatch.setattr(
        serving, "Server", lambda *_: contextlib.nullcontext(SimpleNamespace(port=1))
    )
    for seconds in (0.2, 1.6):
        serving.main("x", seconds=seconds, wrk=True)
    assert found == [1, 2]


@pytest.mark.parametrize("text, expected", [
    ("", set()), ("0", {0}), ("0,2", {0, 2}), ("1-3", {1, 2, 3}), ("0,2-3,5", {0, 2, 3, 5}),
])  # fmt: skip
def test_cores_as_taskset_writes_them(text, expected, monkeypatch):
    monkeypatch.setattr(cores.os, "sched_getaffinity", lambda _: set(range(6)), raising=False)
    assert cores.cores_of(text) == expected


@pytest.mark.parametrize(
    "text", ["x", "0-", "-1", "0-1-2", "0;1", "0-9999", "99999", "1-0", "0,3-2", ",", "0,"]
)
def test_cores_that_there_are_not(text):
    with pytest.raises(ValueError):
        cores.cores_of(text)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no choice of cores here")
def test_server_and_clients_have_the_cores_that_they_are_given(monkeypatch):
    from benchmarks import serving

    usable = os.sched_getaffinity(0)
    of_server, of_load = min(usable), max(usable)
    seen = {}

    def note(name, value):
        seen[name] = os.sched_getaffinity(0)
        return contextlib.nullcontext(value)

    monkeypatch.setattr(serving, "BareLoops", lambda *_: note("loops", None))
    monkeypatch.setattr(serving, "Server", lambda *_: note("server", SimpleNamespace(port=1)))
    monkeypatch.setattr(serving, "measure", lambda *_: note("clients", None) and {})
    serving.main("x", server_cores=str(of_server), load_cores=str(of_load))
    assert seen == {"loops": {of_server}, "server": {of_server}, "clients": {of_load}}
    assert os.sched_getaffinity(0) == usable
    with pytest.raises(typer.BadParameter, match="99999"):
        serving.main("x", load_cores="99999")


@pytest.mark.skipif(not hasattr(os, "sched_setscheduler"), reason="no choice of priorities here")
def test_real_time_priority_ends_with_the_block_and_need_not_be_permitted(monkeypatch):
    before = os.sched_getscheduler(0)
    with cores.real_time() as is_first:
        assert is_first == (os.sched_getscheduler(0) == os.SCHED_FIFO)
    assert os.sched_getscheduler(0) == before

    def refuse(*_given):
        raise PermissionError

    monkeypatch.setattr(cores.os, "sched_setscheduler", refuse)
    with cores.real_time() as is_first:
        assert not is_first


@contextlib.contextmanager
def answering(answer):
    """The port of a server that answers every request over any number of connections."""

    def serve(connection):
        with connection:
            while connection.recv(1000):
                connection.sendall(answer())

    def accept():
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=serve, args=server.accept()[:1]).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=accept)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_serving_that_closes_a_connection_is_an_error():
    from benchmarks.clients import Clients

    fails = answering(lambda: b"HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n")
    with fails as port, pytest.raises(RuntimeError, match="500"):
        Clients(port, b"GET / HTTP/1.1\r\n\r\n", 1).ask()
    with socket.create_server(("127.0.0.1", 0)) as server:
        clients = Clients(server.getsockname()[1], b"GET / HTTP/1.1\r\n\r\n", 1)
        closing = threading.Thread(target=lambda: server.accept()[0].close())
        closing.start()
        with pytest.raises(OSError, match="closed the connection|reset|[Pp]ipe"):
            clients.ask()
        closing.join()


def test_requests_of_an_open_loop_count_from_when_they_are_due():
    from benchmarks.clients import Clients

    def slow():
        time.sleep(0.02)
        return b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"

    with answering(slow) as port:
        clients = Clients(port, b"GET / HTTP/1.1\r\n\r\n", 1)
        found = clients.at_rate(1000, 0.01, iter(lambda: 1.0, None))
        assert len(found.latencies) == 10
        waits = np.diff(found.latencies)  # each waits for those before it
        assert (waits > 0).all()
        assert found.latencies[-1] > 9 * 0.02
        assert clients.rate(0.01).rate < 1 / 0.02


def test_ratios_to_an_earlier_revision_are_of_medians():
    before = {"a": [2.0, 1.0, 9.0], "gone": [1.0]}
    now = {"a": [4.0, 3.0, 1.0], "new": [1.0]}
    assert against.ratios(before, now) == {"a": 1.5}
    assert against.show("subject", {"a": 1.5, "b": 1.0, "c": 1.25}) == 1.25
    assert against.show("subject", {}) == 1.0


def test_a_subject_that_fails_there_is_told(tmp_path):
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "__main__.py").write_text("raise SystemExit('no such subject')")
    with pytest.raises(SystemExit, match=r"dispatch in .*status 1\nno such subject"):
        against.measured(tmp_path, "dispatch", smoke=True)
