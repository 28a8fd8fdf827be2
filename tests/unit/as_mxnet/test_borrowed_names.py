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
from mxnova.as_mxnet.borrowed_names import BORROWED, _source, resolved
for module, entries in BORROWED.items():
    found = {}
    try:
        exec(f"from mxnet.{module} import *", found)
    except ModuleNotFoundError as error:
        if error.name != "onnx":
            raise
    else:
        for name, source in map(_source, entries.split()):
            want = resolved(source) if source else found[name]
            assert found[name] is want, (module, name)
"""


ATTRIBUTES = """
import mxnova.as_mxnet
import mxnet as mx
assert mx.model.cpu is mx.cpu and mx.init.random is mx.random and mx.nd.register
assert mx.image.recordio is mx.recordio
"""

# An OpenCV without a library that it needs
BROKEN = """
import sys
class Broken:
    def find_spec(self, name, path, target=None):
        if name == "cv2":
            raise ImportError("libGL.so.1: cannot open shared object file")
sys.meta_path.insert(0, Broken())
import mxnova.as_mxnet
from mxnet.image import *
assert cv2 is None and ImageIter
"""


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("code", [STAR, ATTRIBUTES, BROKEN], ids=["star", "attributes", "broken"])
def test_modules_give_what_mxnets_modules_import(code):
    run(code)


@pytest.mark.slow
def test_all_borrowed_names_are_there():
    run(ALL)
