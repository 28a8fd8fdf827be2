# SPDX-License-Identifier: Apache-2.0
"""Programs of graphs: control flow, composition and inference of symbols, Gluon's blocks."""

from __future__ import annotations

from random import Random

# Control flow -------------------------------------------------------------------------------------

_BODIES = (
    ("x + s[0]", "[s[0] + x]"),
    ("x * w + s[0]", "[s[0] * 0.5 + x]"),
    ("[x, s[0] * w]", "[x + w]"),
    ("F.tanh(x + s[0])", "[F.tanh(x * w - s[0])]"),
    ("F.concat(x, s[0], dim=0)", "[F.where(x > 0, x, s[0])]"),
)


def _foreach(rng: Random) -> list[str]:
    out, state = rng.choice(_BODIES)
    length = rng.randint(1, 4)
    return [
        f"def run(F, xs, s0, w):\n    def body(x, s):\n        return {out}, {state}\n    return F.contrib.foreach(body, xs, [s0])",
        f"values = [nd.array(data(({length}, 3), 'float32', {rng.randrange(999)})), nd.array(data((3,), 'float32', 1)), nd.array(data((3,), 'float32', 2))]",
    ]


def _while_loop(rng: Random) -> list[str]:
    stop, most = rng.randint(1, 4), rng.randint(4, 6)
    body = rng.choice(
        ("[v + w, i + 1]", "[v * 0.5 + w, i + 1]", "[F.broadcast_add(F.tanh(v), i), i + 1]")
    )
    out = rng.choice(("v", "[v, v * w]", "F.broadcast_add(v, i)"))
    return [
        f"def run(F, v0, i0, w):\n    r = F.contrib.while_loop(lambda v, i: i < {stop}, lambda v, i: ({out}, {body}), [v0, i0], max_iterations={most})\n    return r",
        f"values = [nd.array(data((2,), 'float32', {rng.randrange(999)})), nd.array([0.0]), nd.array(data((2,), 'float32', 2))]",
        f"STEPS = {stop}",
    ]


def _cond(rng: Random) -> list[str]:
    test = rng.choice(("(a.sum() > w.sum())", "(F.sum(a * w) < 0.5)", "(F.max(a) > 1)"))
    then, other = rng.sample(("a + w", "a * w", "F.tanh(a) * 2", "b - a", "w * w + b"), 2)
    return [
        f"def run(F, a, b, w):\n    return F.contrib.cond({test.replace('a.sum()', 'F.sum(a)').replace('w.sum()', 'F.sum(w)')}, lambda: {then}, lambda: {other})",
        *[
            f"values = [nd.array(data((3,), 'float32', {rng.randrange(999)} + i)) for i in range(3)]"
        ],
    ]


def control_flow(rng: Random) -> list[str]:
    """One loop or branch, run on arrays with gradients, and bound as a symbol."""
    kind = rng.choice((_foreach, _while_loop, _cond))
    flat = "def flat(r):\n    return [v for x in r for v in flat(x)] if isinstance(r, (list, tuple)) else [r]"
    cut = "[:STEPS]" if kind is _while_loop else ""
    many = f"[o{cut} if o.ndim > 1 and o.shape[0] > STEPS else o for o in made]" if cut else "made"
    return [
        flat,
        *kind(rng),
        "[v.attach_grad() for v in values] and None",
        "run(nd, *values)" if not cut else "flat(run(nd, *values))[-1]",
        "with autograd.record():\n    made = flat(run(nd, *values))\n    y = sum((o * o).sum() for o in "
        + many
        + ")",
        "y.backward()",
        "[v.grad for v in values]",
        "s = mx.sym.Group(flat(run(sym, *[sym.var(n) for n in 'xyz'])))",
        "s.list_arguments(), len(s.list_outputs()), s.list_auxiliary_states()",
        "names = s.list_arguments()",
        "given = dict(zip('xyz', values))",
        "e = s.bind(mx.cpu(), {n: given[n].copy() for n in names}, {n: nd.zeros(given[n].shape) for n in names})",
        "made = e.forward(is_train=True)",
        many if cut else "made",
        "heads = [nd.ones(o.shape) for o in made]",
        *(["for h in heads:\n    if h.ndim > 1: h[STEPS:] = 0"] if cut else []),
        "e.backward(heads)",
        # MXNet's executors lose steps of what the bodies of while loops read besides.
        "{n: a for n, a in e.grad_dict.items() if n != 'z'}" if cut else "e.grad_dict",
        "t = mx.sym.load_json(s.tojson())",
        "t.list_arguments()",
        "[o for o in t.bind(mx.cpu(), {n: given[n] for n in names}).forward()][-1]",
    ]


