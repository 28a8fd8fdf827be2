# SPDX-License-Identifier: Apache-2.0
"""Encoders, decoders, losses and search as packages for translation have them."""

import math

import numpy as np

from .kit import draw, numbers, program, start, sums, train

VOCABULARY, WIDTH, HEADS = 11, 8, 2


def positions(length):
    angles = np.arange(length)[:, None] / 10000 ** (np.arange(0, WIDTH, 2)[None] / WIDTH)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype("float32")


def blocks(mx):
    class Attention(mx.gluon.HybridBlock):
        """Self-attention by the interleaved operators; (length, batch, width)."""

        def __init__(self, prefix, **kwargs):
            super().__init__(prefix=prefix, **kwargs)
            with self.name_scope():
                self.ff_in = mx.gluon.nn.Dense(
                    3 * WIDTH, flatten=False, use_bias=False, prefix="i2h_"
                )
                self.ff_out = mx.gluon.nn.Dense(WIDTH, flatten=False, use_bias=False, prefix="h2o_")

        def hybrid_forward(self, F, x, mask):
            packed = self.ff_in(x)
            scores = F.contrib.interleaved_matmul_selfatt_qk(packed, heads=HEADS)
            weights = F.softmax(F.broadcast_add(scores, mask), axis=-1)
            context = F.contrib.interleaved_matmul_selfatt_valatt(packed, weights, heads=HEADS)
            return self.ff_out(context)

    class EncDec(mx.gluon.HybridBlock):
        """Attention of a decoder over an encoder's states."""

        def __init__(self, prefix, **kwargs):
            super().__init__(prefix=prefix, **kwargs)
            with self.name_scope():
                self.q = mx.gluon.nn.Dense(WIDTH, flatten=False, use_bias=False, prefix="q2h_")
                self.kv = mx.gluon.nn.Dense(
                    2 * WIDTH, flatten=False, use_bias=False, prefix="kv2h_"
                )

        def hybrid_forward(self, F, queries, memory, mask):
            kv = self.kv(memory)
            scores = F.contrib.interleaved_matmul_encdec_qk(self.q(queries), kv, heads=HEADS)
            weights = F.softmax(F.broadcast_add(scores, mask), axis=-1)
            return F.contrib.interleaved_matmul_encdec_valatt(kv, weights, heads=HEADS)

    class Process(mx.gluon.HybridBlock):
        """The "n", "r" and "d" around a layer: normalization, residual, dropout of nothing."""

        def __init__(self, sequence, prefix, **kwargs):
            super().__init__(prefix=prefix, **kwargs)
            self.sequence = sequence
            self.layer_norm = None
            with self.name_scope():
                if "n" in sequence:
                    self.layer_norm = mx.gluon.nn.LayerNorm(axis=-1, epsilon=1e-6, prefix="norm")

        def hybrid_forward(self, F, data, prev):
            for step in self.sequence:
                if step == "r":
                    data = data + prev
                elif step == "n":
                    data = self.layer_norm(data)
                else:
                    data = F.Dropout(data, p=0.0)
            return data

    class Encoder(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.embed_weight = self.params.get("embed_weight", shape=(VOCABULARY, WIDTH))
                self.pos = self.params.get_constant("pos", positions(12))
                self.layers = mx.gluon.nn.HybridSequential()
                for i in range(2):
                    self.layers.add(Attention(f"{i}_att_"))
                self.pre = Process("n", "pre_")
                self.post = Process("dr", "post_")
                self.ff = mx.gluon.nn.HybridSequential(prefix="ff_")
                with self.ff.name_scope():
                    self.ff.add(mx.gluon.nn.Dense(12, flatten=False, activation="relu"))
                    self.ff.add(mx.gluon.nn.Dense(WIDTH, flatten=False))

        def hybrid_forward(self, F, data, lengths, embed_weight, pos):
            x = F.Embedding(
                data, weight=embed_weight, input_dim=VOCABULARY, output_dim=WIDTH,
            ) * math.sqrt(WIDTH)  # fmt: skip
            here = F.slice_like(pos.expand_dims(0), x, axes=(1,))
            x = F.transpose(F.broadcast_add(x, here), axes=(1, 0, 2))
            mask = F.transpose(
                F.SequenceMask(
                    F.zeros_like(F.transpose(data)), use_sequence_length=True,
                    sequence_length=lengths, value=-1e8,
                )
            )  # fmt: skip
            mask = F.repeat(mask.expand_dims(1), repeats=HEADS, axis=0)
            for layer in self.layers:
                x = self.post(layer(self.pre(x, x), mask), x)
            return self.ff(x)

    class Model(mx.gluon.HybridBlock):
        """Encoder and a step of a decoder; the output layer shares the embedding's weights."""

        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.encoder = Encoder(prefix="encoder_")
                self.att = EncDec(prefix="encdec_")
                self.target = mx.gluon.nn.Embedding(
                    VOCABULARY, WIDTH, params=None, prefix="target_embed_"
                )
                self.output = mx.gluon.nn.Dense(
                    VOCABULARY, in_units=WIDTH, flatten=False, params=self.target.params,
                    prefix="target_embed_", use_bias=True,
                )  # fmt: skip

        def hybrid_forward(self, F, source, lengths, target):
            memory = self.encoder(source, lengths)
            queries = F.transpose(self.target(target), axes=(1, 0, 2))
            found = self.att(queries, memory, F.zeros((1, 1, 1)))
            return F.transpose(self.output(found + queries), axes=(1, 0, 2))

    class Smoothed(mx.gluon.loss.Loss):
        """Cross entropy with smoothed labels, of which 0 are padding."""

        def __init__(self, alpha=0.1, weight=1.0, batch_axis=0, **kwargs):
            super().__init__(weight=weight, batch_axis=batch_axis, **kwargs)
            self.alpha = alpha

        def hybrid_forward(self, F, logits, labels):
            pred = F.log_softmax(logits, axis=-1)
            nll = -F.pick(pred, labels, axis=-1, keepdims=False)
            smooth = -F.mean(pred, axis=-1)
            loss = (1 - self.alpha) * nll + self.alpha * smooth
            return F.sum(loss * (labels != 0), axis=1) * self._weight

    return Model, Smoothed


def batch(seed, size=4, source=6, target=5):
    lengths = np.random.RandomState(seed).randint(2, source + 1, size).astype("float32")
    given = numbers(VOCABULARY, size, source, seed=seed)
    labels = numbers(VOCABULARY, size, target, seed=seed + 9)
    shifted = np.concatenate([np.ones((size, 1)), labels[:, :-1]], axis=1).astype("float32")
    return given, lengths, shifted, labels


def translated(mx, batches, optimizer="adam", **flags):
    Model, Smoothed = blocks(mx)
    net, loss = Model(prefix="model_"), Smoothed()
    start(mx, net, *(mx.nd.array(a) for a in batches[0][:3]))
    if flags:
        net.hybridize(**flags)
        loss.hybridize(**flags)
    return train(mx, net, loss, batches, optimizer, 3, learning_rate=0.05)


@program
def transformer(mx, folder):
    return translated(mx, [batch(i) for i in range(4)])


@program
def transformer_hybridized(mx, folder):
    return translated(mx, [batch(i) for i in range(4)], static_alloc=True)


BUCKETS = [(4, 6, 5), (3, 4, 7), (4, 6, 5), (2, 10, 3), (3, 4, 7)]


@program
def buckets(mx, folder):
    return translated(mx, [batch(i, *b) for i, b in enumerate(BUCKETS)], "sgd", static_alloc=True)


@program
def buckets_of_static_shapes(mx, folder):
    flags = {"static_alloc": True, "static_shape": True}
    return translated(mx, [batch(i, *b) for i, b in enumerate(BUCKETS[:4])], "sgd", **flags)


@program
def gradients_added_up(mx, folder):
    """grad_req="add": two batches for a step, and the gradients set to 0 after it."""
    Model, Smoothed = blocks(mx)
    net, loss_of = Model(prefix="model_"), Smoothed()
    batches = [[mx.nd.array(a) for a in batch(i)] for i in range(6)]
    start(mx, net, *batches[0][:3])
    params = [p for p in net.collect_params().values() if p.grad_req != "null"]
    for p in params:
        p.grad_req = "add"
    net.hybridize()
    trainer = mx.gluon.Trainer(
        net.collect_params(), "nag", {"learning_rate": 0.05, "momentum": 0.9}
    )
    net.collect_params().zero_grad()
    losses = []
    for i, (*inputs, labels) in enumerate(batches):
        with mx.autograd.record():
            loss = loss_of(net(*inputs), labels)
        loss.backward()
        losses.append(loss.sum().asscalar())
        if i % 2:
            trainer.step(8)
            net.collect_params().zero_grad()
    return [losses, sums(net), [float(p.grad().sum().asscalar()) for p in params]]


@program
def clipped_gradients_and_schedule(mx, folder):
    """clip_global_norm between allreduce_grads and update, and an inverse square root's schedule."""
    Model, Smoothed = blocks(mx)
    net, loss_of = Model(prefix="model_"), Smoothed()
    batches = [[mx.nd.array(a) for a in batch(i)] for i in range(5)]
    start(mx, net, *batches[0][:3])

    class InverseSqrt(mx.lr_scheduler.LRScheduler):
        def __call__(self, num_update):
            return self.base_lr * min(1 / math.sqrt(max(num_update, 1)), num_update * 3**-1.5)

    optimizer = mx.optimizer.create(
        "adam", learning_rate=0.05, lr_scheduler=InverseSqrt(), epsilon=1e-3, wd=0.01
    )
    trainer = mx.gluon.Trainer(net.collect_params(), optimizer, update_on_kvstore=False)
    found = []
    for *inputs, labels in batches:
        with mx.autograd.record():
            loss = loss_of(net(*inputs), labels)
        loss.backward()
        trainer.allreduce_grads()
        grads = [p.grad() for p in net.collect_params().values() if p.grad_req != "null"]
        norm = mx.gluon.utils.clip_global_norm(grads, 0.5)
        trainer.update(1)
        found.append([loss.sum().asscalar(), norm, trainer.learning_rate])
    return [found, sums(net)]


@program
def beam_search(mx, folder):
    """Three hypotheses a sentence: topk over sums of scores, states taken by the best, ended ones
    fixed."""
    beam, n = 3, 2

    class TopK(mx.gluon.HybridBlock):
        def __init__(self, k, vocabulary, **kwargs):
            super().__init__(**kwargs)
            self.k, self.vocabulary = k, vocabulary
            with self.name_scope():
                offset = mx.nd.repeat(mx.nd.arange(0, n * k, k, dtype="int32"), k)
                self.offset = self.params.get_constant(name="offset", value=offset)

        def hybrid_forward(self, F, scores, offset):
            folded = F.reshape(scores, shape=(-4, -1, self.k, 0))
            folded = F.reshape(folded, shape=(0, -3))
            values, indices = F.topk(
                folded, axis=1, k=self.k, ret_typ="both", is_ascend=True, dtype="int32"
            )
            indices = F.reshape(indices, shape=(-1,))
            hyps = F.broadcast_add(F.floor(indices / self.vocabulary).astype("int32"), offset)
            words = indices % self.vocabulary
            return hyps, words, F.reshape(values, shape=(-1, 1))

    class Finish(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, scores, finished, accumulated, infinite):
            scores = F.broadcast_add(scores, accumulated)
            first = F.concat(accumulated, infinite, dim=1)
            return F.where(finished, first, scores)

    class Step(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.embed = mx.gluon.nn.Embedding(VOCABULARY, WIDTH)
                self.cell = mx.gluon.rnn.GRUCell(WIDTH, input_size=WIDTH)
                self.out = mx.gluon.nn.Dense(VOCABULARY)

        def hybrid_forward(self, F, words, state):
            out, (state,) = self.cell(self.embed(words), [state])
            return -F.log_softmax(self.out(out)), state

    step, best, finish = Step(), TopK(beam, VOCABULARY), Finish()
    state = mx.nd.array(np.repeat(draw(n, WIDTH), beam, axis=0))
    words = mx.nd.ones((n * beam,))
    start(mx, step, words, state)
    best.initialize()
    for block in (step, best, finish):
        block.hybridize(static_alloc=True)
    accumulated = mx.nd.array([[0.0], [np.inf], [np.inf]] * n)
    finished = mx.nd.zeros((n * beam,), dtype="int32")
    infinite = mx.nd.full((n * beam, VOCABULARY - 1), np.inf)
    history, trace = None, []
    for _ in range(5):
        scores, state = step(words, state)
        scores = finish(scores, finished, accumulated, infinite)
        hyps, chosen, accumulated = best(scores)
        state = mx.nd.take(state, hyps)
        finished = mx.nd.take(finished, hyps)
        finished = mx.nd.broadcast_logical_or(finished, chosen == 3).astype("int32")
        column = mx.nd.expand_dims(chosen, axis=1)
        history = (
            column if history is None else mx.nd.concat(mx.nd.take(history, hyps), column, dim=1)
        )
        words = chosen.astype("float32")
        trace.append([hyps, chosen, accumulated])
    lengths = mx.nd.array(np.arange(1, n * beam + 1) % 5 + 1)
    backwards = mx.nd.SequenceReverse(
        mx.nd.transpose(history).astype("float32"),
        use_sequence_length=True,
        sequence_length=lengths,
    )
    return [trace, history, backwards, finished]


@program
def half_precision(mx, folder):
    """Float16 with float32 copies and a loss scale: types, and the direction of losses."""

    class Scale(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.weight = self.params.get("weight", shape=(3, 5))

        def hybrid_forward(self, F, x, weight):
            return F.broadcast_mul(x.expand_dims(1), weight.expand_dims(0)).sum(axis=2)

    net = start(mx, Scale(prefix="half_"))
    net.cast("float16")
    net.hybridize()
    rates = {
        "learning_rate": 0.1,
        "momentum": 0.9,
        "multi_precision": True,
        "rescale_grad": 1 / 128,
    }
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", rates)
    loss_of, losses = mx.gluon.loss.SoftmaxCrossEntropyLoss(), []
    x, y = mx.nd.array(draw(6, 5), dtype="float16"), mx.nd.array(numbers(3, 6))
    for _ in range(6):
        with mx.autograd.record():
            loss = loss_of(net(x).astype("float32"), y)
            scaled = loss * 128
        scaled.backward()
        trainer.step(6)
        losses.append(round(float(loss.mean().asscalar()), 2))
    states = trainer._updaters[0].states
    types = [[np.dtype(a.dtype).name for a in states[i]] for i in sorted(states)]
    return [losses, types, np.dtype(net.weight.dtype).name]


@program
def resumed_in_the_middle(mx, folder):
    """Parameters and states from files go on as if nothing had happened."""
    Model, Smoothed = blocks(mx)
    batches = [[mx.nd.array(a) for a in batch(i)] for i in range(6)]

    def stepped(net, trainer, some):
        found = []
        for *inputs, labels in some:
            with mx.autograd.record():
                loss = loss_of(net(*inputs), labels)
            loss.backward()
            trainer.step(4)
            found.append(loss.sum().asscalar())
        return found

    def trainer_of(net):
        schedule = mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.1)
        rates = {"lr_scheduler": schedule, "epsilon": 1e-3}
        return mx.gluon.Trainer(net.collect_params(), "adam", rates)

    loss_of = Smoothed()
    one = start(mx, Model(prefix="model_"), *batches[0][:3])
    trainer = trainer_of(one)
    losses = stepped(one, trainer, batches[:3])
    one.save_parameters(str(folder / "a.params"))
    trainer.save_states(str(folder / "a.states"))
    losses += stepped(one, trainer, batches[3:])
    other = Model(prefix="model_")
    other.load_parameters(str(folder / "a.params"))
    again = trainer_of(other)
    again.load_states(str(folder / "a.states"))
    return [losses, stepped(other, again, batches[3:]), sums(one), sums(other)]
