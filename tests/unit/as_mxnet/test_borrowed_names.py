# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

import pytest

STAR = """
import mxnova.as_mxnet
from mxnet.model import *
assert nd is mxnova.nd and cpu is mxnova.cpu and np.ones(2).sum() == 2 and os.sep and time.time()
assert kvs is mxnova.kvstore and issubclass(Uniform, mxnova.init.Initializer) and FeedForward
from mxnet.image.detection import *
assert Augmenter is mxnova.image.Augmenter and ImageDetIter and numeric_types
from mxnet.rnn import *
assert DataBatch is mxnova.io.DataBatch and LSTMCell
from mxnet.ndarray.sparse import *
assert dot is mxnova.nd.sparse.dot and csr_matrix
from mxnet.numpy.multiarray import *
assert isclose is mxnova.np.isclose
import mxnet.module.module as module
assert module.opt is mxnova.optimizer
try:
    module.nowhere
except AttributeError as error:
    assert "nowhere" in str(error)
"""

ALL = """
import mxnova.as_mxnet
from mxnova.as_mxnet.borrowed_names import BORROWED
for module, entries in BORROWED.items():
    found = {}
    try:
        exec(f"from mxnet.{module} import *", found)
    except ModuleNotFoundError as error:
        if error.name != "onnx":
            raise
    else:
        assert {e.partition("=")[0] for e in entries.split()} <= set(found), module
"""


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_star_imports_give_what_mxnets_modules_import():
    run(STAR)


@pytest.mark.slow
def test_all_borrowed_names_are_there():
    run(ALL)
