# SPDX-License-Identifier: Apache-2.0
"""Parameters and dicts of them."""

from .kit import program


def facts(p):
    return [p.name, p.shape, p.grad_req, p.lr_mult, p.wd_mult, str(p.dtype), repr(p)]


@program
def fresh(k):
    return facts(k.gluon.Parameter("w", shape=(2, 3)))


@program
def one_size(k):
    return k.gluon.Parameter("w", shape=5).shape


@program
def initialized(k):
    p = k.gluon.Parameter("w", shape=(2, 2), init="ones")
    p.initialize()
    return [p.data(), p.grad(), p.list_ctx(), p._ctx_map, p._deferred_init, len(p.list_grad())]


@program
def initializers_by_rank(k):
    found = []
    for own, given, default in (
        (None, None, "ones"), ("zeros", None, "ones"), ("zeros", "ones", "zeros"),
        (None, "ones", "zeros"), (k.mx.init.Constant(3), None, "ones"),
    ):  # fmt: skip
        p = k.gluon.Parameter("x_bias", shape=(2,), init=own)
        p.initialize(init=given, default_init=default)
        found.append(p.data())
    return found


@program
def initialized_twice(k):
    p = k.gluon.Parameter("w", shape=(2,), init="ones")
    p.initialize()
    p.set_data(k.nd.zeros((2,)))
    p.initialize()
    before = p.data().copy()
    p.initialize(force_reinit=True)
    return [before, p.data()]


def refused(name, run):
    run.__name__ = f"refused_{name}"
    return program(run)


def plain(k, **kwargs):
    return k.gluon.Parameter("w", **{"shape": (2, 3), **kwargs})


def ready(k, **kwargs):
    p = plain(k, **kwargs)
    p.initialize()
    return p


def waiting(k):
    p = plain(k, shape=(0, 3), allow_deferred_init=True)
    p.initialize()
    return p


refused("data_before_initialize", lambda k: plain(k).data())
refused("grad_before_initialize", lambda k: plain(k).grad())
refused("list_ctx_before_initialize", lambda k: plain(k).list_ctx())
refused("set_data_before_initialize", lambda k: plain(k).set_data(k.nd.ones((2, 3))))
refused("reset_ctx_before_initialize", lambda k: plain(k).reset_ctx(k.mx.cpu()))
refused("unknown_shape", lambda k: plain(k, shape=(0, 3)).initialize())
refused("data_of_deferred", lambda k: waiting(k).data())
refused("list_grad_of_deferred", lambda k: waiting(k).list_grad())
refused("other_context", lambda k: ready(k).data(k.mx.cpu(3)))
refused("set_data_of_other_shape", lambda k: ready(k).set_data(k.nd.ones((3, 3))))
refused("grad_without", lambda k: ready(k, grad_req="null").grad())
refused("row_sparse_of_dense", lambda k: ready(k).row_sparse_data(k.nd.array([1])))
refused("dense_of_row_sparse", lambda k: ready(k, stype="row_sparse").data())
refused(
    "rows_without_trainer", lambda k: ready(k, stype="row_sparse").row_sparse_data(k.nd.array([1]))
)
refused("stype", lambda k: plain(k, stype="invalid"))
refused("grad_stype", lambda k: plain(k, grad_stype="invalid"))
refused("grad_req", lambda k: plain(k, grad_req="invalid"))
refused("shape_change", lambda k: setattr(ready(k), "shape", (3, 3)))
refused("initializer", lambda k: plain(k).initialize(init="invalid"))
refused("finish_without_shape", lambda k: waiting(k)._finish_deferred_init())


@program
def shape_filled_in(k):
    p = plain(k, shape=(0, 3), allow_deferred_init=True)
    p.shape = (5, 3)
    return p.shape


@program
def deferred_then_told(k):
    p = waiting(k)
    before = [p.list_ctx(), repr(p), len(p._deferred_init)]
    p.set_data(k.nd.ones((2, 3)))
    p._finish_deferred_init()
    return [before, p.data(), p.grad(), p._deferred_init]


