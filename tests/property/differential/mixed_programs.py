# SPDX-License-Identifier: Apache-2.0
"""Programs of networks that mix data types, frozen parameters, and numbers at the edges of their type.

The same function of `F` runs eagerly, in a hybridized block, or in an executor.
"""

from __future__ import annotations

import re
from random import Random
from typing import NamedTuple

_TYPES = ("float32", "float32", "float16", "float16", "float64", "bfloat16")
_INDICES = ("float32", "int32", "int64", "uint8", "float16")
_ROWS = 3


class _Layer(NamedTuple):
    """A step of a network: {x} is its input, {0} to {4} are arrays of the given shapes.

    Shapes may name k (columns), c (channels) and n (a new size). `size` is the shape of the output.
    """

    text: str
    size: str = "size"
    shapes: tuple[str, ...] = ()
    n_aux: int = 0  # The last arrays are auxiliary states, which are float32.


# Functions that MXNet has for bfloat16 on the CPU, too.
_SIMPLE = tuple(map(_Layer, (
    "F.Activation({x}, act_type='{a}')", "F.LeakyReLU({x}, act_type='{l}', slope=0.25)", "F.relu({x})",
    "F.sigmoid({x})", "F.tanh({x})", "F.exp({x})", "F.abs({x})", "F.square({x})", "F.sqrt(F.abs({x}))",
    "F.log1p(F.abs({x}))", "F.erf({x})", "F.sign({x}) * {x}", "F.rsqrt(F.abs({x}) + 1)", "F.cbrt({x})",
    "F.reciprocal({x})", "F.clip({x}, -1, 1.5)", "F.smooth_l1({x}, scalar=2)", "F.softsign({x})",
    "F.softmax({x}, axis={b})", "F.log_softmax({x}, axis=-1)", "F.softmin({x}, axis={b})",
    "({x} + F.BlockGrad({x}))", "F.BlockGrad({x}) * {x}", "{x} * 2 + 1", "1 / {x}", "{x} ** 2", "3 - {x}",
    "F.where({x} > 0, {x}, {x} * 0.5)", "F.maximum({x}, 0.5)", "F.minimum({x}, -0.5)", "F.log(F.abs({x}))",
    "F.hard_sigmoid({x})", "F.arctan({x})", "F.sin({x})", "F.expm1({x})", "F.cosh({x})", "F.arcsinh({x})",
)))  # fmt: skip
_OF_ROWS = (
    _Layer("F.FullyConnected({x}, {0}, {1}, num_hidden={n})", "(rows, n)", ("(n, k)", "(n,)")),
    _Layer("F.FullyConnected({x}, {0}, no_bias=True, num_hidden={n})", "(rows, n)", ("(n, k)",)),
    _Layer("F.FullyConnected({x}, {0}, {1}, num_hidden={n}, flatten=False)", "(rows, n)", ("(n, k)", "(n,)")),
    _Layer("F.dot({x}, {0})", "(rows, n)", ("(k, n)",)),
    _Layer("F.dot({x}, {0}, transpose_b=True)", "(rows, n)", ("(n, k)",)),
    _Layer("F.broadcast_{o}({x}, {0})", "size", ("(1, k)",)),
    _Layer("F.broadcast_{o}({x}, {0})", "size", ("(rows, 1)",)),
    _Layer("F.elemwise_{e}({x}, {0})", "size", ("(rows, k)",)),
    _Layer("F.add_n({x}, {0}, {x})", "size", ("(rows, k)",)),
    _Layer("F.where({x} > {0}, {x}, {0})", "size", ("(rows, k)",)),
    _Layer("F.concat({x}, {0}, dim=1)", "(rows, k + n)", ("(rows, n)",)),
    _Layer("F.LayerNorm({x}, {0}, {1})", "size", ("(k,)", "(k,)")),
    _Layer("F.LayerNorm({x}, {0}, {1}, axis=0)", "size", ("(rows,)", "(rows,)")),
    _Layer("F.BatchNorm({x}, {0}, {1}, {2}, {3}, fix_gamma={t})", "size", ("(k,)",) * 4, 2),
    _Layer("F.LeakyReLU({x}, {0}, act_type='prelu')", "size", ("(k,)",)),
    _Layer("F.L2Normalization({x})"),
    _Layer("F.{r}({x}, axis=1, keepdims=True)", "(rows, 1)"),
    _Layer("F.{r}({x}, axis=0, keepdims=True)", "(1, k)"),
    _Layer("F.norm({x}, ord={d}, axis={b}, keepdims=True)", "(1, k) if {b} == 0 else (rows, 1)"),
    _Layer("F.slice_axis({x}, axis=1, begin=0, end=1)", "(rows, 1)"),
    _Layer("F.tile({x}, reps=(1, 2))", "(rows, 2 * k)"),
    _Layer("F.repeat({x}, repeats=2, axis=0)", "(2 * rows, k)"),
    _Layer("F.cumsum({x}, axis={b})"),
    _Layer("F.sort({x}, axis={b})"),
    _Layer("F.flip({x}, axis={b})"),
    _Layer("F.Dropout({x}, p=0)"),
    _Layer("F.take({0}, F.BlockGrad(F.argmax({x}, axis=1)))", "(rows, n)", ("(k, n)",)),
    _Layer("F.broadcast_like({0}, {x})", "size", ("(1, k)",)),
    _Layer("F.squeeze(F.batch_dot(F.expand_dims({x}, 1), {0}), axis=1)", "(rows, n)", ("(rows, k, n)",)),
)  # fmt: skip
_OF_IMAGES = (
    _Layer("F.Convolution({x}, {0}, {1}, kernel=(3, 3), pad=(1, 1), num_filter={n})", "(rows, n, h, h)", ("(n, c, 3, 3)", "(n,)")),
    _Layer("F.Convolution({x}, {0}, no_bias=True, kernel=(2, 2), stride=(2, 2), num_filter={n})", "(rows, n, h // 2, h // 2)", ("(n, c, 2, 2)",)),
    _Layer("F.Deconvolution({x}, {0}, kernel=(2, 2), num_filter={n})", "(rows, n, h + 1, h + 1)", ("(c, n, 2, 2)",)),
    _Layer("F.Pooling({x}, kernel=(2, 2), stride=(2, 2), pool_type='{p}')", "(rows, c, h // 2, h // 2)"),
    _Layer("F.Pooling({x}, kernel=(3, 3), pad=(1, 1), pool_type='{p}', count_include_pad={t})"),
    _Layer("F.Pooling({x}, kernel=(1, 1), global_pool=True, pool_type='{p}')", "(rows, c, 1, 1)"),
    _Layer("F.BatchNorm({x}, {0}, {1}, {2}, {3}, fix_gamma={t}, use_global_stats={f})", "size", ("(c,)",) * 4, 2),
    _Layer("F.InstanceNorm({x}, {0}, {1})", "size", ("(c,)", "(c,)")),
    _Layer("F.L2Normalization({x}, mode='channel')"),
    _Layer("F.LRN({x}, nsize=3)"),
    _Layer("F.UpSampling({x}, scale=2, sample_type='nearest')", "(rows, c, 2 * h, 2 * h)"),
    _Layer("F.broadcast_{o}({x}, {0})", "size", ("(1, c, 1, 1)",)),
    _Layer("F.{r}({x}, axis=(2, 3), keepdims=True)", "(rows, c, 1, 1)"),
    _Layer("F.LeakyReLU({x}, {0}, act_type='prelu')", "size", ("(c,)",)),
)  # fmt: skip
_OF_INDICES = (
    _Layer("F.Embedding({x}, {0}, input_dim=5, output_dim={n})", "(rows, n)", ("(5, n)",)),
    _Layer("F.take({0}, {x})", "(rows, n)", ("(5, n)",)),
    _Layer("F.one_hot({x}, depth=5)", "(rows, 5)"),
)
_LAST = tuple(map(_Layer, (
    "{x}", "{x}", "F.sum({x})", "F.mean({x})", "F.MakeLoss({x})", "F.SoftmaxOutput({x}, {l})",
    "F.LinearRegressionOutput({x}, F.BlockGrad({x} * 0.5))", "F.pick({x}, {l})", "F.make_loss(F.square({x}))",
    "F.smooth_l1({x}, scalar=1)", "F.log_softmax({x}, axis=-1)",
)))  # fmt: skip

