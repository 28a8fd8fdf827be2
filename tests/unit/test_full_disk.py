# SPDX-License-Identifier: Apache-2.0
"""What writes files, where the system takes no more bytes: the limit of a file's size stands in."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

import mxnova as mx
from mxnova import autograd, gluon
from mxnova.cli import environment, main
from mxnova.core.base.errors import FileError

resource = pytest.importorskip("resource", reason="RLIMIT_FSIZE")
OLD, ROOM = b"old", 2000


@contextmanager
def full_disk():
    """Every write beyond the first `ROOM` bytes of a file fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


def trained():
    net = gluon.nn.Dense(30, in_units=30)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "adam")
    with autograd.record():
        loss = net(mx.nd.ones((1, 30))).sum()
    loss.backward()
    trainer.step(1)
    return net, trainer


def save_states_of_store(path):
    store, value = mx.kv.create("local"), mx.nd.ones((1000,))
    store.set_optimizer(mx.optimizer.Adam())
    store.init(0, value)
    store.push(0, value)
    store.save_optimizer_states(path)


def long_symbol():
    symbol = mx.sym.var("x")
    for _ in range(100):
        symbol = symbol + 1
    return symbol


def export_onnx(path):
    pytest.importorskip("onnx")
    symbol = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=100, name="fc", no_bias=True)
    parameters = {"fc_weight": mx.nd.ones((100, 100))}
    mx.onnx.export_model(symbol, parameters, [(1, 100)], onnx_file_path=path)


WHOLE = {
    "arrays": lambda path: mx.nd.save(path, {"a": mx.nd.ones((1000,))}),
    "NumPy's arrays": lambda path: mx.npx.save(path, {"a": mx.np.ones((1000,))}),
    "sparse arrays": lambda path: mx.nd.save(path, mx.nd.ones((30, 30)).tostype("csr")),
    "symbol": lambda path: long_symbol().save(path),
    "parameters": lambda path: trained()[0].save_parameters(path),
    "states of a trainer": lambda path: trained()[1].save_states(path),
    "states of a store": save_states_of_store,
    "ONNX": export_onnx,
}


@pytest.mark.parametrize("old", [None, OLD], ids=["new", "old"])
@pytest.mark.parametrize("name", WHOLE)
def test_a_file_that_is_replaced_stays_as_it_was(name, old, tmp_path):
    path = tmp_path / "file"
    if old is not None:
        path.write_bytes(old)
    with full_disk(), pytest.raises(FileError) as error:
        WHOLE[name](str(path))
    assert error.value.filename == str(path)
    left = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    assert left == ({} if old is None else {"file": OLD})


def trained_module():
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=30, name="new")
    module = mx.mod.Module(symbol, label_names=None)
    module.bind([("data", (1, 30))], for_training=False)
    module.init_params()
    return module


def bucketing_module():
    def graph(key):
        return mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=30, name="new"), ["data"], None

    module = mx.mod.BucketingModule(graph, default_bucket_key=30)
    module.bind([("data", (1, 30))], for_training=False)
    module.init_params()
    return module


def exported(prefix):
    net = trained()[0]
    net.hybridize()
    net(mx.nd.ones((1, 30)))
    net.export(prefix)


CHECKPOINTS = {
    "function": lambda prefix: mx.model.save_checkpoint(
        prefix, 0, mx.sym.var("new"), {"new": mx.nd.ones((1000,))}, {}
    ),
    "Module": lambda prefix: trained_module().save_checkpoint(prefix, 0),
    "BucketingModule": lambda prefix: bucketing_module().save_checkpoint(prefix, 0),
    "Block": exported,
}


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_no_symbol_stands_beside_parameters_of_another(name, tmp_path):
    CHECKPOINTS[name](str(tmp_path / "net"))
    names = sorted(p.name for p in tmp_path.iterdir())
    for path in tmp_path.iterdir():
        path.write_bytes(OLD)
    with full_disk(), pytest.raises(FileError) as error:
        CHECKPOINTS[name](str(tmp_path / "net"))
    assert error.value.filename == str(tmp_path / "net-0000.params")
    assert sorted(p.name for p in tmp_path.iterdir()) == names
    assert {p.read_bytes() for p in tmp_path.iterdir()} == {OLD}


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_no_parameters_stand_beside_a_symbol_of_another(name, tmp_path, monkeypatch):
    CHECKPOINTS[name](str(tmp_path / "net"))
    for path in tmp_path.iterdir():
        path.write_bytes(OLD)
    monkeypatch.setattr(f"{__name__}.ROOM", 10)
    with full_disk(), pytest.raises(FileError, match=r"symbol\.json"):
        CHECKPOINTS[name](str(tmp_path / "net"))
    assert {p.read_bytes() for p in tmp_path.iterdir()} == {OLD}


