# SPDX-License-Identifier: Apache-2.0
"""Tables and drawings of networks, without Graphviz; Netron is a stand-in."""

import json
import sys
import xml.etree.ElementTree as ET
from subprocess import CalledProcessError
from types import ModuleType

import pytest

import mxnova as mx
from mxnova.base import MXNetError
from mxnova.cli.arguments import parse

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def _here(folder, monkeypatch):
    monkeypatch.chdir(folder)


def act(*words):
    options = parse([*words])
    return options.act(options)


def test_counts_are_those_of_the_parameters_or_unknown(capsys):
    act("plot", "net", "--json")
    unknown = json.loads(capsys.readouterr().out)
    assert unknown["parameters"] is None
    assert {layer["parameters"] for layer in unknown["layers"]} == {None}
    act("plot", "net-0001.params", "-s", "data=1,2", "--json")
    known = json.loads(capsys.readouterr().out)
    saved = mx.nd.load("net-0001.params")
    assert known["parameters"] == sum(array.size for array in saved.values()) == 9
    fc = known["layers"][1]
    assert (fc["name"], fc["shape"], fc["parameters"]) == ("fc", [1, 3], 9)


def test_open_sizes_stay_open(capsys):
    act("plot", "net", "-s", "data=N,2", "--json")
    told = json.loads(capsys.readouterr().out)
    assert told["parameters"] == 9
    assert told["layers"][1]["shape"] == ["N", 3]
    act("plot", "net", "-s", "data=1,C")
    assert "Total params: unknown: sizes are open on which fc depends" in capsys.readouterr().out


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("ending", ["svg", "html"])
def test_drawings_need_no_program(tmp_path, ending, weights, monkeypatch):
    monkeypatch.setitem(sys.modules, "graphviz", None)
    path = tmp_path / f"<net>.{ending}"
    act("plot", "net", "-s", "data=1,2", "-o", str(path), *(["--weights"] if weights else []))
    text = path.read_text()
    if ending == "html":
        assert "<h1>&lt;net&gt;</h1><p>3 layers, 9 parameters</p>" in text
        text = text[text.index("<svg") : text.index("</svg>") + 6]
    names = [box[0].text for box in ET.fromstring(text).iter(f"{SVG}g")]
    assert "fc: FullyConnected 1x3" in names
    assert len(names) == 3 + 2 * weights


def test_names_of_nodes_are_no_markup(tmp_path):
    name = 'x"</text><script>1</script>'
    mx.sym.relu(mx.sym.var(name), name="a&b").save(str(tmp_path / "hostile.json"))
    act("plot", str(tmp_path / "hostile.json"), "-o", str(tmp_path / "x.svg"))
    root = ET.parse(tmp_path / "x.svg").getroot()
    assert not [*root.iter(f"{SVG}script")]
    assert {box[0].text.partition(":")[0] for box in root.iter(f"{SVG}g")} == {name, "a&b"}


def test_a_symbol_may_have_any_name(tmp_path, capsys):
    mx.sym.relu(mx.sym.var("x"), name="a_relu").save(str(tmp_path / "net.sym"))
    act("plot", str(tmp_path / "net.sym"))
    assert "a_relu" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words, text",
    [
        (["-o", "x.svg", "--json"], "do not go together"),
        (["-s", "data"], "--shape data: must be"),
        (["-s", "data=1,0"], "--shape data=1,0: '0' is neither a size nor a name"),
        (["-s", "data=1,2", "-s", "data=1,3"], "data is given twice"),
        (["-s", "dat=1,2"], "dat"),
    ],
)
def test_what_cannot_be(words, text):
    with pytest.raises((MXNetError, SystemExit), match=text):
        act("plot", "net", *words)


def test_without_graphviz_it_is_told_what_needs_nothing(monkeypatch):
    monkeypatch.setattr("mxnova.cli.plot.find_spec", lambda name: None)
    with pytest.raises(MXNetError, match=r"mxnova\[viz\].*\.svg and \.html"):
        act("plot", "net", "-o", "x.png")


@pytest.mark.parametrize(
    "error", [ValueError("no format"), RuntimeError("no dot"), CalledProcessError(1, "dot")]
)
def test_what_graphviz_cannot_do_is_an_error_of_ours(error, monkeypatch):
    class Drawing:
        def render(self, **facts):
            raise error

    monkeypatch.setattr("mxnova.cli.plot.find_spec", lambda name: True)
    monkeypatch.setattr("mxnova.visualization.plot_network", lambda *a, **k: Drawing())
    with pytest.raises(MXNetError, match="plot: x.xyz: Graphviz"):
        act("plot", "net", "-o", "x.xyz")


@pytest.mark.parametrize(
    "name, file", [("net", "net-symbol.json"), ("net-0001.params", "net-symbol.json")]
)
def test_netron_is_given_a_file_that_it_reads(name, file, monkeypatch):
    netron, seen = ModuleType("netron"), []
    netron.start = lambda path, **options: seen.append((path, options))
    netron.wait = lambda: None
    monkeypatch.setitem(sys.modules, "netron", netron)
    act("view", name, "--no-browse", "--port", "81")
    assert seen == [(file, {"address": ("localhost", 81), "browse": False})]


def test_without_netron_it_is_told_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "netron", None)
    with pytest.raises(MXNetError, match=r"mxnova\[view\].*mxnova plot net -o FILE.html"):
        act("view", "net")
