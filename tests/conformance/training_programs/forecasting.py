# SPDX-License-Identifier: Apache-2.0
"""Blocks as packages for time series have them: distributions on F, lags, scaling, features."""

import math

import numpy as np

from .kit import draw, numbers, program, start, sums, train


class Distribution:
    """Densities of F, which is the module of arrays or of symbols."""

    def __init__(self, F, *arguments):
        self.F, self.arguments = F, arguments


class StudentT(Distribution):
    def log_prob(self, x):
        F, (mu, sigma, nu) = self.F, self.arguments
        half = (nu + 1.0) / 2.0
        root = F.square((x - mu) / sigma)
        norm = F.gammaln(half) - F.gammaln(nu / 2.0) - 0.5 * F.log(math.pi * nu) - F.log(sigma)
        return norm - half * F.log1p(root / nu)


class NegativeBinomial(Distribution):
    def log_prob(self, x):
        F, (mu, alpha) = self.F, self.arguments
        r = 1.0 / alpha
        log = F.log(alpha * mu / (1 + alpha * mu)) * x - F.log(1.0 + alpha * mu) * r
        return log + F.gammaln(x + r) - F.gammaln(x + 1.0) - F.gammaln(r)


def projection(mx):
    """A block that makes a distribution's arguments of features, each in its domain."""

    class ArgProj(mx.gluon.HybridBlock):
        def __init__(self, sizes, domain_map, dtype=np.float32, prefix=None, **kwargs):
            super().__init__(**kwargs)
            self.dtype = dtype
            self.proj = [
                mx.gluon.nn.Dense(size, flatten=False, dtype=dtype, prefix=f"{prefix}_{name}_")
                for name, size in sizes.items()
            ]
            for dense in self.proj:
                self.register_child(dense)
            self.domain_map = domain_map

        def hybrid_forward(self, F, x, **kwargs):
            return self.domain_map(F, *[proj(x) for proj in self.proj])

    return ArgProj


def student_domain(F, mu, sigma, nu):
    sigma = F.Activation(sigma, act_type="softrelu")
    nu = 2.0 + F.Activation(nu, act_type="softrelu")
    return mu.squeeze(axis=-1), sigma.squeeze(axis=-1), nu.squeeze(axis=-1)


def binomial_domain(F, mu, alpha):
    mu, alpha = (F.Activation(a, act_type="softrelu") + 1e-2 for a in (mu, alpha))
    return mu.squeeze(axis=-1), alpha.squeeze(axis=-1)


