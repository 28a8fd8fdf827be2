# SPDX-License-Identifier: Apache-2.0
"""Tracebacks hold the lines of programs: tests of core/base/doors.py."""

from __future__ import annotations

import contextlib
import logging
import pickle
import subprocess
import sys
import traceback
import types
import warnings
from pathlib import Path

import pytest

import mxnova as mx
from mxnova import autograd, gluon, nd
from mxnova.core.base.doors import door, doors, facade
from mxnova.core.base.errors import ArgumentTypeError, MXNetError
from mxnova.core.base.user_warnings import warn_user

HERE = Path(__file__).name
PACKAGE = str(Path(mx.__file__).parent)
AT_MOST = 1 if sys.version_info < (3, 11) else 0  # frames of doors that Python 3.10 keeps


def frames(error):
    return [(Path(f.filename).name, f.name) for f in traceback.extract_tb(error.__traceback__)]


def inner(error):
    return [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(PACKAGE)]


class Wrong(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return self.product(F, x)

    def product(self, F, x):
        return F.dot(x, x)


class Fails(gluon.Block):
    def forward(self, x):
        raise ValueError("mine")


class Product(autograd.Function):
    def forward(self, x):
        return nd.dot(x, x)

    def backward(self, d):
        return d


def symbol():
    return mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")


X = nd.ones((2, 3))
ERRORS = {
    "operator": lambda: nd.dot(X, X),
    "operator of the parameters": lambda: nd.Activation(X, act_type="x"),
    "arithmetic": lambda: X + nd.ones((4, 5)),
    "in place": lambda: X.__iadd__(nd.ones((4, 5))),
    "method": lambda: X.sum(axis=7),
    "reshape": lambda: X.reshape((4, 4)),
    "index": lambda: X[7],
    "assignment": lambda: X.__setitem__(7, 1),
    "scalar": lambda: X.asscalar(),
    "mx.np": lambda: mx.np.dot(mx.np.ones((2, 3)), mx.np.ones((4, 5))),
    "mx.np.ndarray": lambda: mx.np.ones((2, 3)) + mx.np.ones((4, 5)),
    "creation": lambda: nd.zeros((2,), dtype="x"),
    "distribution": lambda: nd.random.uniform(lo=1),
    "file": lambda: nd.load("no such file"),
    "backward": lambda: X.backward(),
    "layer": lambda: gluon.nn.Dense(2)(X),
    "symbol": lambda: mx.sym.Activation(mx.sym.var("x"), act_type="x"),
    "bind": lambda: symbol().simple_bind(mx.cpu(), data=(2, 3), fc_weight=(1, 1)),
    "executor": lambda: symbol().simple_bind(mx.cpu(), data=(2, 3)).forward(data=nd.ones((1, 1))),
    "module": lambda: mx.mod.Module(symbol(), label_names=None).forward(None),
    "optimizer": lambda: mx.optimizer.create("adam", lr=1),
    "metric": lambda: mx.metric.create("x"),
    "initializer": lambda: mx.init.Xavier(magnitud=1),
    "iterator": lambda: mx.io.NDArrayIter(X, batchsize=1),
    "name": lambda: mx.gluon.nn.Conv2d,
    "property of a module": lambda: mx.mod.Module(symbol(), label_names=None).output_shapes,
    "property that is set": lambda: setattr(gluon.nn.Dense(2, in_units=3).weight, "shape", (7,)),
    "np.array": lambda: mx.np.array(["x"]),
    "context": lambda: mx.Context("x"),
    "output of a symbol": lambda: symbol()["nothing"],
    "name of a contrib module": lambda: mx.contrib.nothing,
    "attribute of a symbol": lambda: mx.sym.var("x").nothing,
    "name of an operator": lambda: nd.convolutn,
}


@pytest.mark.parametrize("name", ERRORS)
def test_our_frames_are_left_out(name):
    with pytest.raises((MXNetError, AttributeError)) as caught:
        ERRORS[name]()
    assert len(inner(caught.value)) <= AT_MOST


CROSSING = {
    "hybrid_forward": (MXNetError, lambda: Wrong()(X), ["hybrid_forward", "product"]),
    "forward": (ValueError, lambda: Fails()(X), ["forward"]),
    "Function": (MXNetError, lambda: Product()(X), ["forward"]),
    "foreach": (
        ZeroDivisionError,
        lambda: nd.contrib.foreach(lambda x, s: 1 / 0, X, []),
        ["<lambda>"],
    ),
    "dataset": (
        ZeroDivisionError,
        lambda: gluon.data.SimpleDataset([1]).transform(lambda x: 1 / 0, lazy=False),
        ["<lambda>"],
    ),
}


@pytest.mark.skipif(AT_MOST, reason="Python 3.10 keeps frames of doors")
@pytest.mark.parametrize("name", CROSSING)
def test_all_frames_of_the_program_stay(name):
    kind, run, called = CROSSING[name]
    with pytest.raises(kind) as caught:
        run()
    mine = [(HERE, function) for function in called]
    assert frames(caught.value)[-len(mine) :] == mine
    assert {file for file, _ in frames(caught.value)} == {HERE}


def test_a_hybridized_block_shows_the_program_only():
    net = Wrong()
    net.hybridize()
    with pytest.raises(MXNetError) as caught:
        net(X)
    assert len(inner(caught.value)) <= 2 * AT_MOST


def test_what_an_error_came_from_inside_is_not_shown(caplog):
    with pytest.raises(MXNetError) as caught:
        nd.ones((2, 3)) + nd.ones((4, 5))
    shown = "".join(traceback.format_exception(caught.value))
    assert "During handling" not in shown
    assert "direct cause" not in shown


def test_what_the_program_was_handling_is_shown():
    def handle():
        try:
            raise KeyError("mine")
        except KeyError:
            nd.dot(X, X)

    with pytest.raises(MXNetError) as caught:
        handle()
    assert "KeyError: 'mine'" in "".join(traceback.format_exception(caught.value))


def test_a_fault_of_ours_keeps_its_frames(monkeypatch):
    monkeypatch.setattr("mxnova.gluon.block.base.is_np_array", {}.popitem)
    net = gluon.nn.Lambda(lambda x: x)
    with pytest.raises(KeyError) as caught:
        net(X)
    assert inner(caught.value)


@pytest.mark.parametrize("name", ["operator", "arithmetic", "layer", "optimizer"])
def test_all_frames_are_there_when_asked_for(name, monkeypatch):
    monkeypatch.setenv("MXNOVA_TRACEBACK", "full")
    with pytest.raises(MXNetError) as caught:
        ERRORS[name]()
    assert len(inner(caught.value)) > 1


def test_generated_code_never_shows():
    program = symbol().simple_bind(mx.cpu(), data=(2, 3))
    with autograd.pause(), pytest.raises(MXNetError) as caught:
        program.forward(data=nd.ones((1, 1)))
    assert "<mxnova" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("library", ["PIL", "cv2", "fsspec", "onnx", "scipy"])
def test_libraries_below_us_never_show(library):
    theirs = {"__name__": f"{library}.inner", "MXNetError": MXNetError}
    exec("def fail():\n    raise MXNetError", theirs)
    ours = {"__name__": "mxnova.sample", "fail": theirs["fail"]}
    exec("def run():\n    fail()", ours)
    with pytest.raises(MXNetError) as caught:
        door(ours["run"])()
    assert "fail" not in [name for _, name in frames(caught.value)]


def test_the_import_changes_nothing():
    code = (
        "import sys, threading, warnings\n"
        "def state(): return (sys.excepthook, threading.excepthook, sys.unraisablehook,"
        " sys.displayhook, warnings.showwarning)\n"
        "before = state()\n"
        "import mxnova as mx\n"
        "mx.nd.ones(2), mx.gluon.nn, mx.mod\n"
        "assert state() == before\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_loggers_see_the_short_traceback(caplog):
    try:
        nd.dot(X, X)
    except MXNetError:
        logging.getLogger("program").exception("it failed")
    lines = [line for line in caplog.text.splitlines() if line.startswith("  File")]
    assert len(lines) <= 1 + AT_MOST
    assert HERE in lines[0]


# Names of arguments -------------------------------------------------------------------------------


class Base:
    def __init__(self, size=1):
        self.size = size


class Derived(Base):
    def __init__(self, *, colour=None, **kwargs):
        super().__init__(**kwargs)


class Narrow(Base):
    def __init__(self, width):
        super().__init__(breadth=width)


for _class in (Base, Derived):
    doors(_class)


@door
def measure(width, height=1):
    return width * height


HINTS = {
    "class": (lambda: Derived(colr=1), r"^Derived.__init__\(\) got .* 'colr'; .* 'colour'\?"),
    "base": (lambda: Derived(siz=1), r"'siz'; did you mean 'size'\? \(it takes colour, size\)"),
    "of a class by its own base": (
        lambda: Narrow(3),
        r"^Base.__init__\(\) got .* 'breadth' \(it takes size\)$",
    ),
    "function": (lambda: measure(1, heigth=2), r"^measure\(\) got .* did you mean 'height'\?"),
    "required": (lambda: measure(widht=2), r"'widht'; did you mean 'width'\?"),
    "PyTorch's word": (
        lambda: gluon.nn.Conv2D(3, 3, stride=2),
        r"^Conv2D.__init__\(\) .* did you mean 'strides'\?",
    ),
    "one word for two": (
        lambda: mx.optimizer.create("adam", betas=(0.9, 0.99)),
        r"did you mean 'beta1' and 'beta2'\?",
    ),
    "Keras's word": (lambda: gluon.nn.Dense(3, kernel_initializer="x"), "'weight_initializer'"),
}


@pytest.mark.parametrize("name", HINTS)
def test_a_misspelt_argument(name):
    run, text = HINTS[name]
    with pytest.raises(ArgumentTypeError, match=text):
        run()


def test_other_errors_of_types_are_python_s_own():
    with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'width'"):
        measure()
    with pytest.raises(TypeError, match="multiply"):
        measure(None, height="x")


def test_what_a_class_forgets_is_told_of_its_base():
    class Own(gluon.nn.Dense):
        def __init__(self, units):
            super().__init__(in_units=3)

    with pytest.raises(TypeError, match=r"Dense.__init__\(\) missing .*'units'"):
        Own(3)


def test_signatures_and_names_are_those_of_the_function():
    import inspect

    assert str(inspect.signature(measure)) == "(width, height=1)"
    assert str(inspect.signature(gluon.nn.Dense)).startswith("(units")
    assert measure.__name__ == "measure"


def test_warnings_of_context_managers_point_to_the_program():
    @contextlib.contextmanager
    def managed():
        warn_user("mine")
        yield

    ours = types.FunctionType(
        managed.__wrapped__.__code__,
        {"__name__": "mxnova.sample", "warn_user": warn_user},
    )
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        with contextlib.contextmanager(ours)():
            pass
    assert [Path(w.filename).name for w in found] == [HERE]


def test_hybridize_does_not_offer_itself():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        gluon.nn.Dense(1).hybridize(sel=1)
    assert ["self" in str(w.message) for w in found] == [False]


def test_nothing_is_looked_up_for_who_only_asks(monkeypatch):
    from mxnova.core import facade as operators
    from mxnova.core.base import errors
    from mxnova.core.graph import array_only

    asked = []
    monkeypatch.setattr(operators, "operator_names", lambda *_: asked.append(1) or [])
    for module in (errors, array_only):
        monkeypatch.setattr(module, "candidates", lambda *_: asked.append(1) or "")
    assert not hasattr(nd, "nothing")
    assert not hasattr(mx.sym.var("x"), "nothing")
    assert asked == []


def test_an_attribute_of_a_symbol_misspelt():
    with pytest.raises(AttributeError, match=r"no attribute 'reshap'; did you mean 'reshape'") as e:
        _ = mx.sym.var("x").reshap
    assert str(pickle.loads(pickle.dumps(e.value))) == str(e.value)


def test_facades_name_what_is_near(monkeypatch):
    module = types.ModuleType("mxnova.sample")
    module.relu = 1
    monkeypatch.setitem(sys.modules, "mxnova.sample", module)
    facade("mxnova.sample")
    assert not hasattr(module, "nothing")
    with pytest.raises(AttributeError, match=r"no attribute 'rleu'; did you mean 'relu'\?"):
        _ = module.rleu
