# SPDX-License-Identifier: Apache-2.0
import mxnova as mx
from mxnova.core.graph import drawing
from tests.unit.base.test_html import Text


def network(name="fc"):
    data = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name=name)
    return mx.sym.SoftmaxOutput(data, name="softmax")


def test_a_notebook_shows_nodes_without_weights():
    html = network()._repr_html_()
    text = Text(html[html.index("<svg") :]).text
    assert [t for t in text if t in ("data", "fc", "softmax", "softmax_label")] == [
        t for n in ("data", "fc", "softmax_label", "softmax") for t in (n, n)
    ]
    assert not any("weight" in t for t in text)
    assert html.count("<path") == 3


def test_names_cannot_become_markup():
    html = network("<script>")._repr_html_()
    assert "script" not in Text(html).tags


def test_too_many_nodes_are_counted_instead(monkeypatch):
    monkeypatch.setattr(drawing, "MOST", 3)
    html = network()._repr_html_()
    assert "<svg" not in html
    assert "4 nodes; outputs softmax_output; too many to draw" in html


def test_groups_and_variables_are_drawn():
    group = mx.sym.Group([mx.sym.var("a"), mx.sym.var("b") + 1])
    assert group._repr_html_().count("<rect") == 3
    assert mx.sym.var("x_weight")._repr_html_().count("<rect") == 0