# Symbols ------------------------------------------------------------------------------------------

_LAYERS = (
    "sym.FullyConnected({x}, num_hidden={n}, name='fc{i}')",
    "sym.FullyConnected({x}, num_hidden={n}, no_bias=True, flatten=False, name='fd{i}')",
    "sym.Activation({x}, act_type='{a}', name='act{i}')",
    "sym.BatchNorm({x}, fix_gamma={t}, name='bn{i}')",
    "sym.LayerNorm({x}, name='ln{i}')",
    "sym.Dropout({x}, p=0.5, name='dr{i}')",
    "sym.Reshape({x}, shape=(0, -1), name='rs{i}')",
    "sym.Flatten({x}, name='fl{i}')",
    "sym.transpose({x}, name='tr{i}')",
    "sym.expand_dims({x}, axis=1, name='ed{i}')",
    "sym.concat({x}, {y}, dim=1, name='cc{i}')",
    "sym.broadcast_add({x}, {y}, name='ba{i}')",
    "({x} + {y})",
    "({x} * {y} + 1)",
    "(2 - {x}) / 3",
    "sym.sum({x}, axis=1, keepdims=True, name='su{i}')",
    "sym.split({x}, num_outputs=2, axis=1, name='sp{i}')[{b}]",
    "sym.slice_axis({x}, axis=0, begin=0, end=1, name='sl{i}')",
    "sym.LeakyReLU({x}, act_type='leaky', slope=0.5, name='lr{i}')",
    "sym.softmax({x}, axis=-1, name='sm{i}')",
    "sym.BlockGrad({x}, name='bg{i}')",
    "sym.Cast({x}, dtype='{d}', name='ca{i}')",
    "sym.Embedding({x}, input_dim=7, output_dim={n}, name='em{i}')",
    "sym.dot({x}, sym.var('m{i}', shape=(0, {n})), name='dt{i}')",
    "sym.zeros_like({x}, name='zl{i}')",
    "sym.where({x} > 0, {x}, {x} * 2, name='wh{i}')",
    "sym.L2Normalization({x}, name='l2{i}')",
    "sym.abs({x}, name='ab{i}')",
    "sym.mean({x}, axis=({b},), keepdims=True, name='me{i}')",
)
_LAST = (
    "sym.SoftmaxOutput({x}, name='softmax')",
    "sym.LinearRegressionOutput({x}, sym.var('l'), name='lro')",
    "sym.MakeLoss(sym.sum({x}), name='ml')",
    "sym.Group([{x}, {y}])",
    "{x}",
)


def _composed(rng: Random) -> list[str]:
    values = ["x", "x2"]
    steps = [
        "x = sym.var('x')",
        rng.choice(
            ("x2 = sym.var('y', lr_mult=2)", "x2 = x * 2", "x2 = sym.var('y', attr={'a': 'b'})")
        ),
    ]
    for i in range(rng.randint(3, 7)):
        text = rng.choice(_LAYERS).format(
            x=values[-1], y=rng.choice(values), i=i, n=rng.randint(2, 4), t=rng.random() < 0.5, b=rng.randrange(2),
            a=rng.choice(("relu", "tanh", "sigmoid", "softrelu", "softsign")), d=rng.choice(("float16", "float64")),
        )  # fmt: skip
        scope = f"with mx.AttrScope(ctx_group='g{i}'):\n    " if rng.random() < 0.2 else ""
        steps.append(f"{scope}v{i} = {text}")
        values.append(f"v{i}")
    last = rng.choice(_LAST).format(x=values[-1], y=rng.choice(values[:-1]))
    return [*steps, f"s = {last}"]