@program
def several_contexts(k):
    p = plain(k, init="ones")
    p.initialize(ctx=[k.mx.cpu(1), k.mx.cpu(3)])
    p.data(k.mx.cpu(3))[:] = 3
    found = [p._ctx_map, p.list_ctx(), len(p.list_data()), p._reduce(), p._reduce().context]
    with k.mx.cpu(3):
        found += [p.data(), p.grad().context]
    p.reset_ctx(k.mx.cpu(2))
    return [*found, p.list_ctx(), p.data(), p._ctx_map]


@program
def reset_ctx_of_deferred(k):
    p = waiting(k)
    p.reset_ctx([k.mx.cpu(1), k.mx.cpu(2)])
    return p.list_ctx()


@program
def grad_req_changes(k):
    p = ready(k)
    p.grad_req = "null"
    none = [p._grad, p.grad_req]
    p.grad_req = "add"
    with k.ag.record():
        y = (p.data() * 2).sum()
    y.backward()
    with k.ag.record():
        y = (p.data() * 2).sum()
    y.backward()
    summed = p.grad().copy()
    p.zero_grad()
    return [none, summed, p.grad(), p.grad_req]


@program
def not_differentiable(k):
    p = ready(k, differentiable=False)
    p.grad_req = "write"
    return [p.grad_req, p._grad, p._differentiable]


@program
def cast(k):
    p = ready(k, init="ones")
    p.cast("float16")
    return [p.data(), p.grad(), str(p.dtype), repr(p)]


@program
def cast_by_attribute(k):
    p = ready(k, init="ones")
    p.dtype = "float64"
    return [p.data(), str(p.dtype)]


@program
def gradient_after_cast(k):
    p = ready(k, init="ones")
    p.cast("float64")
    with k.ag.record():
        y = (p.data() * p.data()).sum()
    y.backward()
    return p.grad()


@program
def variable(k):
    p = plain(k, lr_mult=2.0, wd_mult=0.5, init="ones", dtype="float16")
    attrs = p.var().attr_dict()["w"]
    return [dict(sorted(attrs.items())), p.var() is p.var()]


@program
def sparse_gradient(k):
    p = ready(k, grad_stype="row_sparse")
    return [p.grad().stype, p.data().stype]


@program
def constant(k):
    c = k.gluon.Constant("c", [[1, 2], [3, 4]])
    c.initialize()
    c.grad_req = "write"
    return [c.data(), c.grad_req, repr(c), c.value, c.shape]


# Dicts --------------------------------------------------------------------------------------------
@program
def dict_of_two(k):
    d = k.gluon.ParameterDict("net_")
    w = d.get("w", shape=(2, 0))
    again = d.get("w", shape=(2, 7))
    d.get("b", init="zeros")
    return [
        w is again, w.shape, repr(d), list(d), list(d.keys()), [n for n, _ in d.items()],
        d["net_w"] is w, "net_w" in d, "w" in d, d.prefix, d._shared,
    ]  # fmt: skip


@program
def dict_shared(k):
    outer = k.gluon.ParameterDict("a_")
    w = outer.get("w", shape=(2,))
    inner = k.gluon.ParameterDict("a_", shared=outer)
    return [
        inner.get("w") is w,
        inner.get("v").name,
        list(inner),
        list(outer),
        inner._shared is outer,
    ]


def dict_with(k, **kwargs):
    d = k.gluon.ParameterDict("net_")
    d.get("w", **{"shape": (2, 3), **kwargs})
    return d


refused("get_of_other_shape", lambda k: dict_with(k).get("w", shape=(3, 3)))
refused("get_of_other_rank", lambda k: dict_with(k).get("w", shape=(2,)))
refused("get_of_other_dtype", lambda k: dict_with(k).get("w", dtype="float16"))
refused("get_of_other_init", lambda k: dict_with(k, init="ones").get("w", init="zeros"))
refused("no_such_name", lambda k: dict_with(k)["v"])
refused("no_such_constant", lambda k: dict_with(k).get_constant("c"))
refused("constant_that_is_none", lambda k: dict_with(k).get_constant("w", [1.0]))
refused("update_with_others", lambda k: dict_with(k).update(dict_with(k)))
refused("save_without_prefix", lambda k: ready_dict(k).save(str(k.folder / "x"), strip_prefix="v"))


