# SPDX-License-Identifier: Apache-2.0
"""Writes files of every kind and lets the real MXNet 1.9.1 read them.

    python scripts/check_with_mxnet.py /path/to/python-with-mxnet

Exits with status 1 when MXNet reads anything else than was written, or writes other bytes.
"""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import mxnova as mx
from mxnova.core.base.dtypes import DTYPES

# Runs under MXNet: tells what it read, and writes the same arrays and symbols again.
READER = r"""
import json, sys, numpy as np, mxnet as mx
folder = sys.argv[1]
told = {}
for name, np_shape in json.load(open(folder + '/params.json')).items():
    with mx.util.np_shape(np_shape):
        loaded = mx.nd.load(f'{folder}/{name}.params')
        items = list(loaded.items()) if isinstance(loaded, dict) else [('', a) for a in loaded]
        values = {}
        for i, (key, a) in enumerate(items):
            a = a.astype('float32') if 'bfloat16' in str(a.dtype) else a
            values[f'{i}:{key}:{a.stype}'] = a.asnumpy()
        np.savez(f'{folder}/{name}-read.npz', **values)
        mx.nd.save(f'{folder}/{name}-again.params', loaded)
for name in json.load(open(folder + '/symbols.json')):
    symbol = mx.sym.load(f'{folder}/{name}-symbol.json')
    told[name] = [symbol.list_arguments(), symbol.list_outputs(),
                  symbol.list_auxiliary_states(), symbol.attr_dict()]
    open(f'{folder}/{name}-again.json', 'w').write(symbol.tojson())
symbol, args, aux = mx.model.load_checkpoint(folder + '/net', 3)
x = mx.nd.array(np.load(folder + '/x.npy'))
out = symbol.bind(mx.cpu(), dict(args, data=x), aux_states=aux).forward()[0].asnumpy()
np.save(folder + '/out-read.npy', out)
json.dump(told, open(folder + '/symbols-read.json', 'w'))
"""

OPTIMIZERS = {"sgd": {"momentum": 0.9}, "adam": {}, "nag": {"momentum": 0.9}, "rmsprop": {}}


def train(mx: Any, folder: str, name: str, arguments: dict[str, Any], verb: str) -> Any:
    """Trains a parameter from saved states, or those that it saves; runs under MXNet, too."""
    weight = mx.gluon.Parameter("weight", shape=(3,))
    weight.initialize(mx.init.One())
    trainer = mx.gluon.Trainer([weight], name, arguments)

    def step() -> None:
        with mx.autograd.record():
            loss = (weight.data() * mx.nd.array([1, 2, 3])).sum()
        loss.backward()
        trainer.step(2)

    if verb == "save":
        step()
        trainer.save_states(f"{folder}/{name}.states")
        weight.set_data(mx.nd.ones((3,)))
    trainer.load_states(f"{folder}/{name}.states")
    step()
    return weight.data().asnumpy()


# Annotations are not evaluated there, and need no names.
READER = f"""
from __future__ import annotations
{READER}
{inspect.getsource(train)}
arguments = {OPTIMIZERS!r}
np.savez(folder + '/trained.npz',
         **{{name: train(mx, folder, name, arguments[name], 'load') for name in arguments}})
"""


def arrays() -> dict[str, tuple[Any, bool]]:
    """Name -> (what to save, under NumPy shape semantics)."""
    rng = np.random.default_rng(0)
    dense = (rng.uniform(size=(5, 4)) < 0.3) * rng.normal(size=(5, 4))
    x = mx.nd.array(dense)
    made: dict[str, tuple[Any, bool]] = {
        f"dtype_{d.name}": ({"x": mx.nd.array([[0, 1, 1], [1, 0, 1]], dtype=d.name)}, False)
        for d in DTYPES
        if d.name not in ("int16", "uint16", "uint32", "uint64")  # MXNet 1.9.1 cannot save them
    }
    made["list"] = ([x, mx.nd.ones((7,))], False)
    made["single"] = (x, False)
    made["empty"] = ([], False)
    made["dict"] = ({"arg:вес": x, "aux:a b/c.d": mx.nd.zeros((1, 1, 2))}, False)
    made["sparse"] = ({"c": x.tostype("csr"), "r": x.tostype("row_sparse"), "d": x}, False)
    made["sparse_zero"] = ({"r": mx.nd.zeros((4, 2), stype="row_sparse")}, False)
    with mx.util.np_shape(True):
        made["scalars"] = ({"s": mx.nd.full((), 3), "z": mx.nd.zeros((0, 3)), "x": x}, True)
    return made


def symbols() -> dict[str, Any]:
    """Symbols with attributes, several outputs, auxiliary states and scopes."""
    mark = {"ctx_group": "dev1", "__mark__": 'é "quoted"\n'}
    with mx.name.NameManager():
        return _symbols(mark)