def symbols(rng: Random) -> list[str]:
    """Composition, inference, attributes and JSON of a graph, and its executor."""
    size = rng.choice(((2, 4), (3, 2), (2, 4, 2), (4, 4)))
    return [
        *_composed(rng),
        "s.list_arguments()",
        "s.list_outputs()",
        "s.list_auxiliary_states()",
        "s.name",
        "len(s)",
        "s.attr_dict()",
        "s.list_attr()",
        "s.get_internals().list_outputs()",
        "(s.get_children() or s).list_outputs()",
        f"s.infer_shape(x={size}, y={size})",
        f"s.infer_shape_partial(x={size})",
        "s.infer_shape_partial()",
        f"s.infer_type(x={rng.choice(('float32', 'float64', 'float16'))!r}, y='float32')",
        "s.infer_type_partial(x='float64')",
        "s.infer_type()",
        "onp.array([str(n['op']) for n in __import__('json').loads(s.tojson())['nodes']]).tolist()",
        "[sorted(n.get('attrs', {}).items()) for n in __import__('json').loads(s.tojson())['nodes']]",
        "t = mx.sym.load_json(s.tojson())",
        "t.tojson() == s.tojson()",
        "t.attr_dict() == s.attr_dict()",
        f"e = s.simple_bind(mx.cpu(), grad_req={rng.choice(('write', 'add', 'null'))!r}, x={size}, **({{'y': {size}}} if 'y' in s.list_arguments() else {{}}))",
        "[(n, a.shape, str(a.dtype)) for n, a in e.arg_dict.items()]",
        "for i, (n, a) in enumerate(e.arg_dict.items()): a[:] = data(a.shape, 'float32', i, 0, 2)",
        "for n, a in e.aux_dict.items(): a[:] = 1",
        "e.forward(is_train=False)",
        "made = e.forward(is_train=not any('dr' in n for n in s.get_internals().list_outputs()))",
        "made",
        "e.backward([nd.ones(o.shape, dtype=o.dtype) for o in made]) if not any('dr' in n for n in s.get_internals().list_outputs()) else None",
        "{n: a for n, a in e.grad_dict.items() if a is not None}",
        "e.aux_dict",
        f"e.reshape(x={(size[0] + 1, *size[1:])}, partial_shaping=True, allow_up_sizing=True).outputs[0].shape",
    ]  # fmt: skip


# Gluon --------------------------------------------------------------------------------------------

_DENSE = (
    "nn.Dense({n}, activation={a!r}, prefix='dense{i}_')",
    "nn.Dense({n}, use_bias={t}, flatten={f}, prefix='dense{i}_')",
    "nn.Activation({b!r}, prefix='act{i}_')",
    "nn.BatchNorm(scale={t}, center={f}, prefix='bn{i}_')",
    "nn.LayerNorm(prefix='ln{i}_')",
    "nn.LeakyReLU(0.1, prefix='lr{i}_')",
    "nn.ELU(prefix='elu{i}_')",
    "nn.SELU(prefix='selu{i}_')",
    "nn.GELU(prefix='gelu{i}_')",
    "nn.Swish(prefix='sw{i}_')",
    "nn.Flatten(prefix='fl{i}_')",
    "nn.HybridLambda(lambda F, x: F.tanh(x) * 2, prefix='hl{i}_')",
    "nn.HybridLambda('relu', prefix='hr{i}_')",
)
_IMAGE = (
    "nn.Conv2D({n}, {k}, padding={p}, strides={s}, use_bias={t}, prefix='conv{i}_')",
    "nn.Conv2D(4, {k}, padding=1, groups=2, activation={a!r}, prefix='conv{i}_')",
    "nn.Conv2DTranspose({n}, {k}, strides={s}, prefix='deconv{i}_')",
    "nn.MaxPool2D({k}, strides={s}, padding={q}, ceil_mode={t}, prefix='max{i}_')",
    "nn.AvgPool2D({k}, strides={s}, padding={q}, count_include_pad={f}, prefix='avg{i}_')",
    "nn.GroupNorm(2, prefix='gn{i}_')",
    "nn.ReflectionPad2D(1, prefix='rp{i}_')",
    "nn.BatchNorm(epsilon=1e-3, momentum=0.8, prefix='bn{i}_')",
    "nn.Activation({b!r}, prefix='act{i}_')",
    "nn.InstanceNorm(prefix='in{i}_')",
)


