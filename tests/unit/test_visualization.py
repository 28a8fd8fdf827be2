# SPDX-License-Identifier: Apache-2.0
"""Drawings of networks; tables are compared in contrib/test_recorded.py."""

from __future__ import annotations

import subprocess
import sys
import types

import pytest

import mxnova as mx
from mxnova.base import MXNetError
from tests.hostile_names import SEQUENCES, is_quiet


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


def test_plot_network_gives_graphviz_no_code_in_names(graphviz):
    x = mx.sym.var("<a> [URL=x]; y [label=<b>")
    x = mx.sym.exp(mx.sym.exp(x, name="data:0"), name="data_0")
    drawing = mx.viz.plot_network(mx.sym.exp(mx.sym.exp(x, name="<b>"), name="C:\\N\x1b"))
    assert {n: label for n, (label, _) in drawing.nodes.items()} == {
        "_a_ _URL_x__ y _label__b_": "&lt;a&gt; [URL=x]; y [label=&lt;b&gt;",
        "data_0_1": "data:0",
        "data_0": "data_0",
        "_b_": "&lt;b&gt;",
        "C__N_": r"C:\\N\\x1b",
    }
    assert ("data_0", "data_0_1") in drawing.edges


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_print_summary_escapes_names(capsys, sequence):
    x = mx.sym.var("data")
    mx.viz.print_summary(mx.sym.exp(x, name=f"a{sequence}b"), {"data": (1, 2)})
    text = capsys.readouterr().out
    assert is_quiet(text)
    assert "\t" not in text
    assert len(text.splitlines()) == 9


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


DATA = mx.sym.var("data")
DENSE = mx.sym.FullyConnected(DATA, num_hidden=4, name="fc")
CONV = mx.sym.Convolution(DATA, num_filter=4, kernel=(3, 3), num_group=2, name="conv")
SHARED = mx.sym.var("w")
TWICE = mx.sym.FullyConnected(DATA, SHARED, num_hidden=3, no_bias=True)
IMAGES = (2, 4, 8, 8)


@pytest.mark.parametrize(
    "symbol, shape, count",
    [  # the first six as MXNet 1.9.1 prints them
        (mx.sym.SoftmaxOutput(DENSE), (2, 3), 16),
        (mx.sym.FullyConnected(mx.sym.Concat(DATA, DENSE), num_hidden=2), (2, 3), 32),
        (mx.sym.BatchNorm(CONV), IMAGES, 84),
        (mx.sym.FullyConnected(mx.sym.Flatten(CONV), num_hidden=3), IMAGES, 511),
        (mx.sym.Embedding(DATA, input_dim=10, output_dim=3), (2, 4), 30),
        (mx.sym.Pooling(DATA, kernel=(2, 2)), IMAGES, 0),
        (mx.sym.FullyConnected(CONV, num_hidden=3), IMAGES, 511),
        (mx.sym.Deconvolution(DATA, num_filter=5, kernel=(3, 3)), IMAGES, 180),
        (mx.sym.LayerNorm(DATA), (2, 3), 6),
        (mx.sym.LeakyReLU(DATA, act_type="prelu"), (2, 3), 3),
        (mx.sym.FullyConnected(TWICE, SHARED, num_hidden=3, no_bias=True), (2, 3), 9),
        (mx.sym.broadcast_add(DATA, mx.sym.var("bias", shape=(1, 3))), (2, 3), 3),
        (mx.sym.RNN(DATA, mx.sym.var("p"), mx.sym.var("s"), state_size=4, num_layers=1, mode="gru"), (3, 2, 5), 132),
    ],
)  # fmt: skip
@pytest.mark.parametrize("first", [int, lambda size: "N"], ids=["known", "open"])
def test_numbers_of_parameters(symbol, shape, count, first, capsys):
    mx.viz.print_summary(symbol, {"data": (first(shape[0]), *shape[1:])})
    assert f"Total params: {count}\n" in capsys.readouterr().out


def test_what_depends_on_an_open_size_is_unknown(capsys):
    network = mx.sym.FullyConnected(CONV, num_hidden=3, name="fc")
    mx.viz.print_summary(network, {"data": (2, 4, "H", 8)})
    lines = capsys.readouterr().out.splitlines()
    assert "4x?x6" in lines[5]
    assert lines[-2] == "Total params: unknown: sizes are open on which fc depends"
    with pytest.raises(MXNetError, match=r"data has shape \[N,4\], but 4 dimensions"):
        mx.viz.print_summary(CONV, {"data": ("N", 4)})


def test_without_shapes_there_are_no_numbers(capsys):
    mx.viz.print_summary(DENSE)
    lines = capsys.readouterr().out.splitlines()
    assert "fc(FullyConnected)" in lines[5]
    assert not any(part.isdecimal() for line in lines for part in line.split())
    assert lines[-2] == "Total params: unknown without shapes"


def test_command_line(tmp_path):
    network().save(str(tmp_path / "net.json"))
    command = [sys.executable, "-m", "mxnova", "plot", str(tmp_path / "net.json")]
    done = subprocess.run(
        [*command, "-s", "data=1,3,8,8"], capture_output=True, text=True, check=True
    )
    assert "conv(Convolution)" in done.stdout
    assert "Total params: 402" in done.stdout
    done = subprocess.run([*command, "-s", "data"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "NAME=1,3,224,224" in done.stderr


def test_compiled_libraries_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        mx.library.load(str(tmp_path / "lib.so"))
    (tmp_path / "lib.so").write_bytes(b"")
    with pytest.raises(mx.MXNetError, match="CustomOp"):
        mx.library.load(str(tmp_path / "lib.so"))
