# SPDX-License-Identifier: Apache-2.0
"""Programs that are interrupted: `act` is what Ctrl-C comes into, `check` what must hold after it.

Whatever `act` has left, `check` goes on with the same objects, and knows what numbers it must find.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import multiprocessing
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch

import mxnova as mx

__all__ = ["PROGRAMS", "Program", "is_sane"]

Program: TypeAlias = Callable[[Path], tuple[Callable[[], object], Callable[[], object]]]
PROGRAMS: dict[str, Program] = {}
ROWS = np.random.default_rng(4).normal(size=(24, 4)).astype("f")
WEIGHT = np.float32([[1, 0, -1, 0], [0, 1, 0, -1], [-1, 0, 1, 0]])
CLASSES = np.arange(24, dtype="f") % 3


def program(function: Program) -> Program:
    """Adds a program to the table."""
    PROGRAMS[function.__name__] = function
    return function


def equal(found: Any, wanted: Any) -> None:
    """Compares numbers."""
    found = found.asnumpy() if hasattr(found, "asnumpy") else found
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def only(folder: Path, *names: str) -> None:
    """Nothing but what shall be there is in a folder."""
    extra = set(os.listdir(folder)) - set(names)
    assert not extra, f"left in the folder: {sorted(extra)}"


def is_sane() -> None:
    """What holds in a session whatever was interrupted in it."""
    from mxnova.core.base.gc_pause import _Resting
    from mxnova.core.nd.modes import MODES
    from mxnova.core.runtime.slow_path import SLOW_PATH

    _register_custom()
    mx.nd.waitall()
    assert not mx.autograd.is_recording()
    assert not mx.autograd.is_training()
    assert not mx.util.is_np_shape()
    assert not mx.util.is_np_array()
    assert len(mx.name.NameManager._stack()) == 1
    assert len(mx.AttrScope._stack()) == 1
    assert mx.context.current_context() == mx.cpu()
    assert torch.is_grad_enabled()
    assert not torch.is_inference_mode_enabled()
    assert torch.get_num_threads() == 1
    assert not MODES
    assert gc.isenabled()
    assert not _Resting.n_inside
    gc.collect()
    assert not multiprocessing.active_children()
    x = mx.nd.arange(6).reshape((2, 3))
    x.attach_grad()
    with mx.autograd.record():
        y = (x * x).sum()
    y.backward()
    equal(x.grad, 2 * np.arange(6).reshape(2, 3))
    mx.nd.Custom(x, op_type="interrupted").wait_to_read()  # after which the engine is idle
    for reason in list(SLOW_PATH):
        reason.leave_if_idle()
    assert not SLOW_PATH, SLOW_PATH


# Arrays -------------------------------------------------------------------------------------------


@program
def arrays(folder: Path) -> Any:
    """Operators, some in place, and numbers drawn."""
    x, drawn = mx.nd.zeros((3, 4)), []

    def act() -> None:
        x[:] = 3
        x.__iadd__(1)
        mx.nd.broadcast_mul(x, mx.nd.ones((1, 4)) * 2, out=x)
        mx.random.seed(7)
        drawn[:] = [mx.nd.random.uniform(shape=(3,)), mx.nd.random.normal(shape=(3,))]
        mx.nd.concat(x, x.T.reshape((3, 4)), dim=0).astype("float64").asnumpy()
        x[1:2].sum().asscalar()

    def check() -> None:
        assert x.asnumpy().max() == x.asnumpy().min()  # all of an array is written, or nothing
        mx.random.seed(7)
        first = mx.nd.random.uniform(shape=(3,)).asnumpy()
        mx.random.seed(7)
        equal(mx.nd.random.uniform(shape=(3,)), first)
        equal(x * 0 + 2, np.full((3, 4), 2))

    return act, check


@program
def autograd(folder: Path) -> Any:
    """Gradients by call, in scopes of all kinds."""
    x, large = mx.nd.array(ROWS), mx.nd.ones((300, 200))
    x.attach_grad()
    large.attach_grad()

    class Twice(mx.autograd.Function):
        def forward(self, x: Any) -> Any:
            return x * 2

        def backward(self, dy: Any) -> Any:
            return dy * 2

    def act() -> None:
        with mx.autograd.record():
            with mx.autograd.pause(train_mode=True):
                x.sum()
            with mx.autograd.predict_mode():
                y = mx.nd.Dropout(x, p=0.5)
            z = (Twice()(y) ** 2).sum()
        z.backward()
        with mx.autograd.record():
            z = (x**3).sum()
            (dx,) = mx.autograd.grad(z, [x], create_graph=True)
            dx.sum().backward()
        with mx.autograd.record():
            z = large * 3
        z.backward()

    def check() -> None:
        large.grad[:1] = 5  # memory of its own
        assert large.grad.asnumpy()[1:].max() in (0, 3)
        with mx.autograd.record():
            y = (Twice()(x) ** 2).sum()
        y.backward()
        equal(x.grad, 8 * ROWS)

    return act, check


@program
def custom(folder: Path) -> Any:
    """An operator in Python, which runs as an operation of the engine."""
    x = mx.nd.array(ROWS)
    x.attach_grad()
    _register_custom()

    def act() -> None:
        with mx.autograd.record():
            y = mx.nd.Custom(x, op_type="interrupted")
        y.backward()
        y.wait_to_read()

    def check() -> None:
        with mx.autograd.record():
            y = mx.nd.Custom(x, op_type="interrupted")
        y.backward()
        equal(y, 3 * ROWS)
        equal(x.grad, 3 * np.ones_like(ROWS))

    return act, check


@functools.cache
def _register_custom() -> None:
    class Operator(mx.operator.CustomOp):
        def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
            self.assign(out_data[0], req[0], in_data[0] * 3)

        def backward(
            self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
        ) -> None:
            self.assign(in_grad[0], req[0], out_grad[0] * 3)

    @mx.operator.register("interrupted")
    class Properties(mx.operator.CustomOpProp):
        def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> Any:
            return Operator()


@program
def engine(folder: Path) -> Any:
    """Operations that are pushed, gathered and waited for."""
    x = mx.nd.zeros((2,))

    def act() -> None:
        mx.nd.waitall()
        with mx.engine.bulk(3):
            for _ in range(4):
                x.__iadd__(1)
        _register_custom()
        y = mx.nd.Custom(x, op_type="interrupted")
        z = y + x
        z.asnumpy()

    def check() -> None:
        _register_custom()
        before = x.asnumpy()
        assert before[0] == before[1]
        x.__iadd__(1)
        equal(x, before + 1)
        equal(mx.nd.Custom(x, op_type="interrupted"), 3 * before + 3)

    return act, check


# Symbols ------------------------------------------------------------------------------------------


def _network() -> Any:
    fc = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    return mx.sym.SoftmaxOutput(fc, name="softmax")


def _scores(rows: np.ndarray = ROWS, weight: np.ndarray = WEIGHT) -> np.ndarray:
    e = np.exp(rows @ weight.T)
    return np.asarray(e / e.sum(1, keepdims=True))


@program
def symbols(folder: Path) -> Any:
    """Composition in scopes, shapes, files."""

    def act() -> None:
        with mx.AttrScope(ctx_group="a"), mx.name.Prefix("p_"), mx.cpu(1):
            network = mx.sym.relu(_network() * 2 + mx.sym.zeros((24, 3)))
        network.infer_shape(data=(24, 4))
        mx.sym.load_json(network.tojson()).infer_type(data="float32")
        network.save(str(folder / "a.json"))

    def check() -> None:
        name = mx.sym.relu(mx.sym.var("x")).name
        assert name.startswith("relu"), name
        assert _network().infer_shape(data=(24, 4))[1] == [(24, 3)]
        only(folder, "a.json")
        if (folder / "a.json").exists():
            mx.sym.load(str(folder / "a.json"))

    return act, check


@program
def executor(folder: Path) -> Any:
    """A bound symbol, trained by hand."""
    bound = _network().simple_bind(mx.cpu(), data=(24, 4))
    large = (mx.sym.var("x") * 2).simple_bind(mx.cpu(), x=(300, 200))
    bound.arg_dict["data"][:] = ROWS
    bound.arg_dict["fc_weight"][:] = WEIGHT
    bound.arg_dict["softmax_label"][:] = CLASSES

    def act() -> None:
        for is_train in (False, True):
            bound.forward(is_train=is_train)
        bound.backward()
        bound.outputs[0].asnumpy()
        large.forward(is_train=True)
        large.backward(mx.nd.ones((300, 200)))
        _network().simple_bind(mx.cpu(), data=(24, 4)).forward()
        bound.reshape(data=(12, 4), softmax_label=(12,)).forward(data=mx.nd.array(ROWS[:12]))

    def check() -> None:
        large.grad_dict["x"][:1] = 5  # memory of its own
        assert large.grad_dict["x"].asnumpy()[1:].max() in (0, 2)
        bound.forward(is_train=True)
        equal(bound.outputs[0], _scores())
        bound.backward()
        head = _scores() - np.eye(3)[CLASSES.astype(int)]
        equal(bound.grad_dict["fc_weight"], head.T @ ROWS)

    return act, check


@program
def module(folder: Path) -> Any:
    """Module.fit, which goes on."""
    data = mx.io.NDArrayIter(ROWS, CLASSES, 8, shuffle=True)
    fitted = mx.mod.Module(_network())

    def act() -> None:
        data.reset()
        fitted.fit(
            data, num_epoch=2, eval_metric="acc", optimizer_params={"momentum": 0.9},
            epoch_end_callback=mx.callback.do_checkpoint(str(folder / "m")),
        )  # fmt: skip

    def check() -> None:
        data.reset()
        fitted.fit(data, num_epoch=1)
        weight = fitted.get_params()[0]["fc_weight"].asnumpy()
        bias = fitted.get_params()[0]["fc_bias"].asnumpy()
        assert np.isfinite(weight).all()
        rows = mx.io.NDArrayIter(ROWS, CLASSES, 8)
        e = np.exp(ROWS @ weight.T + bias)
        equal(fitted.predict(rows), e / e.sum(1, keepdims=True))
        only(folder, "m-symbol.json", "m-0001.params", "m-0002.params")
        for file in folder.glob("*.params"):
            mx.nd.load(str(file))

    return act, check


@program
def predictor(folder: Path) -> Any:
    """A checkpoint that is loaded and fed."""
    prefix = _checkpoint(folder)
    loaded = mx.predictor.Predictor(
        f"{prefix}-symbol.json", f"{prefix}-0000.params", {"data": (24, 4)}
    )

    def act() -> None:
        loaded.predict(data=ROWS)
        other = mx.open_model(prefix).predictor({"data": (2, 4)})
        other.predict(data=ROWS[:2])
        loaded.reshape({"data": (24, 4)})

    def check() -> None:
        equal(loaded.predict(data=ROWS)[0], _scores())

    return act, check


def _checkpoint(folder: Path) -> str:
    (folder / "model").mkdir()
    prefix = str(folder / "model" / "flowers")
    weights = {"fc_weight": mx.nd.array(WEIGHT), "fc_bias": mx.nd.zeros(3)}
    mx.model.save_checkpoint(prefix, 0, _network(), weights, {})
    return prefix


# Gluon --------------------------------------------------------------------------------------------


@program
def gluon(folder: Path) -> Any:
    """A training loop over a hybridized network."""
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(8, activation="relu"), mx.gluon.nn.BatchNorm(), mx.gluon.nn.Dense(3))
    net.initialize()
    net.hybridize()
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    loss = mx.gluon.loss.SoftmaxCELoss()
    rows, classes = mx.nd.array(ROWS), mx.nd.array(CLASSES)

    def step() -> Any:
        with mx.autograd.record():
            value = loss(net(rows), classes)
        value.backward()
        trainer.step(24)
        return value.mean().asscalar()

    def act() -> None:
        step()
        net(rows).asnumpy()
        net.save_parameters(str(folder / "net.params"))
        trainer.save_states(str(folder / "net.states"))

    def check() -> None:
        values = [step() for _ in range(20)]
        assert np.isfinite(values).all()
        assert values[-1] < values[0]
        outputs = net(rows).asnumpy()
        net.hybridize(active=False)
        equal(net(rows), outputs)
        net.hybridize()
        only(folder, "net.params", "net.states")
        if (folder / "net.params").exists():
            net.load_parameters(str(folder / "net.params"))
        if (folder / "net.states").exists():
            trainer.load_states(str(folder / "net.states"))

    return act, check


def _loader(**options: Any) -> Any:
    dataset = mx.gluon.data.ArrayDataset(ROWS, CLASSES)
    loader = mx.gluon.data.DataLoader(dataset, batch_size=8, **options)

    def act() -> None:
        for rows, _ in loader:
            rows.asnumpy()

    def check() -> None:
        parts = [rows.asnumpy() for rows, _ in loader]
        equal(np.concatenate(parts), ROWS)

    return act, check


@program
def loader(folder: Path) -> Any:
    """A DataLoader without workers."""
    return _loader()


@program
def loader_threads(folder: Path) -> Any:
    """A DataLoader with threads."""
    return _loader(num_workers=2, thread_pool=True)


@program
def loader_processes(folder: Path) -> Any:
    """DataLoaders with processes, of which each epoch makes one."""
    dataset = mx.gluon.data.ArrayDataset(ROWS, CLASSES)
    place: list[Any] = []

    def act() -> None:
        place[:] = [mx.gluon.data.DataLoader(dataset, batch_size=8, num_workers=2)]
        for rows, _ in place[0]:
            rows.asnumpy()
        place.clear()

    def check() -> None:
        place.clear()
        parts = [rows.asnumpy() for rows, _ in mx.gluon.data.DataLoader(dataset, 8, num_workers=1)]
        equal(np.concatenate(parts), ROWS)

    return act, check


# Stores -------------------------------------------------------------------------------------------


@program
def kvstore(folder: Path) -> Any:
    """A store of this process, which updates."""
    store = mx.kv.create("local")
    store.init("w", mx.nd.zeros((3, 4)))
    store.set_optimizer(mx.optimizer.SGD(learning_rate=1.0))
    given = mx.nd.ones((3, 4))

    def act() -> None:
        store.push("w", [given, given])
        out = mx.nd.empty((3, 4))
        store.pull("w", out)
        store.pushpull("w", given, out=out)

    def check() -> None:
        before, after = mx.nd.empty((3, 4)), mx.nd.empty((3, 4))
        store.pull("w", before)
        assert before.asnumpy().max() == before.asnumpy().min()
        store.push("w", given)
        store.pull("w", after)
        equal(after, before.asnumpy() - 1)

    return act, check


# Files --------------------------------------------------------------------------------------------


@program
def files(folder: Path) -> Any:
    """Arrays that are saved over others."""
    path = str(folder / "a.params")
    mx.nd.save(path, {"a": mx.nd.zeros((50, 50))})

    def act() -> None:
        mx.nd.save(path, {"a": mx.nd.ones((50, 50))})
        mx.nd.load(path)["a"].asnumpy()

    def check() -> None:
        values = mx.nd.load(path)["a"].asnumpy()
        assert values.max() == values.min()
        only(folder, "a.params")

    return act, check


@program
def checkpoints(folder: Path) -> Any:
    """Checkpoints of a folder, one after the other."""
    net = mx.gluon.nn.Dense(3, in_units=4)
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"momentum": 0.9})
    steps = iter(range(1, 1000))
    run = folder / "run"

    def act() -> None:
        saving = mx.checkpoint.save(run, next(steps), net, trainer, keep=2)
        saving.wait()
        mx.checkpoint.load(run, net, trainer)

    def check() -> None:
        mx.checkpoint.wait(run)
        step = next(steps)
        mx.checkpoint.save(run, step, net, trainer, keep=2, wait=True)
        assert mx.checkpoint.load(run, net, trainer).step == step
        left = [name for name in os.listdir(run) if ".tmp" in name or name.startswith(".")]
        assert not left, left

    return act, check


@program
def records(folder: Path) -> Any:
    """Records that are written and read."""
    index, path = str(folder / "a.idx"), str(folder / "a.rec")

    def act() -> None:
        writer = mx.recordio.MXIndexedRecordIO(index, path, "w")
        for i in range(20):
            writer.write_idx(i, mx.recordio.pack((0, i, i, 0), bytes([i]) * 30))
        writer.close()
        reader = mx.recordio.MXIndexedRecordIO(index, path, "r")
        reader.read_idx(7)
        reader.close()

    def check() -> None:
        if os.path.exists(path):
            for number, record in enumerate(iter(mx.recordio.MXRecordIO(path, "r").read, None)):
                assert mx.recordio.unpack(record)[1] == bytes([number]) * 30
        only(folder, "a.idx", "a.rec")
        act()
        reader = mx.recordio.MXIndexedRecordIO(index, path, "r")
        assert mx.recordio.unpack(reader.read_idx(7))[1] == bytes([7]) * 30

    return act, check


@program
def images(folder: Path) -> Any:
    """ImageRecordIter, whose threads decode beside it."""
    path = str(folder / "a.rec")
    writer = mx.recordio.MXRecordIO(path, "w")
    for i in range(12):
        writer.write(
            mx.recordio.pack_img((0, i, i, 0), np.full((8, 8, 3), 20 * i, "u1"), img_fmt=".png")
        )
    writer.close()
    data = mx.io.ImageRecordIter(
        path_imgrec=path, data_shape=(3, 8, 8), batch_size=4, preprocess_threads=2
    )

    def act() -> None:
        data.reset()
        for batch in data:
            batch.data[0].asnumpy()

    def check() -> None:
        data.reset()
        found = [batch.data[0].asnumpy()[:, 0, 0, 0] for batch in data]
        equal(np.concatenate(found), 20.0 * np.arange(12))

    return act, check


@program
def conversion(folder: Path) -> Any:
    """A checkpoint as another kind of file, which replaces one."""
    prefix = _checkpoint(folder)
    import onnx

    from mxnova.convert import convert
    from mxnova.formats import safetensors

    target = folder / "out"
    target.mkdir()
    for kind in ("safetensors", "onnx"):
        (target / f"a.{kind}").write_text("old")

    def act() -> None:
        convert(prefix, target / "a.safetensors", force=True, prove=False)
        convert(prefix, target / "a.onnx", shapes={"data": ("N", 4)}, force=True, prove=False)
        mx.open_model(prefix).save(target / "again", force=True)

    def check() -> None:
        only(target, "a.safetensors", "a.onnx", "again")
        for kind, read in (("safetensors", safetensors.read), ("onnx", onnx.load)):
            path = target / f"a.{kind}"
            if path.read_bytes() != b"old":
                read(path)

    return act, check


@program
def cache(folder: Path) -> Any:
    """A compiled model in the cache."""
    os.environ["MXNOVA_CACHE"] = str(folder / "cache")
    prefix = _checkpoint(folder)
    files = f"{prefix}-symbol.json", f"{prefix}-0000.params"

    def make() -> Any:
        return mx.predictor.Predictor(*files, {"data": (24, 4)}, cache=True, backend="onnxruntime")

    def act() -> None:
        make().predict(data=ROWS)

    def check() -> None:
        equal(make().predict(data=ROWS)[0], _scores())
        (name,) = os.listdir(folder / "cache" / "compiled")
        assert name.endswith(".mxnova")

    return act, check


@program
def downloads(folder: Path) -> Any:
    """A file from a server of this process."""
    import http.server

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            self.wfile.write(b"x" * 100_000)

        def log_message(self, *_: Any) -> None:
            pass

        def handle(self) -> None:
            with contextlib.suppress(OSError):  # who asked has gone
                super().handle()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/a.bin"

    def act() -> None:
        mx.gluon.utils.download(url, str(folder), overwrite=True)

    def check() -> None:
        only(folder, "a.bin")
        act()
        assert (folder / "a.bin").read_bytes() == b"x" * 100_000

    return act, check
