# SPDX-License-Identifier: Apache-2.0
"""Readers that expect something else say what a file is."""

from __future__ import annotations

import pytest

import mxnova as mx
from mxnova.formats.kinds import what_it_is


@pytest.mark.parametrize(
    "content, said",
    [
        (b"", "; it is empty"),
        ("", "; it is empty"),
        (b"{}", "mx.sym.load"),
        (b"\x80\x02}", "load_states"),
        (b"version https://git-lfs.github.com/spec/v1", "git lfs pull"),
        ("<!DOCTYPE html>", "a web page"),
        (bytearray(b"PK\x03\x04"), "mx.open_model"),
        (memoryview(b"\x93NUMPY\x01"), "numpy.load"),
    ],
)
def test_known_beginnings(content, said):
    assert said in what_it_is(content)


@pytest.mark.parametrize("content", [b"\0", "text", "é" * 20])
def test_others_are_not_guessed(content):
    assert what_it_is(content) == ""


def test_what_was_written_is_recognized(tmp_path):
    """Each reader refuses the files of the others, and names the function that reads them."""
    arrays, symbol, records, states = (str(tmp_path / name) for name in "asrt")
    mx.nd.save(arrays, [mx.nd.ones(2)])
    mx.sym.var("x").save(symbol)
    with mx.recordio.MXRecordIO(records, "w") as file:
        file.write(b"record")
    net = mx.gluon.nn.Dense(1, in_units=1)
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), "adam")
    trainer.save_states(states)
    for path, name in [(symbol, "mx.sym.load"), (records, "MXRecordIO"), (states, "load_states")]:
        with pytest.raises(mx.MXNetError, match=rf"^{path}: .*{name}"):
            mx.nd.load(path)
    for path, name in [(arrays, "mx.nd.load"), (records, "MXRecordIO")]:
        with pytest.raises(mx.MXNetError, match=rf"^{path}: .*{name}"):
            mx.sym.load(path)
        with pytest.raises(mx.MXNetError, match=rf"^{path}: .*{name}"):
            trainer.load_states(path)
