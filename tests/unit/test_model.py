# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import FormatError


def checkpoint(tmp_path):
    prefix = str(tmp_path / "net")
    symbol = mx.sym.BatchNorm(
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc"), name="bn"
    )
    args = {"fc_weight": mx.nd.ones((2, 3)), "fc_bias": mx.nd.zeros((2,))}
    aux = {"bn_moving_mean": mx.nd.ones((2,))}
    mx.model.save_checkpoint(prefix, 7, symbol, args, aux)
    return prefix, symbol


def test_a_checkpoint_comes_back(tmp_path):
    prefix, symbol = checkpoint(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net-0007.params", "net-symbol.json"]
    again, args, aux = mx.model.load_checkpoint(prefix, 7)
    assert again.tojson() == symbol.tojson()
    assert list(args) == ["fc_weight", "fc_bias"]
    np.testing.assert_array_equal(aux["bn_moving_mean"].asnumpy(), [1, 1])


def test_files_that_hold_no_parameters_are_refused(tmp_path):
    prefix, _ = checkpoint(tmp_path)
    mx.nd.save(f"{prefix}-0007.params", {"weights": mx.nd.ones((1,))})
    with pytest.raises(FormatError, match="'weights'"):
        mx.model.load_params(prefix, 7)
    mx.nd.save(f"{prefix}-0007.params", [mx.nd.ones((1,))])
    with pytest.raises(FormatError, match="without names"):
        mx.model.load_params(prefix, 7)
    with pytest.raises(FileNotFoundError):
        mx.model.load_params(prefix, 8)
