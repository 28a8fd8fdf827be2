# SPDX-License-Identifier: Apache-2.0
"""Drawings of networks; tables are compared in contrib/test_recorded.py."""

from __future__ import annotations

import subprocess
import sys
import types

import pytest

import mxnova as mx


class Digraph:
    """Notes what graphviz would draw."""

    def __init__(self, name, format):
        self.name, self.format, self.nodes, self.edges = name, format, {}, {}

    def node(self, name, label, **attrs):
        self.nodes[name] = label, attrs

    def edge(self, tail_name, head_name, label, **attrs):
        self.edges[tail_name, head_name] = label


@pytest.fixture
def graphviz(monkeypatch):
    monkeypatch.setitem(sys.modules, "graphviz", types.SimpleNamespace(Digraph=Digraph))


def network():
    x = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), num_filter=4, name="conv")
    return mx.sym.FullyConnected(mx.sym.exp(x, name="e"), num_hidden=2, name="fc")


def test_nodes_and_edges(graphviz):
    drawing = mx.viz.plot_network(
        network(), "net", "svg", {"data": (1, 3, 8, 8)}, node_attrs={"width": "9"}
    )
    assert {n: label for n, (label, _) in drawing.nodes.items()} == {
        "data": "data",
        "conv": r"Convolution\n3x3/1, 4",
        "e": "e",
        "fc": r"FullyConnected\n2",
    }
    assert drawing.edges == {
        ("conv", "data"): "3x8x8",
        ("e", "conv"): "4x6x6",
        ("fc", "e"): "4x6x6",
    }
    assert drawing.nodes["fc"][1]["width"] == "9"
    assert (drawing.name, drawing.format) == ("net", "svg")


def test_weights_are_drawn_when_asked_for(graphviz):
    shown = mx.viz.plot_network(network(), hide_weights=False).nodes
    assert {"conv_weight", "conv_bias", "fc_weight"} < set(shown)


def test_names_that_stand_for_two_nodes_are_drawn_as_one_with_a_warning(graphviz):
    twice = mx.sym.exp(mx.sym.exp(mx.sym.var("x"), name="e"), name="e")
    with pytest.warns(RuntimeWarning, match="same name .* e$"):
        drawing = mx.viz.plot_network(twice)
    assert set(drawing.nodes) == {"x", "e"}
    assert set(drawing.edges) == {("e", "x"), ("e", "e")}


@pytest.mark.parametrize(
    ("layer", "label", "colour"),
    [
        (lambda x: mx.sym.BatchNorm(x, name="n"), "n", "#bebada"),
        (lambda x: mx.sym.Concat(x, x, name="n"), "n", "#fdb462"),
        (lambda x: mx.sym.SoftmaxOutput(x, name="n"), "n", "#fccde5"),
        (lambda x: mx.sym.Activation(x, act_type="tanh", name="n"), r"Activation\ntanh", "#ffffb3"),
    ],
)
def test_labels_and_colours(graphviz, layer, label, colour):
    text, look = mx.viz.plot_network(layer(mx.sym.var("x"))).nodes["n"]
    assert (text, look["fillcolor"]) == (label, colour)


def test_the_package_is_named_that_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "graphviz", None)
    with pytest.raises(mx.MXNetError, match="pip install graphviz"):
        mx.viz.plot_network(network())


@pytest.mark.parametrize("function", [mx.viz.print_summary, mx.viz.plot_network])
def test_only_symbols(function):
    with pytest.raises(TypeError, match="symbol=3"):
        function(3)


def test_command_line(tmp_path):
    network().save(str(tmp_path / "net.json"))
    command = [sys.executable, "-m", "mxnova", "plot", str(tmp_path / "net.json")]
    done = subprocess.run(
        [*command, "-s", "data=1,3,8,8"], capture_output=True, text=True, check=True
    )
    assert "conv(Convolution)" in done.stdout
    assert "Total params: 122" in done.stdout
    done = subprocess.run([*command, "-s", "data"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "NAME=1,3,224,224" in done.stderr


def test_compiled_libraries_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        mx.library.load(str(tmp_path / "lib.so"))
    (tmp_path / "lib.so").write_bytes(b"")
    with pytest.raises(mx.MXNetError, match="CustomOp"):
        mx.library.load(str(tmp_path / "lib.so"))
