# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import mxnova as mx


def model(tmp_path):
    cell = mx.rnn.FusedRNNCell(2, 1, "lstm", prefix="p_")
    symbol, _ = cell.unroll(2, mx.sym.var("data"), merge_outputs=True)
    return cell, symbol, {"p_parameters": mx.nd.arange(4 * 2 * (3 + 2 + 2))}


def test_checkpoints_hold_gates(tmp_path):
    cell, symbol, args = model(tmp_path)
    prefix = str(tmp_path / "net")
    mx.rnn.save_rnn_checkpoint(cell, prefix, 3, symbol, args, {})
    stored = mx.nd.load(f"{prefix}-0003.params")
    assert stored["arg:p_l0_i2h_f_weight"].shape == (2, 3)
    loaded, again, states = mx.rnn.load_rnn_checkpoint([cell], prefix, 3)
    assert (loaded.list_arguments(), states) == (["data", "p_parameters"], {})
    np.testing.assert_array_equal(again["p_parameters"].asnumpy(), args["p_parameters"].asnumpy())
    _, weights, _ = mx.rnn.load_rnn_checkpoint(cell.unfuse(), prefix, 3)
    assert weights["p_l0_i2h_weight"].shape == (8, 3)


def test_files_of_checkpoints_are_logged(tmp_path, caplog):
    cell, symbol, args = model(tmp_path)
    prefix = str(tmp_path / "net")
    with caplog.at_level("INFO"):
        mx.model.save_checkpoint(prefix, 1, symbol, args, {})
        mx.rnn.save_rnn_checkpoint(cell, prefix, 2, symbol, args, {})
        mx.callback.do_checkpoint(prefix)(2, symbol, args, {})
    assert [record.getMessage() for record in caplog.records] == [
        f'Saved checkpoint to "{prefix}-000{epoch}.params"' for epoch in (1, 2, 3)
    ]


def test_checkpoint_callback_has_a_period(tmp_path):
    cell, symbol, args = model(tmp_path)
    save = mx.rnn.do_rnn_checkpoint(cell, str(tmp_path / "net"), 2)
    for epoch in range(5):
        save(epoch, symbol, args, {})
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == ["net-0002.params", "net-0004.params", "net-symbol.json"]


def test_rnn_unroll_makes_variables():
    with pytest.warns(DeprecationWarning, match="unroll"):
        outputs, _ = mx.rnn.rnn_unroll(mx.rnn.RNNCell(2), 2, input_prefix="q_")
    assert "q_t1_data" in mx.sym.Group(outputs).list_arguments()
