# SPDX-License-Identifier: Apache-2.0
"""A program of everyday use: arrays, Gluon, Module, mx.np, data and KVStore. Type checkers find no fault."""

from __future__ import annotations

import logging
import os
import tempfile
from typing import Any

import numpy as onp

import mxnova as mx
from mxnova import autograd, gluon, init, nd, np, npx, sym
from mxnova.gluon import nn, rnn
from mxnova.gluon.data import ArrayDataset, DataLoader
from mxnova.gluon.data.vision import transforms
from mxnova.gluon.model_zoo import vision

logging.basicConfig(level=logging.WARNING)


# Arrays -------------------------------------------------------------------------------------------


def arrays() -> float:
    x = nd.arange(12).reshape((3, 4))
    y = nd.random.uniform(-1, 1, shape=(4, 2), ctx=mx.cpu(), dtype="float32")
    product: nd.NDArray = nd.dot(x, y)
    product += 1
    product[0] = 0
    rows: int = product.shape[0]
    first: onp.ndarray[Any, Any] = product[1:].asnumpy()
    largest = nd.max(product, axis=1, keepdims=True).astype("float64")
    halves = nd.split(x, num_outputs=2, axis=1)
    joined = nd.concat(*halves, dim=0)
    mask = (joined > 3) * joined
    sparse = mask.tostype("csr")
    total = float(sparse.tostype("default").sum().asscalar())
    moved = largest.as_in_context(mx.cpu()).copyto(mx.cpu())
    with autograd.record():
        x.attach_grad()
        loss = (x**2).sum() / rows
    loss.backward()
    return float(total + first.sum() + moved.size + x.grad.sum().asscalar())


def saved(folder: str) -> dict[str, nd.NDArray]:
    path = os.path.join(folder, "arrays.params")
    nd.save(path, {"a": nd.ones((2, 3)), "b": nd.zeros((4,), dtype="int32")})
    loaded = nd.load(path)
    assert sorted(loaded) == ["a", "b"]
    return {name: array.copy() for name, array in loaded.items()}


# Gluon --------------------------------------------------------------------------------------------


class Residual(gluon.HybridBlock):
    def __init__(self, channels: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.body = nn.HybridSequential(prefix="")
            self.body.add(
                nn.Conv2D(channels, kernel_size=3, padding=1, in_channels=channels),
                nn.BatchNorm(momentum=0.9),
                nn.Activation("relu"),
                nn.Conv2D(channels, 3, padding=(1, 1)),
            )
            self.scale = self.params.get("scale", shape=(1,), init=init.One())

    def hybrid_forward(self, F: Any, x: Any, scale: Any) -> Any:
        return F.relu(F.broadcast_mul(self.body(x), scale) + x)


def network(classes: int = 10) -> nn.HybridSequential:
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Conv2D(8, kernel_size=(3, 3), strides=2, activation="relu"))
        net.add(Residual(8))
        net.add(nn.MaxPool2D(pool_size=2, strides=2), nn.GlobalAvgPool2D(), nn.Flatten())
        net.add(nn.Dense(16, activation="relu"), nn.Dropout(0.5), nn.LayerNorm())
        net.add(nn.Dense(classes))
    net.initialize(init.Xavier(magnitude=2.24), ctx=mx.cpu())
    net.hybridize(static_alloc=True)
    return net


def digits(count: int = 32) -> DataLoader:
    images = onp.random.RandomState(0).randint(0, 255, (count, 16, 16, 3)).astype("uint8")
    labels = onp.arange(count) % 10
    to_tensor = transforms.Compose(
        [transforms.ToTensor(), transforms.Normalize((0.5, 0.5, 0.5), (0.25, 0.25, 0.25))]
    )
    dataset = ArrayDataset(nd.array(images, dtype="uint8"), labels.astype("float32"))
    return DataLoader(
        dataset.transform_first(to_tensor), batch_size=8, shuffle=True, last_batch="discard"
    )


