# SPDX-License-Identifier: Apache-2.0
"""Training loops: several contexts, sparse gradients, hooks, sharing, estimators."""

from .kit import draw, numbers, program, start, sums, train


def mlp(mx, prefix="mlp_", out=3, **kwargs):
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(nn.Dense(6, activation="relu"), nn.BatchNorm(), nn.Dense(out))
    return net


def classified(i, n=8):
    return draw(n, 5, seed=i), numbers(3, n, seed=i)


@program
def several_contexts(mx, folder):
    """A batch over four contexts; statistics are those of each."""
    contexts = [mx.cpu(i) for i in range(4)]
    net = mlp(mx)
    net.initialize(ctx=contexts)
    start(mx, net, mx.nd.array(draw(2, 5), ctx=contexts[0]))
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.5})
    net.hybridize()
    found = []
    for i in range(4):
        x, y = classified(i, 10)
        xs = mx.gluon.utils.split_and_load(x, contexts, even_split=False)
        ys = mx.gluon.utils.split_and_load(y, contexts, even_split=False)
        with mx.autograd.record():
            losses = [loss_of(net(a), b) for a, b in zip(xs, ys)]
        for loss in losses:
            loss.backward()
        trainer.step(10)
        found.append([loss.sum().asscalar() for loss in losses])
    arrays = [p.list_data() for p in net.collect_params().values() if p.grad_req != "null"]
    same = all((a.asnumpy() == copies[0].asnumpy()).all() for copies in arrays for a in copies)
    return [found, sums(net), same, [str(c) for c in net[0].weight.list_ctx()]]


for _name, _store in {"none": None, "local": "local", "device": "device"}.items():
    for _on_store in (False, True):
        if _name == "none" and _on_store:
            continue

        def run(mx, folder, store=_store, on_store=_on_store):
            contexts = [mx.cpu(0), mx.cpu(1)]
            net = mlp(mx)
            net.initialize(ctx=contexts)
            start(mx, net, mx.nd.array(draw(2, 5), ctx=contexts[0]))
            store = mx.kv.create(store) if store else None
            trainer = mx.gluon.Trainer(
                net.collect_params(), "adam", {"learning_rate": 0.05, "epsilon": 1e-3},
                kvstore=store, update_on_kvstore=on_store if store else None,
            )  # fmt: skip
            loss_of = mx.gluon.loss.L2Loss()
            for i in range(3):
                xs = mx.gluon.utils.split_and_load(draw(6, 5, seed=i), contexts)
                with mx.autograd.record():
                    losses = [loss_of(net(x), mx.nd.ones((3, 3), ctx=x.context)) for x in xs]
                mx.autograd.backward(losses)
                trainer.step(6)
            trainer.save_states(str(folder / "x.states"))
            trainer.load_states(str(folder / "x.states"))
            ends = [
                float(p.list_data()[-1].sum().asscalar()) for p in net.collect_params().values()
            ]
            return [sums(net), ends, trainer._update_on_kvstore, trainer.optimizer.num_update]

        run.__name__ = f"store_{_name}_{'updates' if _on_store else 'sums'}"
        program(run)


@program
def sparse_embedding(mx, folder):
    """Row_sparse gradients: what no batch names stays, weight decay and momentum included."""
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix="sparse_")
    with net.name_scope():
        net.add(nn.Embedding(20, 4, sparse_grad=True), nn.Dense(3))
    start(mx, net, mx.nd.array(numbers(9, 4, 2)))
    before = net[0].weight.data().asnumpy()
    batches = [(numbers(9, 4, 2, seed=i), numbers(3, 4, seed=i)) for i in range(4)]
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    found = train(mx, net, loss, batches, momentum=0.9, wd=0.1)
    grad = net[0].weight.grad()
    moved = (net[0].weight.data().asnumpy() != before).any(axis=1)
    return [found, grad.stype, grad.indices, moved.astype("float32")]