def _symbols(mark: dict[str, str]) -> dict[str, Any]:
    with mx.AttrScope(**mark):
        data = mx.sym.var("data", shape=(0, 4), lr_mult=2, dtype="float32")
        fc = mx.sym.FullyConnected(data, num_hidden=3, name="fc", attr={"wd_mult": "0.5"})
    parts = mx.sym.SliceChannel(fc, num_outputs=3, axis=1, name="parts")
    norm = mx.sym.BatchNorm(mx.sym.Concat(*parts, dim=1), fix_gamma=False, name="bn")
    return {
        "small": mx.sym.Group([norm + 1, parts[1], data * 2 - fc]),
        "net": network(),
        "lstm": mx.sym.RNN(
            mx.sym.var("x"), state_size=3, num_layers=2, mode="lstm", state_outputs=True, name="r"
        ),
    }


def network() -> Any:
    """A small convolutional net."""
    x = mx.sym.var("data")
    x = mx.sym.Convolution(x, kernel=(3, 3), num_filter=4, name="conv")
    x = mx.sym.Activation(mx.sym.BatchNorm(x, name="bn"), act_type="relu", name="act")
    x = mx.sym.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max", name="pool")
    return mx.sym.softmax(mx.sym.FullyConnected(x, num_hidden=5, name="fc"), name="prob")


def write(folder: Path) -> np.ndarray:
    """Writes everything; returns the net's output on x.npy."""
    for name, (data, np_shape) in arrays().items():
        with mx.util.np_shape(np_shape):
            mx.nd.save(str(folder / f"{name}.params"), data)
    named = {name: np_shape for name, (_, np_shape) in arrays().items()}
    (folder / "params.json").write_text(json.dumps(named))
    for name, symbol in symbols().items():
        symbol.save(str(folder / f"{name}-symbol.json"))
    (folder / "symbols.json").write_text(json.dumps(list(symbols())))
    for name, arguments in OPTIMIZERS.items():
        train(mx, str(folder), name, arguments, "save")
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2, 3, 8, 8)).astype("f")
    np.save(folder / "x.npy", x)
    executor = network().simple_bind(mx.cpu(), data=x.shape)
    for array in (*executor.arg_arrays, *executor.aux_arrays):
        array[:] = rng.uniform(0.1, 1, array.shape)
    args = {n: a for n, a in executor.arg_dict.items() if n != "data"}
    mx.model.save_checkpoint(str(folder / "net"), 3, network(), args, executor.aux_dict)
    return executor.forward(data=x)[0].asnumpy()


def compare(folder: Path, output: np.ndarray) -> list[str]:
    """What differs, one line each."""
    wrong = []
    for name, (data, _) in arrays().items():
        items = (
            list(data.items())
            if isinstance(data, dict)
            else [("", a) for a in ([data] if name == "single" else data)]
        )
        with np.load(folder / f"{name}-read.npz") as read:
            for i, (key, array) in enumerate(items):
                values = array.astype("float32") if "bfloat16" in name else array
                if not np.array_equal(read[f"{i}:{key}:{array.stype}"], values.asnumpy()):
                    wrong.append(f"{name}.params: {key or i} reads otherwise")
        if (folder / f"{name}.params").read_bytes() != (
            folder / f"{name}-again.params"
        ).read_bytes():
            wrong.append(f"{name}.params: MXNet writes other bytes")
    told = json.loads((folder / "symbols-read.json").read_text())
    for name, symbol in symbols().items():
        mine = [symbol.list_arguments(), symbol.list_outputs(), symbol.list_auxiliary_states()]
        if told[name] != [*mine, symbol.attr_dict()]:
            wrong.append(f"{name}-symbol.json reads otherwise")
        again = json.loads((folder / f"{name}-again.json").read_text())
        written = json.loads((folder / f"{name}-symbol.json").read_text())
        if any(again[k] != written[k] for k in ("nodes", "arg_nodes", "heads", "attrs")):
            wrong.append(f"{name}-symbol.json: MXNet writes other nodes")
    difference = np.abs(np.load(folder / "out-read.npy") - output).max()
    print(f"checkpoint: outputs differ by at most {difference:.2g}")
    if not difference < 1e-5:
        wrong.append("checkpoint: other outputs")
    with np.load(folder / "trained.npz") as trained:
        for name, arguments in OPTIMIZERS.items():
            mine = train(mx, str(folder), name, arguments, "load")
            if not np.allclose(trained[name], mine, rtol=1e-6):
                wrong.append(f"{name}.states: training goes on otherwise")
    return wrong


def main() -> int:
    """Writes, reads, compares."""
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        output = write(folder)
        subprocess.run([sys.argv[1], "-c", READER, name], check=True)
        wrong = compare(folder, output)
    counts = f"{len(arrays())} files, {len(symbols())} symbols, {len(OPTIMIZERS)} trainers"
    print("\n".join(wrong) or f"{counts}: MXNet reads all")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
