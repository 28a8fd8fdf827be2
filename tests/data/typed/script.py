# SPDX-License-Identifier: Apache-2.0
"""A script at module level, as people write them. Type checkers find no fault."""

from __future__ import annotations

import logging
import os
from typing import Any, NamedTuple

import numpy as np

import mxnova as mx
from mxnova import (
    autograd,
    gluon,
    image,
    init,
    io,
    kvstore,
    lr_scheduler,
    metric,
    nd,
    optimizer,
    recordio,
    sym,
)
from mxnova.gluon import Trainer, nn, rnn
from mxnova.gluon import data as gdata
from mxnova.gluon import loss as gloss
from mxnova.gluon.data.vision import datasets, transforms
from mxnova.gluon.model_zoo import vision
from mxnova.gluon.utils import clip_global_norm, split_and_load
from mxnova.module import Module

ctx = mx.gpu(0) if mx.context.num_gpus() > 0 else mx.cpu()
mx.random.seed(42)
logging.basicConfig(level=logging.INFO)


class Residual(nn.HybridBlock):
    def __init__(
        self, channels: int, strides: int = 1, same_shape: bool = True, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.same_shape = same_shape
        with self.name_scope():
            self.conv1 = nn.Conv2D(
                channels, kernel_size=3, padding=1, strides=strides, use_bias=False
            )
            self.bn1 = nn.BatchNorm()
            self.conv2 = nn.Conv2D(channels, kernel_size=3, padding=1)
            self.bn2 = nn.BatchNorm()
            if not same_shape:
                self.conv3 = nn.Conv2D(channels, kernel_size=1, strides=strides)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if not self.same_shape:
            x = self.conv3(x)
        return F.relu(out + x)


def build(classes: int = 10) -> nn.HybridSequential:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(
            nn.Conv2D(channels=32, kernel_size=(3, 3), activation="relu", layout="NCHW"),
            nn.MaxPool2D(pool_size=2, strides=2),
            Residual(32),
            nn.GlobalAvgPool2D(),
            nn.Flatten(),
            nn.Dropout(0.5),
            nn.Dense(
                classes, weight_initializer=init.Xavier(magnitude=2.24), bias_initializer="zeros"
            ),
        )
    return net


net = build()
net.initialize(mx.init.MSRAPrelu(), ctx=ctx)
net.hybridize(static_alloc=True, static_shape=True)
x = nd.random.uniform(0, 1, shape=(8, 3, 32, 32), ctx=ctx)
label = nd.random.randint(0, 10, shape=(8,), ctx=ctx).astype("float32")
schedule = lr_scheduler.FactorScheduler(step=100, factor=0.9, base_lr=0.1)
opt = optimizer.SGD(learning_rate=0.1, momentum=0.9, wd=1e-4, lr_scheduler=schedule)
trainer = Trainer(net.collect_params(), opt, kvstore="device")
trainer2 = gluon.Trainer(
    net.collect_params(".*weight"),
    "adam",
    {"learning_rate": 1e-3, "beta1": 0.9},
    update_on_kvstore=False,
)
loss_fn = gloss.SoftmaxCrossEntropyLoss()
acc = metric.Accuracy()
composite = metric.CompositeEvalMetric(metrics=[metric.Accuracy(), metric.TopKAccuracy(top_k=5)])
for epoch in range(2):
    acc.reset()
    with autograd.record():
        out = net(x)
        loss = loss_fn(out, label)
    loss.backward()
    grads = [v.grad() for v in net.collect_params().values() if v.grad_req != "null"]
    norm = clip_global_norm(grads, 1.0)
    trainer.step(x.shape[0], ignore_stale_grad=True)
    acc.update(label, out)
    name, value = acc.get()
    print(f"epoch {epoch} loss {loss.mean().asscalar():.3f} {name}={value} norm={norm}")
    print(trainer.learning_rate)
net.save_parameters("net.params")
net.load_parameters("net.params", ctx=ctx, allow_missing=True, ignore_extra=True, cast_dtype=False)
net.export("net", epoch=1)
block = gluon.SymbolBlock.imports("net-symbol.json", ["data"], "net-0001.params", ctx=ctx)
y = block(x)
print(y.shape, y.dtype, y.context, y.size, y.ndim, y.T.shape, y.argmax(axis=1).asnumpy().tolist())
params = net.collect_params()
for key, param in params.items():
    print(
        key,
        param.shape,
        param.dtype,
        param.data().norm().asscalar(),
        param.list_ctx(),
        param.lr_mult,
    )
    param.set_data(param.data() * 1.0)
params.setattr("grad_req", "write")
net[0].weight.set_data(nd.zeros_like(net[0].weight.data()))
first, *rest = list(net)
net.apply(lambda child: print(child.name))
net.cast("float32")
net.hybridize(False)
net.summary(x)

# recurrent
lstm = rnn.LSTM(16, num_layers=2, bidirectional=True, dropout=0.1, input_size=8)
lstm.initialize()
state = lstm.begin_state(batch_size=4)
outputs, new_state = lstm(nd.ones((5, 4, 8)), state)
cell = rnn.SequentialRNNCell()
cell.add(rnn.GRUCell(16))
cell.add(rnn.DropoutCell(0.2))
cell.initialize()
seq, states = cell.unroll(5, nd.ones((4, 5, 8)), layout="NTC", merge_outputs=True)

# data
transform = transforms.Compose(
    [
        transforms.Resize(32),
        transforms.RandomFlipLeftRight(),
        transforms.ToTensor(),
        transforms.Normalize((0.5, 0.5, 0.5), (0.2, 0.2, 0.2)),
    ]
)
dataset = gdata.ArrayDataset(np.zeros((16, 3)).astype("float32"), np.arange(16))
loader = gdata.DataLoader(
    dataset.transform_first(lambda a: a * 2),
    batch_size=4,
    shuffle=True,
    last_batch="discard",
    num_workers=0,
)
for i, (data_batch, label_batch) in enumerate(loader):
    parts = split_and_load(data_batch, [mx.cpu()], even_split=False)
    print(i, parts[0].shape, label_batch.shape, len(loader))
sampler = gdata.BatchSampler(gdata.RandomSampler(16), 4, "keep")
print(len(sampler), [len(b) for b in sampler])
mnist = datasets.MNIST if os.path.exists("mnist") else None
folder = (
    datasets.ImageFolderDataset("images", flag=1, transform=None)
    if os.path.exists("images")
    else None
)


class Squares(gdata.Dataset):
    def __getitem__(self, idx: int) -> tuple[float, float]:
        return float(idx), float(idx**2)

    def __len__(self) -> int:
        return 10


print(Squares().take(3)[1], len(list(gdata.DataLoader(Squares(), 2))))

# np
with mx.util.np_shape(True):
    pass
mx.npx.set_np()
a = mx.np.arange(12).reshape(3, 4)
b = mx.np.random.normal(0, 1, size=(4, 5))
c = a.astype("float32") @ b
d = mx.np.concatenate([c, c], axis=0)
e = mx.np.where(d > 0, d, mx.np.zeros_like(d))
m, s = e.mean(axis=1, keepdims=True), e.std(axis=1)
f = mx.np.linalg.norm(e - m, axis=1) + s
g = mx.npx.softmax(d, axis=-1)
h = mx.np.einsum("ij,kj->ik", g, d)
total: float = float(h.sum().item())
u, sv, vt = mx.np.linalg.svd(mx.np.ones((3, 4)))
a[0, 1:3] = 7
a[a > 5] = 0
print(
    total,
    a.tolist(),
    f.asnumpy(),
    u.shape,
    sv.shape,
    vt.shape,
    mx.np.split(a, 3),
    mx.np.stack([a, a]).shape,
)
mx.npx.reset_np()

# nd
p = nd.array([[1, 2], [3, 4]], dtype="float32")
q = nd.dot(p, p.T) + p * 2 - 1 / p
r = nd.concat(p, q, dim=1)
sp = nd.sparse.csr_matrix(
    (np.array([1.0, 2.0]), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2)
)
dense = sp.tostype("default")
rs = p.tostype("row_sparse")
nd.save("p.nd", {"p": p, "q": q})
loaded = nd.load("p.nd")
print(
    p[0],
    p[:, 1],
    p[0, 1].asscalar(),
    q.reshape((-1,)).shape,
    r.shape,
    dense.shape,
    rs.indices,
    loaded,
)
topk = nd.topk(q, k=1, ret_typ="value")
onehot = nd.one_hot(nd.array([0, 1]), depth=3)
p += 1
p *= q
nd.waitall()
p.wait_to_read()
p.attach_grad(grad_req="add")
with autograd.record(train_mode=True), autograd.pause():
    z = (p**2).sum()
print(autograd.is_training(), p.grad, topk, onehot, z)
copied = p.copyto(mx.cpu())
t = p.as_in_context(mx.cpu()).detach().copy()

# symbols and Module
data = sym.Variable("data")
fc1 = sym.FullyConnected(data=data, name="fc1", num_hidden=16)
act = sym.Activation(fc1, act_type="relu", name="relu1")
fc2 = sym.FullyConnected(act, name="fc2", num_hidden=3)
out_sym = sym.SoftmaxOutput(fc2, name="softmax")
args, outs, auxs = out_sym.infer_shape(data=(4, 8))
print(out_sym.list_arguments(), out_sym.list_outputs(), args, outs, auxs, out_sym.tojson()[:10])
internals = out_sym.get_internals()
feat = internals["relu1_output"]
group = sym.Group([out_sym, sym.BlockGrad(feat)])
train_iter = io.NDArrayIter(
    np.random.rand(16, 8), np.zeros(16), batch_size=4, shuffle=True, label_name="softmax_label"
)
mod = Module(symbol=out_sym, context=ctx, data_names=["data"], label_names=["softmax_label"])
mod.fit(
    train_iter,
    eval_data=train_iter,
    num_epoch=1,
    optimizer="sgd",
    optimizer_params={"learning_rate": 0.1, "momentum": 0.9},
    eval_metric="acc",
    batch_end_callback=mx.callback.Speedometer(4, 2),
    epoch_end_callback=mx.callback.do_checkpoint("mod"),
    initializer=mx.init.Xavier(),
)
score = mod.score(train_iter, ["mse", "acc"])
pred = mod.predict(train_iter)
arg_params, aux_params = mod.get_params()
mod.save_checkpoint("mod", 1, save_optimizer_states=True)
loaded_sym, arg2, aux2 = mx.model.load_checkpoint("mod", 1)
mod2 = mx.mod.Module.load("mod", 1, load_optimizer_states=False)
mod2.bind(
    data_shapes=train_iter.provide_data, label_shapes=train_iter.provide_label, for_training=False
)
mod2.set_params(arg2, aux2, allow_missing=False)


class Batch(NamedTuple):
    data: list[nd.NDArray]


mod2.forward(Batch([nd.ones((4, 8))]), is_train=False)
prob = mod2.get_outputs()[0].asnumpy()
exe = out_sym.simple_bind(ctx=mx.cpu(), data=(4, 8), grad_req="write")
exe.arg_dict["data"][:] = 1
exe.forward(is_train=True)
exe.backward()
print(
    exe.outputs[0].shape,
    exe.grad_dict["fc1_weight"].shape,
    prob.shape,
    score,
    pred,
    sorted(arg_params),
    aux_params,
)

# KVStore, records, images, predictor
kv = kvstore.create("local")
kv.init("w", nd.ones((2, 2)))
kv.push("w", [nd.ones((2, 2)), nd.ones((2, 2))])
pulled = nd.zeros((2, 2))
kv.pull("w", out=pulled)
kv.set_optimizer(mx.optimizer.create("sgd", learning_rate=0.1))
print(kv.rank, kv.num_workers, kv.type, pulled)
rec = recordio.MXIndexedRecordIO("a.idx", "a.rec", "w")
header = recordio.IRHeader(0, 1.0, 0, 0)
rec.write_idx(0, recordio.pack(header, b"text"))
rec.close()
reader = recordio.MXIndexedRecordIO("a.idx", "a.rec", "r")
head, content = recordio.unpack(reader.read_idx(0))
print(head.label, len(content), reader.keys)
img = image.imresize(nd.zeros((8, 8, 3), dtype="uint8"), 4, 4)
crop, rect = image.center_crop(img, (2, 2))
augs = image.CreateAugmenter(data_shape=(3, 4, 4), rand_mirror=True, mean=True)
for aug in augs:
    img = aug(img)
predictor = mx.Predictor.from_checkpoint("mod", 1, {"data": (4, 8)})
(answer,) = predictor.predict(data=np.ones((4, 8), np.float32))
resnet = vision.resnet18_v1(classes=10, pretrained=False)
mobile = vision.get_model("mobilenetv2_1.0", classes=10)
mx.viz.print_summary(out_sym, shape={"data": (4, 8)})
custom = mx.metric.np(lambda label, pred: float((label - pred).mean()))
monitor = mx.mon.Monitor(1, pattern=".*weight")
print(answer.shape, resnet, mobile, crop, rect, custom, monitor, mx.__version__)