@program
def sparse_weight(mx, folder):
    """A row_sparse parameter, of which rows are pulled before each forward."""

    class Factors(mx.gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.weight = self.params.get(
                    "weight", shape=(12, 3), stype="row_sparse", grad_stype="row_sparse"
                )

        def forward(self, users, items):
            rows = self.weight.row_sparse_data(mx.nd.concat(users, items, dim=0))
            a, b = (
                mx.nd.Embedding(i, rows, input_dim=12, output_dim=3, sparse_grad=True)
                for i in (users, items)
            )
            return (a * b).sum(axis=1)

    net = Factors(prefix="factors_")
    net.initialize(mx.init.Constant(0.3))
    trainer = mx.gluon.Trainer(net.collect_params(), "adagrad", {"learning_rate": 0.2})
    loss_of, losses = mx.gluon.loss.L2Loss(), []
    for i in range(4):
        users, items = mx.nd.array(numbers(6, 4, seed=i)), mx.nd.array(6 + numbers(6, 4, seed=i))
        with mx.autograd.record():
            loss = loss_of(net(users, items), mx.nd.ones(4))
        loss.backward()
        trainer.step(4)
        losses.append(loss.mean().asscalar())
    rows = net.weight.row_sparse_data(mx.nd.arange(12))
    return [losses, rows.tostype("default"), trainer._update_on_kvstore]


@program
def gradients_of_hybridized_blocks(mx, folder):
    """autograd.grad for inputs and parameters, with head gradients, twice from one graph."""
    net = mlp(mx)
    x = mx.nd.array(draw(6, 5))
    start(mx, net, x)
    net.hybridize()
    x.attach_grad()
    with mx.autograd.record():
        y = net(x)
        double = y * 2
    params = [net[0].weight.data(), net[2].weight.data()]
    first = mx.autograd.grad(y, [x, *params], mx.nd.array(draw(6, 3, seed=3)), retain_graph=True)
    second = mx.autograd.grad([y, double], [x, *params])
    return [first, second]


@program
def paused(mx, folder):
    """What is computed under pause is a constant; train_mode decides what layers do."""
    net = mlp(mx)
    x = mx.nd.array(draw(6, 5))
    start(mx, net, x)
    teacher = mlp(mx, "teacher_")
    start(mx, teacher, x, seed=5)
    found = []
    for hybridized in (False, True):
        net.hybridize(hybridized)
        with mx.autograd.record():
            with mx.autograd.pause():
                target = teacher(x).softmax()
            with mx.autograd.predict_mode():
                out = net(x)
            loss = -(target * out.log_softmax()).sum()
        loss.backward(train_mode=False)
        found.append([loss, net[0].weight.grad(), net[1].running_mean.data()])
        with mx.autograd.train_mode():
            found.append(net(x))
        found.append(net[1].running_mean.data())
    return found


@program
def hooks_and_apply(mx, folder):
    """Outputs gathered by hooks, initialization by apply, and what forward gives without them."""
    net = mlp(mx)
    x = mx.nd.array(draw(6, 5))
    start(mx, net, x)
    seen, shapes = [], []
    first = net[0].register_forward_hook(lambda b, i, o: seen.append([b.name, o.shape]))
    net.register_forward_pre_hook(lambda b, i: shapes.append(i[0].shape))
    net(x)
    first.detach()
    net(x)
    kinds = []
    net.apply(lambda b: kinds.append(type(b).__name__))

    def ones(block):
        if isinstance(block, mx.gluon.nn.Dense):
            block.weight.set_data(mx.nd.ones(block.weight.shape))

    net.apply(ones)
    with mx.autograd.record():
        out = net(x)
    return [seen, shapes, kinds, out, repr(net)]


@program
def shared_by_prefix_and_params(mx, folder):
    """Tied weights: one gradient, one update, both names."""
    nn = mx.gluon.nn

    class Tied(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.encode = nn.Dense(5, in_units=5, use_bias=False, activation="tanh")
                self.decode = nn.Dense(5, params=self.encode.params, in_units=5, use_bias=False)

        def hybrid_forward(self, F, x):
            return self.decode(self.encode(x))

    net = Tied(prefix="tied_")
    start(mx, net)
    net.hybridize()
    loss = mx.gluon.loss.L1Loss()
    found = train(mx, net, loss, [(draw(4, 5, seed=i), draw(4, 5, seed=i + 9)) for i in range(3)])
    net.save_parameters(str(folder / "all.params"))
    net.save_parameters(str(folder / "once.params"), deduplicate=True)
    names = [sorted(mx.nd.load(str(folder / f))) for f in ("all.params", "once.params")]
    return [found, names, net.encode.weight is net.decode.weight]


@program
def call_and_forward_overridden(mx, folder):
    """__call__ with keywords around the block's, and a forward that looks at arrays."""
    nn = mx.gluon.nn

    class Gated(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.dense = nn.Dense(4)
                self.gate = self.params.get("gate", shape=(1,), init="ones")

        def __call__(self, x, mask=None, scale=1.0):
            return super().__call__(x if mask is None else x * mask) * scale

        def hybrid_forward(self, F, x, gate):
            return F.broadcast_mul(self.dense(x), gate)

    class Branching(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.small, self.large = Gated(), Gated()

        def forward(self, x):
            branch = self.large if x.shape[0] > 3 else self.small
            if float(x.sum().asscalar()) > 100:
                return x
            return branch(x, scale=2.0)

    net = Branching(prefix="branching_")
    for n in (2, 5):
        start(mx, net.small if n < 4 else net.large, mx.nd.array(draw(n, 3)))
    net.hybridize()
    found = [net(mx.nd.array(draw(n, 3, seed=n))) for n in (2, 5, 3)]
    mask = net.small(mx.nd.array(draw(2, 3)), mx.nd.array(draw(2, 3, seed=4)), scale=0.5)
    return [found, mask, [*net.collect_params()], [*net.small._reg_params]]


@program
def dict_surgery(mx, folder):
    """Parameters taken out of one network, renamed, cast, put into another."""
    net = mlp(mx)
    x = mx.nd.array(draw(4, 5))
    start(mx, net, x)
    params = net.collect_params()
    chosen = net.collect_params(".*weight|.*bias")
    merged = mx.gluon.ParameterDict("other_")
    merged.update(chosen)
    own = merged.get("extra", shape=(2, 2), init=mx.init.Constant(2.0))
    own.initialize()
    arrays = {name: p.data().copy() for name, p in params.items()}
    params.save(str(folder / "p.params"), strip_prefix="mlp_")
    other = mlp(mx, "next_")
    other.initialize()
    other(x)
    other.collect_params().load(str(folder / "p.params"), mx.cpu(), restore_prefix="next_")
    for name, p in other.collect_params().items():
        p.set_data(arrays[name.replace("next_", "mlp_")] * 2)
    return [
        [*chosen], [*merged], own.data(), other(x), sorted(mx.nd.load(str(folder / "p.params"))),
        repr(params), str(net[0].weight), net[0].weight.lr_mult, params.prefix,
    ]  # fmt: skip


@program
def replaced_head(mx, folder):
    """Fine-tuning: the features of a saved network with a new output layer, which learns faster."""
    old = mlp(mx)
    x = mx.nd.array(draw(4, 5))
    start(mx, old, x)
    old.save_parameters(str(folder / "old.params"))
    new = mlp(mx, "tuned_", out=2)
    new[:2].load_parameters(str(folder / "old.params"), ignore_extra=True)
    new[2].initialize(mx.init.Constant(0.1))
    new[2].collect_params().setattr("lr_mult", 10)
    new.hybridize()
    batches = [(draw(4, 5, seed=i), numbers(2, 4, seed=i)) for i in range(3)]
    return train(mx, new, mx.gluon.loss.SoftmaxCELoss(), batches, "sgd", wd=0.01)


@program
def loop_with_metrics(mx, folder):
    """DataLoader, metrics, and a loop over epochs in the style of scripts."""
    x, y = draw(20, 5), numbers(3, 20)
    data = mx.gluon.data.ArrayDataset(x, y).transform_first(lambda a: a * 2)
    loader = mx.gluon.data.DataLoader(data, batch_size=6, shuffle=False, last_batch="rollover")
    net = mlp(mx)
    start(mx, net, mx.nd.array(x))
    net.hybridize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05})
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    metric = mx.metric.CompositeEvalMetric([mx.metric.Accuracy(), mx.metric.TopKAccuracy(2)])
    metric.add(mx.metric.Loss())
    found = []
    for _ in range(3):
        for m in metric.metrics:
            m.reset()
        for data, label in loader:
            with mx.autograd.record():
                out = net(data)
                loss = loss_of(out, label)
            loss.backward()
            trainer.step(data.shape[0])
            for m in metric.metrics[:2]:
                m.update([label], [out])
            metric.metrics[2].update(0, loss)
        found.append(metric.get())
    return [found, sums(net)]


@program
def estimated(mx, folder):
    """estimator.fit, with metrics of training and validation."""
    from importlib import import_module

    estimator = import_module(f"{mx.__name__}.gluon.contrib.estimator")
    net = mlp(mx)
    start(mx, net, mx.nd.array(draw(4, 5)))
    data = mx.gluon.data.ArrayDataset(draw(24, 5), numbers(3, 24))
    loader = mx.gluon.data.DataLoader(data, batch_size=8)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    est = estimator.Estimator(
        net, mx.gluon.loss.SoftmaxCrossEntropyLoss(),
        train_metrics=mx.metric.Accuracy(), trainer=trainer, context=mx.cpu(),
    )  # fmt: skip
    import logging

    est.logger.setLevel(logging.ERROR)
    est.fit(loader, loader, epochs=3)
    return [
        [m.get()[1] for m in est.train_metrics],
        [m.get()[1] for m in est.val_metrics],
        sums(net),
    ]


@program
def iterators_and_rates(mx, folder):
    """Batches of NDArrayIter, with padding; Xavier's scale; a rate for each step."""
    data = mx.io.NDArrayIter(draw(10, 5), numbers(3, 10), 4, label_name="softmax_label")
    net = mlp(mx)
    start(mx, net, mx.nd.array(draw(4, 5)))
    trainer = mx.gluon.Trainer(net.collect_params(), mx.optimizer.SGD(learning_rate=0.1, wd=0.05))
    loss_of, found = mx.gluon.loss.SoftmaxCrossEntropyLoss(), []
    for epoch in range(2):
        data.reset()
        for i, batch in enumerate(data):
            trainer.set_learning_rate(0.1 / (1 + epoch + i))
            with mx.autograd.record():
                loss = loss_of(net(batch.data[0]), batch.label[0])
            loss.backward()
            trainer.step(4 - batch.pad)
            found.append([loss.mean().asscalar(), batch.pad, trainer.learning_rate])
    return [found, sums(net)]


@program
def custom_optimizer(mx, folder):
    """A registered optimizer, and an initializer, of the program's own."""

    @mx.optimizer.Optimizer.register
    class SignedStep(mx.optimizer.Optimizer):
        def __init__(self, decay=0.9, **kwargs):
            super().__init__(**kwargs)
            self.decay = decay

        def create_state(self, index, weight):
            return mx.nd.zeros(weight.shape, weight.context, dtype=weight.dtype)

        def update(self, index, weight, grad, state):
            self._update_count(index)
            lr, wd = self._get_lr(index), self._get_wd(index)
            state[:] = self.decay * state + grad * self.rescale_grad
            weight[:] = weight - lr * mx.nd.softsign(state) - lr * wd * weight

    class Ramp(mx.init.Initializer):
        def _init_weight(self, name, arr):
            arr[:] = mx.nd.arange(arr.size).reshape(arr.shape) / arr.size - 0.5

    net = mlp(mx)
    net.initialize(Ramp())
    found = train(
        mx, net, mx.gluon.loss.SoftmaxCrossEntropyLoss(), [classified(i) for i in range(4)],
        "signedstep", decay=0.5, wd=0.01,
    )  # fmt: skip
    mx.optimizer.Optimizer.opt_registry.pop("signedstep")
    return found


@program
def losses_of_a_detector(mx, folder):
    """Two heads, a masked smooth L1 loss and a focal loss, on anchors of MultiBox operators."""
    nn = mx.gluon.nn

    class Toy(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.body = nn.HybridSequential()
                self.body.add(nn.Conv2D(4, 3, 2, 1), nn.BatchNorm(), nn.LeakyReLU(0.1))
                self.classes = nn.Conv2D(2 * 3, 3, padding=1)
                self.boxes = nn.Conv2D(2 * 4, 3, padding=1)

        def hybrid_forward(self, F, x):
            feature = self.body(x)
            anchors = F.contrib.MultiBoxPrior(feature, sizes=(0.4, 0.7), ratios=(1,))
            classes = self.classes(feature).transpose((0, 2, 3, 1)).reshape((0, -1, 3))
            boxes = self.boxes(feature).transpose((0, 2, 3, 1)).flatten()
            return classes, boxes, anchors

    net = Toy(prefix="toy_")
    x = mx.nd.array(draw(2, 3, 8, 8))
    start(mx, net, x)
    net.hybridize(static_alloc=True)
    labels = mx.nd.array([[[0, 0.1, 0.1, 0.5, 0.6]], [[1, 0.3, 0.2, 0.9, 0.8]]])
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05, "wd": 5e-4})
    found = []
    for _ in range(3):
        with mx.autograd.record():
            classes, boxes, anchors = net(x)
            target, mask, wanted = mx.nd.contrib.MultiBoxTarget(
                anchors, labels, classes.transpose((0, 2, 1)), negative_mining_ratio=3
            )
            log = classes.log_softmax(axis=-1)
            p = mx.nd.pick(log, wanted, axis=-1)
            focal = -((1 - p.exp()) ** 2) * p
            box = mx.nd.smooth_l1((boxes - target) * mask, scalar=1.0)
            loss = focal.mean(axis=1) + box.mean(axis=1)
        loss.backward()
        trainer.step(2)
        found.append([loss, wanted.sum()])
    return [found, sums(net)]


@program
def generators_with_two_trainers(mx, folder):
    """A generator and a critic, each with a trainer; detached samples."""
    nn = mx.gluon.nn
    make, judge = nn.HybridSequential(prefix="make_"), nn.HybridSequential(prefix="judge_")
    with make.name_scope():
        make.add(nn.Dense(12), nn.HybridLambda(lambda F, x: F.reshape(x, (-1, 3, 2, 2))),
                 nn.Conv2DTranspose(2, 4, 2, 1), nn.Activation("tanh"))  # fmt: skip
    with judge.name_scope():
        judge.add(nn.Conv2D(3, 3, 2, 1), nn.LeakyReLU(0.2), nn.GlobalAvgPool2D(), nn.Dense(1))
    z = mx.nd.array(draw(4, 5))
    start(mx, make, z)
    start(mx, judge, make(z), seed=7)
    make.hybridize(), judge.hybridize()
    rates = {"learning_rate": 0.02, "beta1": 0.5, "epsilon": 1e-3}
    trainers = [mx.gluon.Trainer(n.collect_params(), "adam", rates) for n in (make, judge)]
    loss_of, found = mx.gluon.loss.SigmoidBinaryCrossEntropyLoss(), []
    ones, zeros = mx.nd.ones((4,)), mx.nd.zeros((4,))
    for i in range(3):
        real, z = mx.nd.array(draw(4, 2, 4, 4, seed=i)), mx.nd.array(draw(4, 5, seed=i))
        with mx.autograd.record():
            fake = make(z)
            critic = loss_of(judge(real), ones) + loss_of(judge(fake.detach()), zeros)
        critic.backward()
        trainers[1].step(4)
        with mx.autograd.record():
            loss = loss_of(judge(make(z)), ones)
        loss.backward()
        trainers[0].step(4)
        found.append([critic.mean().asscalar(), loss.mean().asscalar()])
    return [found, sums(make), sums(judge)]


@program
def language_model(mx, folder):
    """Truncated backpropagation: states detached between batches, clipped by global norm."""
    nn, rnn = mx.gluon.nn, mx.gluon.rnn

    class Model(mx.gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.encoder = nn.Embedding(9, 6)
                self.rnn = rnn.LSTM(6, 2, dropout=0.0, input_size=6)
                self.decoder = nn.Dense(9, in_units=6, params=self.encoder.params)

        def forward(self, inputs, hidden):
            output, hidden = self.rnn(self.encoder(inputs), hidden)
            return self.decoder(output.reshape((-1, 6))), hidden

        def begin_state(self, *args, **kwargs):
            return self.rnn.begin_state(*args, **kwargs)

    net = Model(prefix="lm_")
    hidden = net.begin_state(func=mx.nd.zeros, batch_size=3, ctx=mx.cpu())
    start(mx, net)
    net.hybridize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})
    loss_of, found = mx.gluon.loss.SoftmaxCrossEntropyLoss(), []
    for i in range(4):
        data, target = (mx.nd.array(numbers(9, 5, 3, seed=i + j)) for j in (0, 1))
        hidden = [h.detach() for h in hidden]
        with mx.autograd.record():
            output, hidden = net(data, hidden)
            loss = loss_of(output, target.reshape((-1,)))
        loss.backward()
        grads = [p.grad(mx.cpu()) for p in net.collect_params().values()]
        norm = mx.gluon.utils.clip_global_norm(grads, 0.2 * 5 * 3)
        trainer.step(5 * 3)
        found.append([loss.mean().asscalar(), norm])
    return [found, sums(net), [h.sum() for h in hidden], repr(net)]