def feedforward(mx, kind, sizes, domain):
    class Network(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.distr_args_proj = projection(mx)(sizes, domain, prefix="args")
                self.mlp = mx.gluon.nn.HybridSequential()
                for units in (8, 6 * 4):
                    self.mlp.add(mx.gluon.nn.Dense(units, flatten=False, activation="relu"))
                self.mlp.add(mx.gluon.nn.HybridLambda(lambda F, x: x.reshape((0, 6, -1))))

        def hybrid_forward(self, F, past, future):
            scale = F.mean(F.abs(past), axis=1, keepdims=True) + 1e-3
            arguments = self.distr_args_proj(self.mlp(F.broadcast_div(past, scale)))
            target = F.broadcast_div(future, scale)
            return -kind(F, *arguments).log_prob(target).mean(axis=1)

    return Network()


def series(seed, counts=False):
    past, future = draw(5, 7, seed=seed), draw(5, 6, seed=seed + 50)
    return (np.abs(past).round(), np.abs(future).round()) if counts else (past, future)


def fitted(mx, kind, sizes, domain, counts, **hybridized):
    net = feedforward(mx, kind, sizes, domain)
    batches = [series(i, counts) for i in range(5)]
    start(mx, net, *(mx.nd.array(a) for a in batches[0]))
    if hybridized:
        net.hybridize(**hybridized)
    rates = {"learning_rate": 0.02, "wd": 1e-3, "clip_gradient": 10.0}
    return train(mx, net, lambda loss: loss, batches, "adam", 2, **rates)


@program
def student_t(mx, folder):
    return fitted(mx, StudentT, {"mu": 1, "sigma": 1, "nu": 1}, student_domain, False)


@program
def student_t_hybridized(mx, folder):
    sizes = {"mu": 1, "sigma": 1, "nu": 1}
    return fitted(mx, StudentT, sizes, student_domain, False, static_alloc=True)


@program
def negative_binomial(mx, folder):
    sizes = {"mu": 1, "alpha": 1}
    return fitted(mx, NegativeBinomial, sizes, binomial_domain, True, active=True)


def recurrent(mx, cell_type="lstm"):
    """An autoregressive network: lags, an embedding, a stack of cells with residuals, unrolled."""

    class DeepAR(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            rnn = mx.gluon.rnn
            with self.name_scope():
                self.embedder = mx.gluon.nn.Embedding(4, 3)
                self.rnn = rnn.HybridSequentialRNNCell()
                for k in range(2):
                    cell = {"lstm": rnn.LSTMCell, "gru": rnn.GRUCell}[cell_type](hidden_size=5)
                    self.rnn.add(rnn.ResidualCell(cell) if k > 0 else cell)
                self.proj = projection(mx)(
                    {"mu": 1, "sigma": 1, "nu": 1}, student_domain, prefix="distr"
                )

        def lags(self, F, target):
            parts = [F.slice_axis(target, axis=1, begin=-8 - lag, end=-lag) for lag in (1, 3)]
            return F.stack(*parts, axis=2)

        def hybrid_forward(self, F, category, target, observed):
            scale = F.broadcast_div(
                F.sum(F.abs(target) * observed, axis=1, keepdims=True),
                F.maximum(F.sum(observed, axis=1, keepdims=True), F.ones_like(category)),
            )
            inputs = F.broadcast_div(self.lags(F, target), F.expand_dims(scale, 2))
            embedded = self.embedder(category.squeeze(axis=1))
            static = F.concat(embedded, F.log(scale), dim=1)
            repeated = static.expand_dims(axis=1).repeat(axis=1, repeats=8)
            inputs = F.concat(inputs, repeated, dim=-1)
            outputs, _ = self.rnn.unroll(
                inputs=inputs, length=8, layout="NTC", merge_outputs=True,
                begin_state=self.rnn.begin_state(func=F.zeros, dtype=np.float32, batch_size=5),
            )  # fmt: skip
            x = F.broadcast_div(F.slice_axis(target, axis=1, begin=-8, end=None), scale)
            weights = F.slice_axis(observed, axis=1, begin=-8, end=None)
            loss = -StudentT(F, *self.proj(outputs)).log_prob(x) - F.log(scale).broadcast_like(x)
            loss = F.where(weights, loss, F.zeros_like(loss))
            count = F.sum(weights, axis=1)
            return F.sum(loss, axis=1) / F.maximum(count, F.ones_like(count))

    return DeepAR()


def panel(seed):
    observed = (np.random.RandomState(seed).rand(5, 12) > 0.2).astype("float32")
    return numbers(4, 5, 1, seed=seed), draw(5, 12, seed=seed), observed


def autoregressive(mx, cell, hybridized):
    net = recurrent(mx, cell)
    start(mx, net, *(mx.nd.array(a) for a in panel(0)))
    if hybridized:
        net.hybridize()
    return train(mx, net, lambda loss: loss, [panel(i) for i in range(4)], "adam", 3)


@program
def deep_ar(mx, folder):
    return autoregressive(mx, "lstm", False)


@program
def deep_ar_hybridized(mx, folder):
    return autoregressive(mx, "gru", True)


@program
def deep_ar_exported(mx, folder):
    """The graph, its parameters, and what the imported graph gives."""
    net = recurrent(mx)
    arrays = [mx.nd.array(a) for a in panel(0)]
    start(mx, net, *arrays)
    net.hybridize()
    wanted = net(*arrays)
    net.export(str(folder / "net"), epoch=7)
    symbol = mx.sym.load(str(folder / "net-symbol.json"))
    files = sorted(p.name for p in folder.iterdir())
    found = mx.gluon.SymbolBlock.imports(
        str(folder / "net-symbol.json"), ["data0", "data1", "data2"],
        str(folder / "net-0007.params"), ctx=mx.cpu(),
    )  # fmt: skip
    again = found(*arrays)
    return [wanted, again, symbol.list_arguments(), symbol.list_outputs(), files]


@program
def parameters_copied(mx, folder):
    """A training network's parameters become those of a prediction network, by names and files."""
    one, other = recurrent(mx), recurrent(mx)
    arrays = [mx.nd.array(a) for a in panel(0)]
    start(mx, one, *arrays)
    one.save_parameters(str(folder / "one.params"))
    other.load_parameters(str(folder / "one.params"), ctx=mx.cpu(), allow_missing=False)
    names = sorted(mx.nd.load(str(folder / "one.params")))
    return [names, one(*arrays), other(*arrays), [*other.collect_params()]]


@program
def causal_layers(mx, folder):
    """Dilated, left-padded layers with gates and skip connections; bins are a Constant."""
    nn = mx.gluon.nn

    class Causal(mx.gluon.HybridBlock):
        def __init__(self, channels, dilation, **kwargs):
            super().__init__(**kwargs)
            self.dilation = dilation
            with self.name_scope():
                self.conv = nn.Dense(2 * channels, flatten=False)
                self.skip = nn.Dense(channels, flatten=False)

        def hybrid_forward(self, F, x):
            shifted = F.pad(
                x.expand_dims(1), mode="constant", constant_value=0,
                pad_width=(0, 0, 0, 0, self.dilation, 0, 0, 0),
            ).squeeze(axis=1)  # fmt: skip
            past = F.slice_axis(shifted, axis=1, begin=0, end=-self.dilation)
            left, right = F.split(self.conv(F.concat(past, x, dim=2)), num_outputs=2, axis=2)
            out = F.tanh(left) * F.sigmoid(right)
            return out + x, self.skip(out)

    class WaveNet(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.bins = self.params.get_constant("bins", mx.nd.array([[-1.0], [0.0], [1.0]]))
                self.first = nn.Dense(4, flatten=False)
                self.layers = nn.HybridSequential()
                for d in (1, 2, 4):
                    self.layers.add(Causal(4, d))
                self.last = nn.Dense(3, flatten=False)

        def hybrid_forward(self, F, x, bins):
            distances = F.abs(F.broadcast_minus(x.expand_dims(2), bins.reshape((1, 1, -1))))
            digits = F.argmin(distances, axis=2)
            out, total = self.first(x.expand_dims(2)), 0
            for layer in self.layers:
                out, skip = layer(out)
                total = total + skip
            picked = F.pick(F.log_softmax(self.last(total)), digits, axis=-1)
            return -F.mean(picked, axis=1)

    net = WaveNet(prefix="wave_")
    start(mx, net, mx.nd.array(draw(3, 9)))
    net.hybridize()
    batches = [(draw(3, 9, seed=i),) for i in range(4)]
    return train(mx, net, lambda loss: loss, batches, "adagrad")


@program
def state_space(mx, folder):
    """Kalman filtering on F.linalg, with gradients through the factors."""

    class Filter(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.noise = self.params.get("noise", shape=(2,), init=mx.init.One())
                self.mean = self.params.get("mean", shape=(1, 2, 1), init="zeros")

        def hybrid_forward(self, F, y, noise, mean):
            diag = F.Activation(noise, act_type="softrelu")
            cov = F.linalg.makediag(diag.reshape((1, 2)))
            cov = F.linalg.gemm2(cov, cov, transpose_b=True) + F.eye(2).expand_dims(0) * 0.1
            factor = F.linalg.potrf(cov)
            centered = F.broadcast_minus(y.expand_dims(-1), mean)
            factors = F.broadcast_axis(factor, axis=0, size=4)
            white = F.linalg.trsm(factors, centered)
            return 0.5 * F.sum(white**2, axis=(1, 2)) + F.linalg.sumlogdiag(factors)

    net = Filter(prefix="filter_")
    start(mx, net)
    net.hybridize()
    return train(mx, net, lambda loss: loss, [(draw(4, 2, seed=i),) for i in range(5)], "rmsprop")


@program
def frozen_and_selected(mx, folder):
    """What is frozen does not move; the rest has multipliers of its own."""
    net = recurrent(mx)
    arrays = [mx.nd.array(a) for a in panel(0)]
    start(mx, net, *arrays)
    net.collect_params(".*embedding").setattr("grad_req", "null")
    net.collect_params(".*h2h").setattr("lr_mult", 0.1)
    net.collect_params(".*bias").setattr("wd_mult", 0.0)
    return train(mx, net, lambda loss: loss, [panel(i) for i in range(3)], "adam", 3, wd=0.1)


@program
def best_parameters_and_halved_rates(mx, folder):
    """A loop that keeps the best parameters in a file, halves the rate, and goes back to them."""
    net = feedforward(mx, StudentT, {"mu": 1, "sigma": 1, "nu": 1}, student_domain)
    batches = [tuple(map(mx.nd.array, series(i))) for i in range(3)]
    start(mx, net, *batches[0])
    optimizer = mx.optimizer.Adam(0.3, epsilon=1e-3, wd=1e-8, clip_gradient=10.0)
    trainer = mx.gluon.Trainer(net.collect_params(), optimizer, kvstore="device")
    best, found = math.inf, []
    for _ in range(5):
        total = 0.0
        for past, future in batches:
            with mx.autograd.record():
                loss = net(past, future).mean()
            mx.autograd.backward(loss)
            trainer.step(1)
            total += loss.asscalar()
        if total < best:
            best = total
            net.save_parameters(str(folder / "best.params"))
        else:
            net.load_parameters(str(folder / "best.params"))
            trainer.set_learning_rate(trainer.learning_rate / 2)
        found.append([total, trainer.learning_rate])
    return [found, sums(net)]
