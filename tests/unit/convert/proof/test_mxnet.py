# SPDX-License-Identifier: Apache-2.0
import gc
import weakref

import numpy as np

import mxnova as mx
from mxnova.convert.proof.mxnet import MXNetRunner
from mxnova.convert.source import load


def test_what_a_run_has_taken_is_released(tmp_path):
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    arrays = {"fc_weight": mx.nd.array([[1, 2], [3, 4]]), "fc_bias": mx.nd.array([5, 6])}
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, symbol, arrays, {})
    runner = MXNetRunner(load(tmp_path / "net"))
    feed = {"data": np.ones((1, 2), np.float32)}
    (before,) = runner.outputs(feed)
    bound = weakref.ref(runner._bound[1])
    runner.release()
    gc.collect()
    assert bound() is None
    np.testing.assert_array_equal(runner.outputs(feed)[0], before)
    assert before.tolist() == [[8, 13]]
