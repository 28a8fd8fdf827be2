# SPDX-License-Identifier: Apache-2.0
"""Files of parameters and graphs."""

import hashlib
import json

from .blocks import refused
from .kit import program


def ready(k, **kwargs):
    return k.ready(k.Pair(**{"prefix": "p_", **kwargs}))


def fingerprint(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@program
def saved_bytes(k):
    ready(k).save_parameters(str(k.folder / "x.params"))
    return [fingerprint(k.folder / "x.params"), list(k.nd.load(str(k.folder / "x.params")))]


@program
def saved_bytes_of_dict(k):
    ready(k).collect_params().save(str(k.folder / "x.params"), strip_prefix="p_")
    return [fingerprint(k.folder / "x.params"), list(k.nd.load(str(k.folder / "x.params")))]


def sharing(k):
    class Twice(k.gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.a = k.Dense(2, in_units=2)
                self.b = k.Dense(2, in_units=2, params=self.a.params)
                self.c = k.Dense(2, in_units=2)

        def forward(self, x):
            return self.c(self.b(self.a(x)))

    return Twice(prefix="t_")


@program
def shared_parameters(k):
    found = []
    for deduplicate in (False, True):
        block = sharing(k)
        block.initialize("ones")
        path = str(k.folder / "x.params")
        block.save_parameters(path, deduplicate=deduplicate)
        other = sharing(k)
        other.load_parameters(path)
        found.append([list(k.nd.load(path)), other(k.nd.ones((1, 2)))])
    return found


def exported(k, remove=True):
    block = ready(k)
    block.hybridize()
    block(k.nd.ones((1, 3)))
    block.export(str(k.folder / "x"), epoch=7, remove_amp_cast=remove)
    return block


@program
def exported_files(k):
    exported(k)
    graph = json.loads((k.folder / "x-symbol.json").read_text())
    params = k.nd.load(str(k.folder / "x-0007.params"))
    for node in graph["nodes"]:
        node["inputs"] = [source[:2] for source in node["inputs"]]
    return [graph["nodes"], graph["heads"], fingerprint(k.folder / "x-0007.params"), list(params)]


@program
def exported_and_imported(k):
    block = exported(k)
    path = str(k.folder / "x")
    other = k.gluon.SymbolBlock.imports(f"{path}-symbol.json", ["data"], f"{path}-0007.params")
    x = k.nd.array([[1, 2, 3], [3, 1, 0]])
    return [block(x), other(x), list(other.params), [p.grad_req for p in other.params.values()]]


@program
def exported_into_a_block(k):
    block = exported(k)
    other = k.Pair(prefix="p_")
    other.collect_params().load(str(k.folder / "x-0007.params"))
    x = k.nd.ones((1, 3))
    return [block(x), other(x)]


@program
def exported_into_a_block_by_load_parameters(k):
    block = exported(k)
    other = k.Pair(prefix="p_")
    other.load_parameters(str(k.folder / "x-0007.params"))
    x = k.nd.ones((1, 3))
    return [block(x), other(x)]


@program
def imported_without_parameters(k):
    exported(k)
    other = k.gluon.SymbolBlock.imports(str(k.folder / "x-symbol.json"), "data")
    other.initialize("ones")
    return other(k.nd.ones((1, 3)))


def imported(k, change, names="data", **kwargs):
    exported(k)
    path = str(k.folder / "x")
    arrays = k.nd.load(f"{path}-0007.params")
    change(arrays)
    k.nd.save(f"{path}-0007.params", arrays)
    block = k.gluon.SymbolBlock.imports(
        f"{path}-symbol.json", names, f"{path}-0007.params", **kwargs
    )
    return block(k.nd.ones((1, 3)))


def without(arrays):
    del arrays["arg:p_dense0_bias"]


refused("import_missing", lambda k: imported(k, without))
refused("import_missing_used", lambda k: imported(k, without, allow_missing=True))
refused("import_extra", lambda k: imported(k, lambda a: a.update(z=a["arg:p_dense0_bias"])))
refused("import_other_input", lambda k: imported(k, lambda a: None, names="other"))
refused("export_before_forward", lambda k: ready(k).export(str(k.folder / "x")))


@program
def import_extra_ignored(k):
    return imported(k, lambda a: a.update(z=a["arg:p_dense0_bias"]), ignore_extra=True)


@program
def import_of_other_types(k):
    def halve(arrays):
        for name in arrays:
            arrays[name] = arrays[name].astype("float64")

    exported(k)
    path = str(k.folder / "x")
    arrays = k.nd.load(f"{path}-0007.params")
    halve(arrays)
    k.nd.save(f"{path}-0007.params", arrays)
    block = k.gluon.SymbolBlock.imports(f"{path}-symbol.json", "data", f"{path}-0007.params")
    return [
        block(k.nd.ones((1, 3), dtype="float64")),
        [str(p.dtype) for p in block.params.values()],
    ]


def reloaded(k, change=lambda arrays: None, make=None, old=False, **kwargs):
    path = str(k.folder / "x.params")
    block = ready(k)
    if old:
        block.collect_params().save(path, strip_prefix=block.prefix)
    else:
        block.save_parameters(path)
    arrays = k.nd.load(path)
    change(arrays)
    k.nd.save(path, arrays)
    other = k.Pair(prefix="q_") if make is None else make()
    other.load_parameters(path, **kwargs)
    return other(k.nd.ones((1, 3)))


CASES = {
    "again": lambda k: reloaded(k),
    "old_form": lambda k: reloaded(k, old=True),
    "missing": lambda k: reloaded(k, lambda a: a.pop("first.bias")),
    "missing_of_old_form": lambda k: reloaded(k, lambda a: a.pop("dense0_bias"), old=True),
    "extra": lambda k: reloaded(k, lambda a: a.update({"third.bias": k.nd.ones((1,))})),
    "extra_ignored": lambda k: reloaded(
        k, lambda a: a.update({"third.bias": k.nd.ones((1,))}), ignore_extra=True
    ),
    "other_shape": lambda k: reloaded(k, lambda a: a.update({"first.bias": k.nd.ones((4,))})),
    "other_type": lambda k: reloaded(
        k, lambda a: a.update({"first.bias": k.nd.ones((3,), dtype="float64")})
    ),
    "other_type_cast": lambda k: reloaded(
        k, lambda a: a.update({"first.bias": k.nd.ones((3,), dtype="float64")}), cast_dtype=True
    ),
    "into_initialized": lambda k: reloaded(k, make=lambda: k.ready(k.Pair())),
    "into_initialized_elsewhere": lambda k: reloaded(
        k, make=lambda: k.ready(k.Pair()), ctx=k.mx.cpu(1)
    ),
    "into_other_block": lambda k: reloaded(k, make=lambda: k.Dense(2)),
}

for _name, _case in CASES.items():
    _case.__name__ = f"reload_{_name}"
    program(_case)


@program
def missing_allowed(k):
    path = str(k.folder / "x.params")
    block = ready(k)
    block.save_parameters(path)
    arrays = k.nd.load(path)
    del arrays["first.bias"]
    k.nd.save(path, arrays)
    other = k.ready(k.Pair(prefix="q_"))
    other.first.bias.set_data(k.nd.zeros((3,)))
    other.load_parameters(path, allow_missing=True)
    return [other.first.bias.data(), other.first.weight.data()]


@program
def deferred_and_loaded(k):
    path = str(k.folder / "x.params")
    block = ready(k)
    block.save_parameters(path)
    other = k.Pair(prefix="q_")
    other.initialize(ctx=[k.mx.cpu(0), k.mx.cpu(1)])
    other.load_parameters(path)
    x = k.nd.ones((1, 3))
    return [block(x), other(x), other(x.as_in_context(k.mx.cpu(1))), other.first.weight.list_ctx()]


@program
def architecture(k):
    block = ready(k)
    block.hybridize()
    block(k.nd.ones((1, 3)))
    block.save(str(k.folder / "x"))
    tree = json.loads((k.folder / "x-model.json").read_text())
    (root,) = tree.values()
    graph = json.loads(root.pop("symbol"))
    root.pop("inputs")
    other = k.Pair(prefix="q_")
    other.load(str(k.folder / "x"))
    x = k.nd.array([[1, 2, 3]])
    return [
        tree,
        len(graph["nodes"]),
        block(x),
        other(x),
        other.name,
        other._active,
        other.first.name,
    ]
