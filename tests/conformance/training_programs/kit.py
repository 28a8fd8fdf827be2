# SPDX-License-Identifier: Apache-2.0
"""How programs are registered, run and described.

A program takes the package and a folder for files; what it gives, or the class of the error that it
raises, is compared.
"""

import tempfile
import warnings
from pathlib import Path

import numpy as np

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def mistake(name, run):
    """Registers what must raise."""
    PROGRAMS[f"mistake_{name}"] = run


def start(mx, net, *inputs, seed=0, **kwargs):
    """Initializes, and gives parameters values that depend on their order and shapes alone."""
    if not any(p._data for p in net.collect_params().values()):
        net.initialize(**kwargs)
    if inputs:
        net(*inputs)
    for i, parameter in enumerate(net.collect_params().values()):
        if parameter.grad_req == "null":
            continue
        values = np.random.RandomState(seed + i).uniform(-0.4, 0.4, parameter.shape)
        array = mx.nd.array(values, dtype=parameter.dtype)
        parameter.set_data(array if parameter._stype == "default" else array.tostype("row_sparse"))
    return net


def draw(*shape, seed=0, scale=1.0):
    return (scale * np.random.RandomState(seed).randn(*shape)).astype("float32")


def numbers(high, *shape, seed=0):
    return np.random.RandomState(seed).randint(0, high, shape).astype("float32")


def sums(net):
    """Of each parameter, name -> the sum of its values, and of their squares."""
    found = {}
    for name, parameter in net.collect_params().items():
        if parameter._stype == "default":
            values = parameter.list_data()[0].asnumpy().astype("float64")
            found[name] = [values.sum(), (values**2).sum()]
    return found


def train(mx, net, loss_of, batches, optimizer="sgd", n_inputs=1, **arguments):
    """The losses of one step for each batch, and what the parameters have become."""
    arguments.setdefault("learning_rate", 0.1)
    if optimizer == "adam":  # which, with its own, tells the signs of gradients close to 0
        arguments.setdefault("epsilon", 1e-3)
    trainer = mx.gluon.Trainer(net.collect_params(), optimizer, arguments)
    losses = []
    for batch in batches:
        arrays = [mx.nd.array(a) for a in batch]
        with mx.autograd.record():
            loss = loss_of(net(*arrays[:n_inputs]), *arrays[n_inputs:])
        loss.backward()
        trainer.step(len(batch[0]))
        losses.append(loss.mean().asscalar())
    return [losses, sums(net)]


def outcome(mx, name):
    """What a program gives, or the class of its error."""
    with (
        tempfile.TemporaryDirectory() as folder,
        warnings.catch_warnings(),
        mx.name.NameManager(),
    ):
        warnings.simplefilter("ignore")
        try:
            result = described(mx, PROGRAMS[name](mx, Path(folder)))
            mx.nd.waitall()
        except Exception as error:  # noqa: BLE001 - some programs must raise
            return {"error": [c.__name__ for c in type(error).__mro__], "text": str(error)}
    return {"result": result}


def described(mx, value):
    if isinstance(value, (list, tuple)):
        return [described(mx, v) for v in value]
    if isinstance(value, dict):
        return {str(k): described(mx, v) for k, v in value.items()}
    if isinstance(value, mx.nd.NDArray):
        return described(mx, value.asnumpy())
    if isinstance(value, np.ndarray):
        values = [float(f"{v:.7g}") for v in value.astype("float64").ravel()]
        return {"dtype": value.dtype.name, "shape": list(value.shape), "values": values}
    if isinstance(value, (float, np.floating)):
        return float(f"{value:.7g}")
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, mx.sym.Symbol):
        return value.list_outputs()
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
