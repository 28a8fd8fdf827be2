# SPDX-License-Identifier: Apache-2.0
"""Hybridized blocks, structures of arguments, SymbolBlock."""

import json

from .blocks import names, refused
from .kit import program


def block_of(k, run, **params):
    class Made(k.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                for name, kw in params.items():
                    setattr(self, name, self.params.get(name, **kw))

        def hybrid_forward(self, F, x, *args, **kwargs):
            return run(F, x, *args, **kwargs)

    return Made(prefix="made_")


def both(k, block, *inputs):
    """What a block gives, and what its graph gives twice."""
    found = [block(*inputs)]
    block.hybridize()
    return [*found, block(*inputs), block(*inputs)]


FLAGS = {
    "default": {},
    "static_alloc": {"static_alloc": True},
    "static": {"static_alloc": True, "static_shape": True},
    "inline": {"inline_limit": 10},
    "bulks": {"forward_bulk_size": 3, "backward_bulk_size": 3},
}


def trained(k, **flags):
    block = k.ready(k.Pair())
    block.hybridize(**flags)
    found = []
    for i in range(3):
        x = k.nd.array([[1, 2, i], [i, 5, 6.5]])
        x.attach_grad()
        with k.ag.record():
            y = (block(x) ** 2).sum()
        y.backward()
        grads = [p.grad() for p in block.collect_params().values() if p.grad_req != "null"]
        found.append([y, x.grad, grads, block.norm.running_mean.data(), block(x)])
    return [found, [list(f) for f in block._flags]]


for _name, _flags in FLAGS.items():
    run = lambda k, _flags=_flags: trained(k, **_flags)  # noqa: E731
    run.__name__ = f"trained_{_name}"
    program(run)


@program
def graph_of_pair(k):
    block = k.ready(k.Pair(prefix="p_"))
    block.hybridize()
    block(k.nd.ones((1, 3)))
    inputs, out = block._cached_graph
    args = [[a, v if a else v.name] for a, v in block._cached_op_args]
    return [
        [i.name for i in inputs], out.list_inputs(), out.list_outputs(), args,
        block._in_format, block._out_format, block._active, block._cached_op is not None,
    ]  # fmt: skip


@program
def nested_inputs(k):
    block = block_of(k, lambda F, x, y, z: (x + y[0] * z, [y[1], [x]]))
    x = k.nd.array([1, 2])
    return [both(k, block, x, [x * 2, x * 3], x), block._in_format, block._out_format]


@program
def list_as_first_input(k):
    block = block_of(k, lambda F, x: F.concat(*x, dim=0))
    x = k.nd.array([1, 2])
    return [both(k, block, [x, x * 3]), block._in_format]


@program
def none_among_inputs(k):
    block = block_of(k, lambda F, x, y=None: x if y is None else x + y)
    x = k.nd.array([1, 2])
    found = both(k, block, x, None)
    return [found, block(x), block._in_format]


@program
def none_first(k):
    block = block_of(k, lambda F, x, y: y * 2 if x is None else x)
    return [both(k, block, None, k.nd.array([1, 2])), block._in_format]


@program
def several_outputs_of_one_symbol(k):
    block = block_of(k, lambda F, x: (F.split(x, 2, axis=0), x))
    return [both(k, block, k.nd.array([1, 2])), block._out_format]


@program
def list_of_one_output(k):
    return both(k, block_of(k, lambda F, x: [x * 2]), k.nd.array([1, 2]))


def shaped(k, *inputs):
    block = block_of(k, lambda F, x, y=None: x if y is None else x + y)
    block.hybridize()
    block(k.nd.ones((2,)), None)
    return block(*inputs)


refused("array_for_none", lambda k: shaped(k, k.nd.ones((2,)), k.nd.ones((2,))))
refused("list_for_array", lambda k: shaped(k, [k.nd.ones((2,))]))
refused(
    "number_hybridized", lambda k: both(k, block_of(k, lambda F, x, n: x * n), k.nd.ones((2,)), 3)
)
refused("all_none", lambda k: both(k, block_of(k, lambda F, x: x), None))
refused("text_as_output", lambda k: both(k, block_of(k, lambda F, x: "x"), k.nd.ones((1,))))
refused("two_contexts", lambda k: both(
    k, block_of(k, lambda F, x, y: x + y), k.nd.ones((1,)), k.nd.ones((1,), ctx=k.mx.cpu(1))
))  # fmt: skip
refused("optimize_without_backend", lambda k: k.Dense(2).optimize_for(k.nd.ones((1, 3))))


@program
def numbers_among_inputs(k):
    return block_of(k, lambda F, x, n, flag=False: x * n if flag else x)(k.nd.ones((2,)), 3, True)


@program
def unused_input(k):
    return both(k, block_of(k, lambda F, x, y: x * 2), k.nd.ones((2,)), k.nd.ones((3,)))


@program
def unused_parameter(k):
    block = block_of(k, lambda F, x, v, w: x * w, w={"shape": (2,)}, v={"shape": (3,)})
    block.initialize("ones")
    return both(k, block, k.nd.ones((2,)))


@program
def deferred_in_a_graph(k):
    block = k.Pair(prefix="p_")
    block.initialize("ones")
    block.hybridize()
    y = block(k.nd.array([[1, 2, 3], [0, 1, 5]]))
    return [y, [[n, p.shape] for n, p in block.collect_params().items()]]


@program
def infer_shape(k):
    block = k.Pair(prefix="p_")
    block.infer_shape(k.nd.ones((4, 7)))
    return [[n, p.shape] for n, p in block.collect_params().items()]


@program
def infer_type(k):
    block = k.Dense(3, dtype=None)
    block.infer_type(k.nd.ones((4, 7), dtype="float64"))
    return [str(p.dtype) for p in block.collect_params().values()]


refused("shape_that_nothing_tells", lambda k: (lambda b: (b.initialize(), b(k.nd.ones((2,)))))(
    block_of(k, lambda F, x, w: F.dot(x, F.reshape(w, (-1,)))[0],
             w={"shape": (0, 0), "allow_deferred_init": True})
))  # fmt: skip


@program
def other_shapes_after(k):
    block = k.ready(k.Pair())
    block.hybridize()
    return [block(k.nd.ones((n, 3))).shape for n in (1, 5, 2)]


@program
def changes_between_calls(k):
    block = k.ready(k.Dense(2))
    block.hybridize()
    x = k.nd.ones((1, 3))
    found = [block(x)]
    block.weight.set_data(k.nd.ones((2, 3)))
    found.append(block(x))
    block.weight.initialize("zeros", force_reinit=True)
    found.append(block(x))
    block.bias.data()[:] = 7
    found.append(block(x))
    block.collect_params().reset_ctx(k.mx.cpu(1))
    found.append(block(x.as_in_context(k.mx.cpu(1))))
    return found


@program
def child_changes(k):
    block = k.ready(k.Pair())
    block.hybridize()
    x = k.nd.ones((1, 3))
    before = block(x)
    block.second = k.Dense(1, in_units=3)
    block.second.initialize("ones")
    return [before, block(x)]


@program
def grad_req_between_calls(k):
    block = k.ready(k.Dense(2))
    block.hybridize()
    x = k.nd.ones((1, 3))
    found = []
    for req in ("write", "null", "add"):
        block.weight.grad_req = req
        with k.ag.record():
            y = block(x)
        y.backward()
        found.append([block.bias.grad(), None if req == "null" else block.weight.grad()])
    return found


@program
def symbols_through_hybridized(k):
    block = k.ready(k.Pair(prefix="p_"))
    block.hybridize()
    block(k.nd.ones((1, 3)))
    return [block(k.sym.var("x")).list_arguments(), block.first(k.sym.var("x")).list_outputs()]


@program
def loop_inside(k):
    def run(F, x, w):
        out, states = F.contrib.foreach(
            lambda row, s: (row * w + s[0], [s[0] + row]), x, [F.zeros_like(w)]
        )
        return out, states[0]

    block = block_of(k, run, w={"shape": (3,)})
    block.initialize("ones")
    return both(k, block, k.nd.array([[1, 2, 3], [4, 5, 6]]))


@program
def branch_inside(k):
    def run(F, x):
        return F.contrib.cond(F.sum(x) > 2, lambda: x * 2, lambda: x * 3)

    return [both(k, block_of(k, run), k.nd.array(v)) for v in ([1, 1], [2, 2])]


@program
def constant_inside(k):
    class WithConstant(k.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.c = self.params.get_constant("c", k.nd.array([1, 2]))

        def hybrid_forward(self, F, x, c):
            return x * c

    block = WithConstant()
    block.initialize()
    return both(k, block, k.nd.ones((2,)))


@program
def recorded_symbol(k):
    found = []
    for limit in (0, 4):
        block = k.ready(k.Pair())
        block.hybridize(inline_limit=limit)
        with k.ag.record():
            y = block(k.nd.ones((1, 3))) * 2
        nodes = json.loads(k.ag.get_symbol(y).tojson())["nodes"]
        found.append([n["op"] for n in nodes])
    return found


# SymbolBlock --------------------------------------------------------------------------------------
def net(k):
    x = k.sym.var("data")
    dense = k.sym.FullyConnected(
        x, k.sym.var("net_w"), k.sym.var("net_b"), num_hidden=3, name="net_fc"
    )
    return x, dense, k.sym.BatchNorm(dense, fix_gamma=False, name="net_norm")


@program
def symbol_block(k):
    x, dense, norm = net(k)
    block = k.gluon.SymbolBlock([norm, [dense]], [x])
    block.initialize("ones")
    y = block(k.nd.array([[1, 2], [3, 5]]))
    facts = [[p.name, p.grad_req, p.shape, str(p.dtype)] for p in block.params.values()]
    return [
        y, repr(block), block.prefix, block.name, facts, list(block._reg_params),
        block._in_format, block._out_format, block(k.sym.var("q")),
    ]  # fmt: skip


@program
def symbol_block_of_internals(k):
    block = k.ready(k.Pair(prefix="p_"))
    x = k.sym.var("data")
    inside = block(x).get_internals()
    taken = k.gluon.SymbolBlock(inside["p_dense0_fwd_output"], x, params=block.collect_params())
    everything = k.gluon.SymbolBlock(inside, x, params=block.collect_params())
    y = taken(k.nd.ones((1, 3)))
    return [y, names(taken), taken.params["p_dense0_weight"] is block.first.weight,
            len(everything(k.nd.ones((1, 3))))]  # fmt: skip


@program
def symbol_block_in_a_block(k):
    inner = k.ready(k.Pair(prefix="p_"))

    class Outer(k.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            x = k.sym.var("data")
            self.body = k.gluon.SymbolBlock(inner(x), x, params=inner.collect_params())

        def hybrid_forward(self, F, x):
            return F.sum(self.body(x))

    outer = Outer(prefix="o_")
    return [
        both(k, outer, k.nd.ones((2, 3))),
        names(outer),
        list(outer._collect_params_with_prefix()),
    ]


@program
def symbol_block_types(k):
    found = []
    for dtype in (None, "float32", "float64"):
        x = k.sym.var("data", dtype=dtype)
        out = k.sym.FullyConnected(x, num_hidden=3, name="fc")
        found.append([str(p.dtype) for p in k.gluon.SymbolBlock(out, x).params.values()])
    return found


@program
def symbol_block_cast(k):
    x, dense, _ = net(k)
    block = k.gluon.SymbolBlock(dense, x)
    block.initialize("ones")
    block(k.nd.ones((1, 2)))
    block.cast("float64")
    return block(k.nd.ones((1, 2), dtype="float64"))


refused("operator_as_input", lambda k: k.gluon.SymbolBlock(net(k)[2], net(k)[1]))
refused(
    "group_as_input",
    lambda k: k.gluon.SymbolBlock(net(k)[2], k.sym.Group([k.sym.var("a"), k.sym.var("b")])),
)
refused("text_as_symbol", lambda k: k.gluon.SymbolBlock("x", k.sym.var("data")))
refused("row_sparse_symbol", lambda k: k.gluon.SymbolBlock(
    k.sym.dot(k.sym.var("data"), k.sym.var("w", stype="row_sparse")), k.sym.var("data")
))  # fmt: skip
refused(
    "hybrid_forward_of_symbol",
    lambda k: k.gluon.SymbolBlock(*net(k)[1::-1]).hybrid_forward(k.nd, 1),
)