def train(net: nn.HybridSequential, loader: DataLoader, epochs: int = 1) -> float:
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    schedule = mx.lr_scheduler.FactorScheduler(step=100, factor=0.9, base_lr=0.01)
    trainer = gluon.Trainer(
        net.collect_params(), "adam", {"learning_rate": 0.01, "lr_scheduler": schedule}
    )
    accuracy = mx.metric.Accuracy()
    for epoch in range(epochs):
        accuracy.reset()
        for data, label in loader:
            parts = gluon.utils.split_and_load(data, [mx.cpu()])
            targets = gluon.utils.split_and_load(label, [mx.cpu()])
            with autograd.record():
                outputs = [net(part) for part in parts]
                losses = [loss_of(out, target) for out, target in zip(outputs, targets)]
            for loss in losses:
                loss.backward()
            trainer.step(data.shape[0])
            accuracy.update(targets, outputs)
        name, value = accuracy.get()
        logging.info("epoch %d: %s %s, rate %g", epoch, name, value, trainer.learning_rate)
    nd.waitall()
    return float(accuracy.get()[1])


def exported(net: nn.HybridSequential, folder: str) -> gluon.SymbolBlock:
    prefix = os.path.join(folder, "net")
    net.save_parameters(prefix + ".params")
    net.load_parameters(prefix + ".params", ctx=mx.cpu())
    net.export(prefix, epoch=0)
    for name, parameter in net.collect_params(".*weight").items():
        assert name.endswith("weight")
        assert parameter.data().shape == parameter.shape
        assert parameter.grad_req in ("write", "add", "null")
    return gluon.SymbolBlock.imports(
        prefix + "-symbol.json", ["data"], prefix + "-0000.params", ctx=mx.cpu()
    )


class Tagger(gluon.Block):
    def __init__(self, words: int, tags: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, 8)
        self.lstm = rnn.LSTM(12, num_layers=2, layout="NTC", bidirectional=True)
        self.cell = rnn.GRUCell(6, input_size=24)
        self.tags = nn.Dense(tags, flatten=False)

    def forward(self, words: nd.NDArray) -> nd.NDArray:
        states = self.lstm.begin_state(batch_size=words.shape[0])
        encoded, _ = self.lstm(self.embedding(words), states)
        outputs, _ = self.cell.unroll(words.shape[1], encoded, layout="NTC", merge_outputs=True)
        scores: nd.NDArray = self.tags(outputs)
        return scores


def tagged() -> tuple[int, ...]:
    tagger = Tagger(20, 3)
    tagger.initialize()
    scores = tagger(nd.ones((2, 5)))
    return tuple(scores.shape)


def fine_tuned() -> tuple[int, ...]:
    net = vision.get_model("squeezenet1.1", pretrained=False, classes=4)
    net.initialize(mx.init.MSRAPrelu())
    features: gluon.HybridBlock = net.features
    out = features(nd.zeros((1, 3, 64, 64)))
    net.collect_params().setattr("grad_req", "null")
    shape: tuple[int, ...] = out.shape
    return shape


# Symbols and Module -------------------------------------------------------------------------------


def multilayer() -> sym.Symbol:
    data = sym.var("data")
    hidden = sym.FullyConnected(data, num_hidden=16, name="fc1")
    hidden = sym.Activation(hidden, act_type="relu")
    hidden = sym.FullyConnected(hidden, num_hidden=3, name="fc2")
    return sym.SoftmaxOutput(hidden, name="softmax")


def module(folder: str) -> float:
    rng = onp.random.RandomState(1)
    x, y = rng.rand(24, 6).astype("float32"), (onp.arange(24) % 3).astype("float32")
    batches = mx.io.NDArrayIter({"data": x}, {"softmax_label": y}, batch_size=8, shuffle=True)
    symbol = multilayer()
    mod = mx.mod.Module(symbol, context=mx.cpu(), label_names=["softmax_label"])
    mod.fit(
        batches,
        eval_data=batches,
        eval_metric="acc",
        optimizer="sgd",
        optimizer_params={"learning_rate": 0.1, "momentum": 0.9},
        initializer=mx.init.Uniform(0.1),
        num_epoch=2,
        batch_end_callback=mx.callback.Speedometer(8, 10),
        epoch_end_callback=mx.callback.do_checkpoint(os.path.join(folder, "mlp")),
    )
    scores = dict(mod.score(batches, mx.metric.CompositeEvalMetric(["acc", "ce"])))
    arg_params, aux_params = mod.get_params()
    loaded, args, _ = mx.model.load_checkpoint(os.path.join(folder, "mlp"), 2)
    assert loaded.list_arguments() == symbol.list_arguments()
    assert set(args) == set(arg_params)
    assert not aux_params
    prediction: nd.NDArray = mod.predict(batches)
    return float(scores["accuracy"]) + prediction.shape[0]