def ready_dict(k, **kwargs):
    d = dict_with(k, **kwargs)
    d.initialize("ones")
    return d


@program
def get_takes_what_is_unset(k):
    d = dict_with(k)
    p = d.get("w", init="zeros", lr_mult=1.0)
    return [str(p.init), p.lr_mult]


@program
def constants(k):
    d = k.gluon.ParameterDict("net_")
    c = d.get_constant("c", k.nd.array([1, 2]))
    return [d.get_constant("c") is c, d.get_constant("c", k.nd.array([1, 2])) is c, repr(d)]


@program
def dict_initialize(k):
    d = k.gluon.ParameterDict("net_")
    d.get("w", shape=(2,), init="zeros")
    d.get("v", shape=(2,))
    d.initialize(k.mx.init.One(), ctx=[k.mx.cpu(1), k.mx.cpu(2)])
    d.setattr("lr_mult", 3.0)
    d.setattr("grad_req", "add")
    found = [p.data(k.mx.cpu(2)) for p in d.values()]
    d.zero_grad()
    d.reset_ctx(k.mx.cpu(0))
    contexts = d.list_ctx()
    return [found, [facts(p) for p in d.values()], contexts]


@program
def dict_files(k):
    d = ready_dict(k)
    path = str(k.folder / "x.params")
    d.save(path, strip_prefix="net_")
    names = list(k.nd.load(path))
    other = k.gluon.ParameterDict("other_")
    other.get("w", shape=(2, 0), allow_deferred_init=True)
    other.load(path, restore_prefix="other_")
    return [names, other["other_w"].data(), other["other_w"].shape]


def loaded(k, arrays, parameters=("w",), **kwargs):
    d = k.gluon.ParameterDict("net_")
    for name in parameters:
        d.get(name, shape=(2,), dtype=kwargs.pop("dtype", "float32"))
    d.load_dict({n: k.nd.array(v, dtype=t) for n, (v, t) in arrays.items()}, **kwargs)
    return [[n, p.data(), str(p.dtype)] for n, p in d.items() if p._data is not None]


W = {"net_w": ([1, 2], "float32")}

CASES = {
    "as_it_is": lambda k: loaded(k, W),
    "missing": lambda k: loaded(k, W, ("w", "v")),
    "missing_allowed": lambda k: loaded(k, W, ("w", "v"), allow_missing=True),
    "extra": lambda k: loaded(k, {**W, "net_x": ([1], "float32")}),
    "extra_ignored": lambda k: loaded(k, {**W, "net_x": ([1], "float32")}, ignore_extra=True),
    "of_module": lambda k: loaded(k, {"arg:net_w": ([1, 2], "float32")}),
    "state_of_module": lambda k: loaded(k, {"aux:net_w": ([1, 2], "float32")}),
    "other_shape": lambda k: loaded(k, {"net_w": ([1, 2, 3], "float32")}),
    "other_dtype": lambda k: loaded(k, {"net_w": ([1, 2], "float64")}),
    "cast": lambda k: loaded(k, {"net_w": ([1, 2], "float64")}, cast_dtype=True),
    "cast_to_saved": lambda k: loaded(
        k, {"net_w": ([1, 2], "float64")}, cast_dtype=True, dtype_source="saved"
    ),
    "cast_to_nothing": lambda k: loaded(k, W, cast_dtype=True, dtype_source="invalid"),
    "prefixed": lambda k: loaded(k, {"w": ([1, 2], "float32")}, restore_prefix="net_"),
    "on_contexts": lambda k: loaded(k, W, ctx=[k.mx.cpu(0)]),
}

for _name, _case in CASES.items():
    _case.__name__ = f"load_{_name}"
    program(_case)


@program
def load_into_other_contexts(k):
    d = ready_dict(k)
    d.load_dict({"net_w": k.nd.zeros((2, 3))}, ctx=k.mx.cpu(1))


@program
def load_into_deferred(k):
    p = waiting(k)
    d = k.gluon.ParameterDict("")
    d._params["w"] = p
    d.load_dict({"w": k.nd.ones((2, 3))})
    return [p.data(), p.grad(), p._deferred_init, p.shape]