# Sums, means, norms and softmax at infinities, NaN and near the largest number: docs/deviations.md.
_VARIES = re.compile(r"softmax|softmin|Softmax|Norm|norm\(|LRN|{r}|F\.sum|F\.mean|'{p}'|clip|sort")
_PRODUCTS = re.compile(r"FullyConnected|dot\(|onvolution")


class _Network:
    """A network under construction: the arrays that it needs, and the lines of its function."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.palette = rng.choice(("plain", "plain", "nonfinite", "nonfinite", "large", "tiny"))
        self.arrays: list[tuple[str, tuple[int, ...], str, bool]] = []  # name, shape, dtype, aux
        self.lines: list[str] = []
        self.dtype = rng.choice(_TYPES)
        self.size: tuple[int, ...] = ()

    def array(self, shape: tuple[int, ...], dtype: str, is_aux: bool = False) -> str:
        name = f"p{len(self.arrays)}"
        self.arrays.append((name, shape, dtype, is_aux))
        return name

    def choose(self, layers: tuple[_Layer, ...]) -> _Layer:
        """Return a layer that MXNet computes by one formula at the numbers of the palette."""
        if self.palette in ("nonfinite", "large"):
            layers = tuple(layer for layer in layers if not _VARIES.search(layer.text))
        if self.palette == "large" or (self.palette, self.dtype) == ("nonfinite", "bfloat16"):
            # Sums of products overflow, or not, by their order.
            layers = tuple(layer for layer in layers if not _PRODUCTS.search(layer.text))
        return self.rng.choice(layers)

    def add(self, layer: _Layer) -> None:
        rng, n = self.rng, self.rng.randint(1, 4)
        rows, k = self.size[0], self.size[1] if len(self.size) > 1 else 1
        choices = {
            "n": n, "b": rng.randrange(2), "d": rng.choice((1, 2)), "t": rng.random() < 0.5, "f": rng.random() < 0.3,
            "a": rng.choice(("relu", "sigmoid", "tanh", "softrelu", "softsign")),
            "l": rng.choice(("leaky", "elu", "selu", "gelu")), "p": rng.choice(("max", "avg", "sum")),
            "o": rng.choice(("add", "sub", "mul", "div", "maximum", "minimum", "power", "hypot")),
            "e": rng.choice(("add", "sub", "mul", "div")), "r": rng.choice(("sum", "mean", "max", "min", "prod", "nansum")),
        }  # fmt: skip
        names = {"size": self.size, "rows": rows, "k": k, "c": k, "n": n, "h": self.size[-1]}
        shapes = [eval(shape, names) for shape in layer.shapes]
        first_aux = len(shapes) - layer.n_aux
        made = [
            self.array(shape, "float32" if i >= first_aux else self.parameter_type(layer), i >= first_aux)
            for i, shape in enumerate(shapes)
        ]  # fmt: skip
        self.lines.append(f"x = {layer.text.format(*made, x='x', **choices)}")
        self.size = eval(layer.size.format(**choices), names)

    def parameter_type(self, layer: _Layer) -> str:
        """Return the type of a parameter: that of the input, or float32 beside BatchNorm."""
        if "BatchNorm" in layer.text and self.dtype in ("float16", "bfloat16"):
            return "float32"
        return self.dtype

    def cast(self) -> None:
        before, self.dtype = self.dtype, self.rng.choice(_TYPES)
        if {before, self.dtype} == {"float16", "bfloat16"}:
            self.dtype = "float32"  # MXNet's graphs take the bits of one for those of the other.
        function = self.rng.choice(("cast", "amp_cast"))
        self.lines.append(f"x = F.{function}(x, dtype={_type_text(self.dtype)})")


def _type_text(dtype: str) -> str:
    return "bfloat16" if dtype == "bfloat16" else repr(dtype)


def _network(rng: Random) -> _Network:
    net = _Network(rng)
    kind = rng.choice(("rows", "rows", "images", "indices"))
    if kind == "indices":
        first = net.array((_ROWS,), rng.choice(_INDICES))
        net.size = (_ROWS,)
        net.add(rng.choice(_OF_INDICES))
    elif kind == "images":
        net.size = (2, rng.randint(1, 3), 4, 4)
        first = net.array(net.size, net.dtype)
    else:
        net.size = (_ROWS, rng.randint(1, 5))
        first = net.array(net.size, net.dtype)
    net.lines.insert(0, f"x = {first}")
    for _ in range(rng.randint(2, 5)):
        choice = rng.random()
        if len(net.size) == 4 and (choice < 0.1 or net.size[-1] < 2):
            net.lines.append("x = F.Flatten(x)")
            rows, c, h, w = net.size
            net.size = (rows, c * h * w)
        elif choice < 0.25:
            net.cast()
        elif choice < 0.5:
            net.add(net.choose(_SIMPLE))
        else:
            net.add(net.choose(_OF_IMAGES if len(net.size) == 4 else _OF_ROWS))
    label = net.choose(_LAST).text
    if "{l}" in label:
        if len(net.size) == 4:
            label = "{x}"
        else:
            label = label.replace(
                "{l}", net.array((net.size[0],), rng.choice(("float32", net.dtype)))
            )
    net.lines.append(f"return {label.format(x='x')}")
    return net


def mixed(rng: Random) -> list[str]:
    """A network of several types: outputs and gradients of the arrays that are not frozen."""
    net = _network(rng)
    palette = net.palette
    names = ", ".join(name for name, *_ in net.arrays)
    steps = [f"def f(F, {names}):\n    " + "\n    ".join(net.lines)]
    requests = {}
    is_indexed = len(net.arrays[0][1]) == 1
    for i, (name, shape, dtype, is_aux) in enumerate(net.arrays):
        seed = rng.randrange(10**6)
        if is_aux:
            values = f"data({shape}, 'float32', {seed}, 0.5, 2)"
        elif (
            (i == 0 and is_indexed)
            or f"pick(x, {name})" in net.lines[-1]
            or f"Output(x, {name})" in net.lines[-1]
        ):
            values = f"data({shape}, 'int32', {seed}, 0, {max(0, min(4, net.size[-1] - 1))})"
        elif palette != "plain" and rng.random() < (0.8 if i == 0 else 0.2):
            values = f"edges({shape}, {dtype!r}, {seed}, {palette!r})"
        else:
            values = f"data({shape}, 'float32', {seed})"
        real = "float32" if dtype == "bfloat16" else dtype
        made = f"nd.array({values}, dtype={real!r})"
        steps.append(
            f"{name} = nd.amp_cast({made}, dtype=bfloat16)"
            if dtype == "bfloat16"
            else f"{name} = {made}"
        )
        requests[name] = "null" if is_aux or dtype.startswith(("int", "uint")) else rng.choice(
            ("write", "write", "add", "null", "null"))  # fmt: skip
    for weight, bias in re.findall(r"FullyConnected\(x, (\w+), (p\w+)", steps[0]):
        # MXNet has no gradient of the bias without that of the weight.
        requests[bias] = "null" if requests[weight] == "null" else requests[bias]
    run = rng.choice((_run_eagerly, _run_executor, _run_block))
    return [*steps, *run(rng, net, requests)]


def _run_eagerly(rng: Random, net: _Network, requests: dict[str, str]) -> list[str]:
    names = ", ".join(requests)
    steps = [
        f"{name}.attach_grad(grad_req={request!r})" for name, request in requests.items()
        if request != "null" or rng.random() < 0.3
    ]  # fmt: skip
    wanted = [name for name, request in requests.items() if request != "null"]
    train = rng.random() < 0.8
    record = f"with autograd.record(train_mode={train}):\n    y = f(nd, {names})"
    steps += [f"f(nd, {names})", record, "y"]
    if wanted:
        steps += ["y.backward()", *[f"{name}.grad" for name in wanted]]
        if "add" in requests.values():
            steps += [record, "y.backward()", *[f"{name}.grad" for name in wanted]]
    return steps


def _run_executor(rng: Random, net: _Network, requests: dict[str, str]) -> list[str]:
    names = ", ".join(requests)
    return [
        f"s = f(sym, *[sym.var(n) for n in {list(requests)!r}])",
        f"given = dict(zip({list(requests)!r}, [{names}]))",
        f"requests = {requests!r}",
        "args, aux = s.list_arguments(), s.list_auxiliary_states()",
        "grads = {n: nd.zeros_like(given[n]) for n in args if requests[n] != 'null'}",
        "e = s.bind(mx.cpu(), {n: given[n] for n in args}, grads, {n: requests[n] for n in args}, {n: given[n] for n in aux})",
        "e.forward()[0]",
        f"y = e.forward(is_train={rng.random() < 0.8})[0]",
        "y",
        "e.backward([nd.ones_like(y)])",
        "[grads[n] for n in args if n in grads]",
        "e.forward(is_train=True)[0].wait_to_read()",
        "e.backward([nd.ones_like(y)])",
        "[grads[n] for n in args if n in grads]",
        "[given[n] for n in aux]",
    ]


def _run_block(rng: Random, net: _Network, requests: dict[str, str]) -> list[str]:
    first, *others = requests
    arguments = ", ".join(requests)
    gets = "".join(
        f"        self.{name} = self.params.get({name!r}, shape={shape}, dtype={_type_text(dtype)}, grad_req={requests[name]!r})\n"
        for name, shape, dtype, _ in net.arrays[1:]
    )
    block = (
        "class Net(gluon.HybridBlock):\n    def __init__(self):\n        super().__init__(prefix='net_')\n"
        f"{gets}"
        f"    def hybrid_forward(self, F, {arguments}):\n        return f(F, {arguments})"
    )
    flags = rng.choice(("", "static_alloc=True", "static_alloc=True, static_shape=True"))
    wanted = [name for name in others if requests[name] != "null"]
    steps = [
        block,
        "net = Net()",
        "net.initialize(mx.init.Zero())",
        *[f"net.{name}.set_data({name})" for name in others],
        f"net.hybridize({flags})" if rng.random() < 0.7 else "None",
        f"net({first})",
    ]
    if requests[first] != "null":
        steps.append(f"{first}.attach_grad(grad_req={requests[first]!r})")
    for _ in range(2):
        steps += [f"with autograd.record():\n    y = net({first})", "y"]
        if wanted or requests[first] != "null":
            steps += ["y.backward()", *[f"net.{name}.grad()" for name in wanted]]
            steps += [f"{first}.grad"] if requests[first] != "null" else []
    return [*steps, *[f"net.{name}.data()" for name, *_, is_aux in net.arrays[1:] if is_aux]]