def bound() -> list[tuple[int, ...]]:
    symbol = multilayer()
    arg_shapes, out_shapes, _ = symbol.infer_shape(data=(4, 6))
    assert len(arg_shapes) == len(symbol.list_arguments())
    executor = symbol.simple_bind(mx.cpu(), grad_req="write", data=(4, 6))
    executor.arg_dict["data"][:] = 1
    executor.forward(is_train=True)
    executor.backward()
    group = sym.Group([symbol, symbol.get_internals()["fc1_output"]])
    assert group.tojson()
    return [output.shape for output in executor.outputs] + list(out_shapes)


def predicted(folder: str) -> tuple[int, ...]:
    prefix = os.path.join(folder, "mlp")
    predictor = mx.Predictor.from_checkpoint(prefix, 2, {"data": (1, 6)})
    predictor.forward(data=onp.ones((1, 6), "float32"))
    shape: tuple[int, ...] = predictor.get_output(0).shape
    return shape


# mx.np --------------------------------------------------------------------------------------------


@mx.util.use_np
class Scale(gluon.HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(4, in_units=3)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.npx.softmax(self.dense(x), axis=-1)


@mx.util.use_np
def numpy_arrays() -> float:
    a = np.linspace(0, 1, 12).reshape(3, 4)
    b = np.random.normal(0, 1, size=(4, 3))
    c: np.ndarray = np.matmul(a, b)
    c[c > 0] = 0
    mean, spread = np.mean(c, axis=0), np.std(c)
    stacked = np.stack([mean, np.maximum(mean, 0), np.where(mean > 0, mean, -mean)])
    a.attach_grad()
    with autograd.record():
        loss = np.sum(np.exp(a) * np.einsum("ij->ij", a)) + npx.relu(a).sum()
    loss.backward()
    net = Scale()
    net.initialize()
    probabilities: np.ndarray = net(np.ones((2, 3)))
    index = int(np.argmax(probabilities[0]))
    return float(stacked.sum() + spread + index + a.grad.sum().item())


# Files, store, optimizers -------------------------------------------------------------------------


def records(folder: str) -> int:
    rec, idx = os.path.join(folder, "a.rec"), os.path.join(folder, "a.idx")
    writer = mx.recordio.MXIndexedRecordIO(idx, rec, "w")
    for i in range(3):
        image = onp.full((8, 8, 3), i, "uint8")
        header = mx.recordio.IRHeader(0, float(i), i, 0)
        writer.write_idx(i, mx.recordio.pack_img(header, image, quality=95, img_fmt=".png"))
    writer.close()
    reader = mx.recordio.MXIndexedRecordIO(idx, rec, "r")
    found, picture = mx.recordio.unpack_img(reader.read_idx(1))
    reader.close()
    images = mx.io.ImageRecordIter(
        path_imgrec=rec, path_imgidx=idx, data_shape=(3, 8, 8), batch_size=1, shuffle=False
    )
    resized = mx.image.imresize(nd.array(picture, dtype="uint8"), 4, 4)
    count: int = found.id + sum(batch.data[0].shape[0] for batch in images) + resized.shape[0]
    return count


def stored() -> float:
    store = mx.kv.create("local")
    store.init("w", nd.zeros((2, 3)))
    store.set_optimizer(mx.optimizer.SGD(learning_rate=0.5, momentum=0.9, wd=1e-4))
    store.push("w", [nd.ones((2, 3)), nd.ones((2, 3))])
    out = nd.empty((2, 3))
    store.pull("w", out=out)
    assert (store.rank, store.num_workers) == (0, 1)
    return float(out.sum().asscalar())


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        print(arrays(), sorted(saved(folder)))
        net = network()
        print(train(net, digits()), exported(net, folder)(nd.zeros((1, 3, 16, 16))).shape)
        print(tagged(), fine_tuned())
        print(module(folder), bound(), predicted(folder))
        print(numpy_arrays(), records(folder), stored())


if __name__ == "__main__":
    main()
