# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

import pytest

SCRIPT = """
import mxnova.as_mxnet
import mxnet as mx
import mxnet.ndarray as nd
import mxnet.symbol
from mxnet import recordio, nd as nd2, sym
from mxnet.base import MXNetError
from mxnet.context import cpu
import mxnova
assert mx.nd is nd is nd2 is mxnova.nd is mxnova.ndarray
assert mxnet.symbol is sym is mxnova.symbol
assert recordio is mxnova.recordio and recordio.__spec__.name == "mxnova.recordio"
assert MXNetError is mxnova.MXNetError and cpu() == mx.cpu()
assert mx.__version__ == "1.9.1" and mx.__name__ == "mxnet"
assert (mx.nd.ones((2,)) + 1).asnumpy().tolist() == [2, 2]
try:
    import mxnet.no_such_module
except ModuleNotFoundError as error:
    assert "mxnet.no_such_module" in str(error)
else:
    raise SystemExit("found a module that is not there")
"""


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_mxnets_names_lead_to_mxnovas_modules():
    done = run(SCRIPT)
    assert done.returncode == 0, done.stderr


def test_what_programs_look_for_among_the_modules_is_there_once_it_may_be_used():
    done = run(
        "import mxnova.as_mxnet, sys; from mxnet import gluon; gluon.nn.Dense(1); import mxnova;"
        "assert sys.modules['mxnet.ndarray'] is mxnova.nd;"
        "assert sys.modules['mxnet.symbol'] is mxnova.sym;"
        "assert mxnova.nd.__name__ == 'mxnet.ndarray'"
    )
    assert done.returncode == 0, done.stderr


def test_operators_are_among_the_modules_without_being_imported():
    done = run(
        "import mxnova.as_mxnet, sys, mxnet; module = sys.modules['mxnet.ndarray.op'];"
        "assert not hasattr(module, '__file__') and 'torch' not in sys.modules;"
        "import mxnet.ndarray.op as op; from mxnet.ndarray.op import *;"
        "assert op.relu is module.relu is relu is mxnet.nd.op.relu"
    )
    assert done.returncode == 0, done.stderr


def test_operators_that_nobody_imported_show_their_names():
    done = run(
        "import mxnova.as_mxnet, importlib, mxnet;"
        "held = importlib.import_module('mxnet.ndarray.op'); assert 'relu' in dir(held);"
        "module = importlib.import_module('mxnet.ndarray.op'); assert module is mxnet.nd.op;"
        "assert dir(held) == dir(module) and held.__file__ == module.__file__;"
        "assert vars(held) == vars(module) and not hasattr(held, 'nonsense')"
    )
    assert done.returncode == 0, done.stderr


def test_classes_of_arrays_and_symbols_name_mxnets_modules():
    done = run(
        "import mxnova.as_mxnet, pickle, mxnet as mx;"
        "made = [mx.nd.ones(2), mx.np.ones(2), mx.sym.var('x')];"
        "print([type(x).__module__ for x in made]);"
        "assert all(type(x).__module__.encode() in pickle.dumps(x) for x in made);"
        "again = [pickle.loads(pickle.dumps(x)) for x in made];"
        "assert [type(x) for x in again] == [type(x) for x in made];"
        "assert again[0].asnumpy().tolist() == [1, 1]"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "['mxnet.ndarray.ndarray', 'mxnet.numpy', 'mxnet.symbol.symbol']"


def test_what_programs_write_by_full_names_has_mxnets():
    done = run(
        "import mxnova.as_mxnet, pickle, mxnet as mx;"
        "made = [mx.cpu(), mx.init.Xavier(), mx.init.InitDesc('w'), mx.lr_scheduler.PolyScheduler(9)];"
        "print([type(x).__module__ for x in made]);"
        "assert not any(b'mxnova' in pickle.dumps(x) for x in made);"
        "assert [type(pickle.loads(pickle.dumps(x))) for x in made] == [type(x) for x in made]"
    )
    assert done.returncode == 0, done.stderr
    homes = ["context", "initializer", "initializer", "lr_scheduler"]
    assert done.stdout.strip() == str([f"mxnet.{home}" for home in homes])


def test_tensorboardx_takes_arrays():
    pytest.importorskip("tensorboardX")
    done = run(
        "import mxnova.as_mxnet; from mxnet import nd; from tensorboardX.x2num import make_np;"
        "assert make_np(nd.ones(2)).tolist() == [1, 1]"
    )
    assert done.returncode == 0, done.stderr


def test_a_module_named_mxnet_that_is_loaded_already_is_not_replaced():
    done = run(
        "import sys, types; sys.modules['mxnet'] = types.ModuleType('mxnet'); import mxnova.as_mxnet"
    )
    assert done.returncode != 0
    assert "must be imported before mxnet" in done.stderr


HOMES = {  # as MXNet 1.9.1 says
    "mx.gluon.Parameter('w')": "mxnet.gluon.parameter.Parameter",
    "mx.gluon.Constant('c', mx.nd.ones(1))": "mxnet.gluon.parameter.Constant",
    "mx.gluon.nn.Dense(1).collect_params()": "mxnet.gluon.parameter.ParameterDict",
    "mx.gluon.nn.Dense(1)": "mxnet.gluon.nn.basic_layers.Dense",
    "mx.gluon.nn.HybridSequential()": "mxnet.gluon.nn.basic_layers.HybridSequential",
    "mx.gluon.SymbolBlock(mx.sym.var('a'), mx.sym.var('a'))": "mxnet.gluon.block.SymbolBlock",
    "mx.gluon.loss.L2Loss()": "mxnet.gluon.loss.L2Loss",
    "mx.gluon.Trainer({}, 'sgd')": "mxnet.gluon.trainer.Trainer",
    "mx.metric.Accuracy()": "mxnet.metric.Accuracy",
    "mx.io.NDArrayIter(mx.nd.ones(2))": "mxnet.io.io.NDArrayIter",
    "mx.io.DataDesc('a', (1,))": "mxnet.io.io.DataDesc",
}


def test_full_names_of_classes():
    code = (
        "import mxnova.as_mxnet, importlib, mxnet as mx\n"
        f"for text in {list(HOMES)!r}:\n"
        "    kind = type(eval(text))\n"
        "    print(f'{kind.__module__}.{kind.__qualname__}')\n"
        "    assert getattr(importlib.import_module(kind.__module__), kind.__name__) is kind\n"
    )
    done = run(code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == list(HOMES.values())


LAZY = """
from unittest import mock
import mxnova.as_mxnet, mxnet as mx
with mock.patch("importlib.import_module") as patched:
    import mxnet.gluon.nn, mxnet.contrib.text
    found = [mx.nd.ones, mx.gluon.rnn.LSTM, mx.gluon.data.DataLoader, mx.gluon.contrib.estimator]
    found += [mx.contrib.amp, mx.sym.var, mx.mod.Module, mx.test_utils.assert_almost_equal]
    found += [mx.gluon.model_zoo.vision, mx.np.ones, mx.kv.create, mx.io.NDArrayIter]
assert not any(isinstance(each, mock.Mock) for each in found), found
assert not patched.called, patched.mock_calls
assert mx.nd.ones(2).asnumpy().tolist() == [1, 1]
"""


def test_what_is_imported_late_does_not_go_through_what_tests_patch():
    done = run(LAZY)
    assert done.returncode == 0, done.stderr