COMMANDS = {
    "rec2idx": lambda folder: ["rec2idx", str(folder / "in.rec"), str(folder / "file")],
    "im2rec": lambda folder: ["im2rec", "--pass-through", str(folder / "in"), str(folder)],
    "im2rec --list": lambda folder: ["im2rec", "--list", str(folder / "file"), str(folder / "in")],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_tells_the_file_and_leaves_none(name, tmp_path, monkeypatch, capsys):
    with mx.recordio.MXRecordIO(str(tmp_path / "in.rec"), "w") as record:
        for _ in range(400):
            record.write(b"x")
    (tmp_path / "in").mkdir()
    for i in range(200):
        (tmp_path / "in" / f"{i}.jpg").write_bytes(b"x" * 100)
    rows = [f"{i}\t0\tin/{i}.jpg\n" for i in range(200)]
    (tmp_path / "in.lst").write_text("".join(rows))
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    if name == "im2rec":
        del before[tmp_path / "in.rec"]
        (tmp_path / "in.rec").unlink()
    monkeypatch.setattr(sys, "argv", ["mxnova", *COMMANDS[name](tmp_path)])
    with full_disk(), pytest.raises(SystemExit):
        main()
    assert f"error: {tmp_path}" in capsys.readouterr().err
    assert before == {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}


def write_records(folder, payload, n=1000):
    """Records and their index, with the paths that an error may name."""
    record = mx.recordio.MXIndexedRecordIO(folder / "r.idx", folder / "r.rec", "w")
    try:
        for key in range(n):
            record.write_idx(key, payload)
    finally:
        record.close()


@pytest.mark.parametrize(
    ("payload", "n", "names"),
    [(b"x" * 10000, 9, {"r.rec"}), (b"", 600, {"r.rec", "r.idx"})],
    ids=["while writing", "while closing"],
)
def test_record_files_are_named_and_closed(payload, n, names, tmp_path):
    with full_disk(), pytest.raises(FileError) as error:
        write_records(tmp_path, payload, n)
    assert Path(error.value.filename).name in names
    assert open_files(tmp_path) == []


def open_files(folder):
    """Paths in `folder` that this process has open, where the system tells."""
    found = []
    for link in Path("/proc/self/fd").glob("*"):
        with contextlib.suppress(FileNotFoundError):  # another thread has closed it meanwhile
            found.append(os.readlink(link))
    return [path for path in found if path.startswith(str(folder))]


def test_a_trace_is_whole_though_events_were_lost(tmp_path):
    path, x = tmp_path / "trace.json", mx.nd.ones((3,))
    mx.profiler.set_config(filename=str(path), profile_all=True, continuous_dump=False)
    mx.profiler.set_state("run")
    with full_disk(), pytest.raises(FileError) as error:  # noqa: PT012 - any of them
        for _ in range(100):
            _ = x + 1
        mx.profiler.dump(False)
    assert error.value.filename in (tempfile.gettempdir(), str(path))
    assert not path.exists()
    mx.profiler.dump()
    assert json.loads(path.read_text())["traceEvents"] is not None


@pytest.mark.parametrize("is_there", [False, True])
def test_an_alias_that_cannot_be_written(is_there, tmp_path, monkeypatch):
    if is_there:
        environment.install(tmp_path)
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    monkeypatch.setattr(f"{__name__}.ROOM", 10)
    with full_disk(), pytest.raises(FileError) as error:
        environment.install(tmp_path)
    assert str(tmp_path) in error.value.filename
    assert before == {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    assert is_there or not list(tmp_path.iterdir())
