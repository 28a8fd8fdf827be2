# SPDX-License-Identifier: Apache-2.0
import pickle

import pytest

import mxnova as mx
from mxnova.core.base.mxnet_names import MODULES, missing_text

PLACE = "(see the table 'What works' in docs/evidence.md)"


@pytest.mark.parametrize(
    "name, full",
    [("gluon.nn", "gluon.nn"), ("kv", "kvstore"), ("np.random", "numpy.random"), ("use_np",) * 2],
)
def test_what_mxnet_has_is_not_there_yet(name, full):
    assert missing_text(name) == f"mxnova does not have mxnet.{full} yet {PLACE}"


@pytest.mark.parametrize("name", ["", "gluonn", "gluon.", "ndarray.relu", "__path__"])
def test_what_mxnet_never_had_is_something_else(name):
    assert missing_text(name) is None


def test_modules_stand_below_modules():
    assert {n.rpartition(".")[0] for n in MODULES if "." in n} <= MODULES


@pytest.mark.parametrize(
    "module, name, text",
    [
        (mx, "ndarrray", "module 'mxnova' has no attribute 'ndarrray'; did you mean 'ndarray'"),
        (mx.nd, "Convolutoin", "did you mean 'Convolution'"),
        (mx.sym.contrib, "box_nmss", "did you mean 'box_nms'"),
        (mx.nd, "qqqqqqq", "module 'mxnova.ndarray' has no attribute 'qqqqqqq'"),
        (mx, "tvmop", f"mxnova does not have mxnet.tvmop yet {PLACE}"),
    ],
)
def test_a_name_that_is_missing(module, name, text):
    assert not hasattr(module, name)
    with pytest.raises(AttributeError) as raised:
        getattr(module, name)
    assert text in str(raised.value)
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)