def _layer(rng: Random, layers: tuple[str, ...], i: int) -> str:
    return rng.choice(layers).format(
        i=i, n=rng.choice((2, 4)), a=rng.choice((None, "relu", "tanh")), b=rng.choice(("relu", "sigmoid", "softrelu", "softsign")),
        t=rng.random() < 0.5, f=rng.random() < 0.5, k=rng.choice((1, 2, 3)), p=rng.choice((0, 1)), q=0, s=rng.choice((1, 2)),
    )  # fmt: skip


def _network(rng: Random) -> tuple[list[str], str]:
    kind = rng.choice(("dense", "image", "rnn"))
    if kind == "rnn":
        cell = rng.choice(("LSTM", "GRU", "RNN"))
        layers = rng.randint(1, 2)
        return [
            f"gluon.rnn.{cell}(3, {layers}, bidirectional={rng.random() < 0.5}, layout={rng.choice(('TNC', 'NTC'))!r}, prefix='rnn_')"
        ], "(4, 2, 3)"
    if kind == "dense":
        return [_layer(rng, _DENSE, i) for i in range(rng.randint(2, 5))], "(3, 4)"
    first = f"nn.Conv2D(4, 3, padding=1, in_channels={rng.choice((0, 2))}, prefix='first_')"
    return [first, *[_layer(rng, _IMAGE, i) for i in range(rng.randint(1, 3))]], "(1, 2, 7, 7)"


def gluon(rng: Random) -> list[str]:
    """A network, hybridized or not: outputs, gradients, training, saved parameters."""
    layers, size = _network(rng)
    adds = "\n".join(f"net.add({layer})" for layer in layers)
    container = rng.choice(("HybridSequential", "Sequential"))
    dtype = rng.choice(("float32", "float32", "float64"))
    rate = rng.choice((0.1, 0.01))
    return [
        "nn = gluon.nn",
        f"net = nn.{container}(prefix='net_')",
        adds,
        "net.initialize(mx.init.Zero())",
        f"net.cast({dtype!r})" if dtype != "float32" else "None",
        f"net.hybridize({rng.choice(('', 'static_alloc=True', 'static_alloc=True, static_shape=True'))})" if rng.random() < 0.6 else "None",
        f"x = nd.array(data({size}, {dtype!r}, {rng.randrange(999)}), dtype={dtype!r})",
        "net(x).shape",
        "sorted((n, p.shape, p.grad_req, onp.dtype(p.dtype).name) for n, p in net.collect_params().items())",
        "for i, (n, p) in enumerate(sorted(net.collect_params().items())): p.set_data(nd.array(data(p.shape, 'float32', i) * 0.25 + (1 if 'var' in n or 'gamma' in n else 0), dtype=p.dtype))",
        "net(x)",
        "x.attach_grad()",
        "with autograd.record():\n    y = net(x)\n    l = (y * nd.array(data(y.shape, 'float32', 5), dtype=y.dtype)).sum()",
        "l.backward()",
        "x.grad",
        "{n: p.grad() for n, p in sorted(net.collect_params().items()) if p.grad_req != 'null'}",
        f"trainer = gluon.Trainer(net.collect_params(), {rng.choice(('sgd', 'adam', 'rmsprop', 'nag'))!r}, {{'learning_rate': {rate}, 'wd': 1e-3}})",
        "for _ in range(2):\n    with autograd.record():\n        y = net(x)\n        l = (y * nd.array(data(y.shape, 'float32', 6), dtype=y.dtype)).mean()\n    l.backward()\n    trainer.step(2)",
        "net(x)",
        "{n: p.data() for n, p in sorted(net.collect_params().items())}",
        "net.save_parameters('p')",
        "sorted(nd.load('p'))",
        "net.load_parameters('p')",
        "net(x)",
        "repr(net)",
        "net.collect_params('.*weight').keys()",
        "autograd.grad(net(x), x)",
    ]  # fmt: skip
