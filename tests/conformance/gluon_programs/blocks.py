# SPDX-License-Identifier: Apache-2.0
"""Blocks: names, children, hooks, forward."""

import copy

from .kit import program


def names(block):
    return list(block.collect_params().keys())


def refused(name, run):
    run.__name__ = f"refused_{name}"
    return program(run)


# Names --------------------------------------------------------------------------------------------
@program
def names_of_nested_blocks(k):
    made = [k.Pair(), k.Pair(), k.Pair(prefix="own_"), k.Pair(prefix="")]
    return [[b.name, b.prefix, b.params.prefix, names(b), b.first.name] for b in made]


@program
def names_without_scopes(k):
    class Loose(k.gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.a = k.Dense(2)
            self.b = k.Dense(2, prefix="b_")
            with self.name_scope():
                self.c = k.Dense(2)
                with self.c.name_scope():
                    self.d = k.Dense(2)

    loose = Loose(prefix="l_")
    return [names(loose), [c.prefix for c in loose._children.values()], list(loose._children)]


@program
def names_of_symbols(k):
    block = k.Pair(prefix="p_")
    out = block(k.sym.var("x"))
    return [out.list_arguments(), out.list_auxiliary_states(), out.get_internals().list_outputs()]


@program
def names_of_shared_blocks(k):
    first = k.Pair(prefix="a_")
    second = k.Pair(prefix="b_", params=first.collect_params())
    inner = k.Dense(2, prefix="c_", params=first.first.params)
    return [names(second), names(inner), inner.weight is first.first.weight, second.params.prefix]


@program
def paths_of_parameters(k):
    return list(k.Pair()._collect_params_with_prefix())


@program
def selected_parameters(k):
    block = k.Pair(prefix="p_")
    found = [
        list(block.collect_params(s)) for s in (".*weight", "p_dense0", "weight", ".*bias|.*gamma")
    ]
    return [*found, repr(block.collect_params(".*bias"))]


@program
def texts(k):
    class Tree(k.gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.left = k.Pair()
            self.right = k.Dense(2)

    return [repr(Tree()), repr(k.gluon.Block()), repr(k.gluon.HybridBlock())]


# Attributes and children --------------------------------------------------------------------------
refused("parameter_becomes_number", lambda k: setattr(k.Dense(2), "weight", 3))
refused("parameter_again", lambda k: setattr(k.Dense(2), "weight", k.gluon.Parameter("w")))
refused("block_becomes_number", lambda k: setattr(k.Pair(), "first", 3))
refused("plain_child_of_hybrid", lambda k: setattr(k.Dense(2), "child", k.gluon.Block()))
refused("registered_plain_child", lambda k: k.Dense(2).register_child(k.gluon.Block()))
refused("no_forward", lambda k: k.gluon.Block()(1))
refused("no_hybrid_forward", lambda k: k.gluon.HybridBlock()(k.nd.ones((1,))))
refused("uninitialized", lambda k: k.Dense(2)(k.nd.ones((1, 2))))
refused("number_as_input", lambda k: k.ready(k.Dense(2))(1))
refused("none_as_input", lambda k: k.ready(k.Dense(2))(None))
refused("no_input", lambda k: k.ready(k.Dense(2))())
refused("array_and_symbol", lambda k: k.ready(k.Dense(2))(k.nd.ones((1, 3)), k.sym.var("x")))
refused("other_width", lambda k: k.ready(k.Dense(2))(k.nd.ones((1, 4))))


@program
def child_replaced(k):
    block = k.Pair(prefix="p_")
    block.first = k.Dense(4, prefix="new_")
    return [names(block), list(block._children)]


@program
def children_by_number(k):
    block = k.gluon.Block()
    for _ in range(3):
        block.register_child(k.Dense(2, prefix="d_"))
    block.register_child(k.Dense(2), "named")
    return list(block._children)


@program
def containers_are_warned_of(k):
    class Holder(k.gluon.Block):
        def __init__(self):
            super().__init__()
            self.inside = k.Dense(2)
            self.one = [k.Dense(2)]
            self.two = {"a": ([k.Dense(2)],), "b": 1}
            self.known = [self.inside]
            self.plain = [1, 2]

    return len(Holder().collect_params()._params)


@program
def applied(k):
    seen = []
    block = k.Pair(prefix="p_")
    return [block.apply(lambda b: seen.append(b.name)) is block, seen]


@program
def hooks(k):
    seen = []
    block = k.ready(k.Pair(prefix="p_"))
    before = block.register_forward_pre_hook(lambda b, i: seen.append([b.name, len(i)]))
    block.first.register_forward_hook(lambda b, i, o: seen.append([b.name, i[0].shape, o.shape]))
    block(k.nd.ones((1, 3)))
    before.detach()
    before.detach()
    block(k.nd.ones((4, 3)))
    with block.register_forward_hook(lambda b, i, o: seen.append("inside")):
        block(k.nd.ones((1, 3)))
    block(k.nd.ones((1, 3)))
    return seen


@program
def hooks_while_hybridized(k):
    seen = []
    block = k.ready(k.Pair(prefix="p_"))
    block.first.register_forward_hook(lambda b, i, o: seen.append(type(o).__name__))
    block.register_forward_hook(lambda b, i, o: seen.append(type(o).__name__))
    block.hybridize()
    for _ in range(2):
        block(k.nd.ones((1, 3)))
    return seen


@program
def operator_hooks(k):
    seen = []

    def hook(name, op, array):
        seen.append(name if isinstance(name, str) else name.decode())

    block = k.ready(k.Pair(prefix="p_"))
    block.hybridize()
    block.register_op_hook(hook)
    block(k.nd.ones((1, 3)))
    return [name for name in seen if "relu" not in name]  # MXNet: p_relu0_0


@program
def operator_hooks_with_inputs(k):
    seen = []
    block = k.ready(k.Dense(2, prefix="d_"))
    block.register_op_hook(lambda name, op, array: seen.append(name), monitor_all=True)
    block.hybridize()
    block(k.nd.ones((1, 3)))
    return [name if isinstance(name, str) else name.decode() for name in seen]


@program
def summary(k):
    class Net(k.gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.pair = k.Pair()
                self.again = k.Dense(3, in_units=3, params=self.pair.first.params)

        def forward(self, x, y=None):
            return self.pair(self.again(x)), [x, None]

    net = Net()
    net.initialize()
    net.summary(k.nd.ones((2, 3)))
    net.summary(k.nd.ones((2, 3)), k.nd.ones((1,)))


refused(
    "summary_hybridized",
    lambda k: (lambda b: (b.hybridize(), b.summary(k.nd.ones((1, 3)))))(k.ready(k.Pair())),
)
refused("summary_uninitialized", lambda k: k.Dense(2).summary(k.nd.ones((1, 3))))


@program
def deep_copies(k):
    block = k.ready(k.Pair(prefix="p_"))
    x = k.nd.ones((1, 3))
    wanted = block(x)
    other = copy.deepcopy(block)
    other.first.weight.set_data(k.nd.zeros((3, 3)))
    return [wanted, block(x), other(x), names(other), other.prefix]


# Forward ------------------------------------------------------------------------------------------
@program
def forward_of_pair(k):
    block = k.ready(k.Pair())
    x = k.nd.array([[1, 2, 3], [4, 5, 6.5]])
    x.attach_grad()
    with k.ag.record():
        y = (block(x) ** 2).sum()
    y.backward()
    grads = [p.grad() for p in block.collect_params().values() if p.grad_req != "null"]
    return [
        y,
        x.grad,
        grads,
        block.norm.running_mean.data(),
        block.norm.running_var.data(),
        block(x),
    ]


@program
def forward_is_overridden(k):
    class Half(k.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.w = self.params.get("w", shape=(2,), init="ones")

        def forward(self, x, y=None, scale=1):
            return super().forward(x * scale, y)

        def hybrid_forward(self, F, x, y, w):
            return x * w if y is None else x * w + y

    block = Half()
    block.initialize()
    x = k.nd.array([1, 2])
    found = [block(x), block(x, x, 3)]
    block.hybridize()
    return [*found, block(x, None, 2)]


@program
def current_context(k):
    class Zeros(k.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.zeros((2,)) + F.broadcast_like(F.ones((1,)), x)

    return Zeros()(k.nd.ones((2,), ctx=k.mx.cpu(3))).context


@program
def contexts(k):
    block = k.Dense(2, in_units=3)
    block.initialize(ctx=[k.mx.cpu(0), k.mx.cpu(1)])
    block.weight.data(k.mx.cpu(1))[:] = 1
    block.weight.data(k.mx.cpu(0))[:] = 0
    found = []
    for _ in range(2):
        found += [block(k.nd.ones((1, 3), ctx=k.mx.cpu(i))) for i in (0, 1)]
        block.hybridize()
    return [[y, y.context] for y in found]


refused("block_elsewhere", lambda k: k.ready(k.Dense(2))(k.nd.ones((1, 3), ctx=k.mx.cpu(2))))


@program
def cast_of_blocks(k):
    block = k.ready(k.Pair())
    block.hybridize()
    block(k.nd.ones((1, 3)))
    block.first.cast("float64")
    block.cast("float64")
    return [
        block(k.nd.ones((1, 3), dtype="float64")),
        [str(p.dtype) for p in block.collect_params().values()],
    ]
