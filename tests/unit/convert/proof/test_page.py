# SPDX-License-Identifier: Apache-2.0
import json
import re
import shutil

import pytest

import mxnova as mx
from mxnova.convert.proof import verify
from mxnova.convert.proof.page import page
from mxnova.core.graph.drawing import GraphNode, drawing, shortened

from ..conftest import SHAPES

BROWSERS = "chromium", "chromium-browser", "google-chrome"


@pytest.fixture(scope="module")
def report(checkpoint, tmp_path_factory):
    """The page of two models that differ from a node on, one of whose names is hostile."""
    folder = tmp_path_factory.mktemp("report")
    with open(f"{checkpoint}-symbol.json") as file:
        graph = json.load(file)
    for node in graph["nodes"]:
        if node["name"] == "net_relu0":
            node["name"] = HOSTILE
    arrays = mx.nd.load(f"{checkpoint}-0007.params")
    for name in "a", "b":
        (folder / f"{name}-symbol.json").write_text(json.dumps(graph))
        mx.nd.save(str(folder / f"{name}-0007.params"), arrays)
        arrays["arg:net_stage1_unit1_conv2_bias"][2] += 0.125
    found = verify(folder / "a", folder / "b", shapes=SHAPES)
    path = folder / "report.html"
    path.write_text(page("a", "<script>b", found))
    return path, found


HOSTILE = '"><script>document.title="owned"</script>' + 60 * "long"


def test_it_holds_all_and_is_no_program(report):
    path, found = report
    text = path.read_text()
    assert "<script" not in text
    assert "http" not in text
    assert found.line in text
    assert text.count('<tr id="node-') == len(found.nodes)
    drawn = len(re.findall(r'<g class="(?:equal|differs|unknown|input)"', text))
    assert drawn == len(found.graph) == len(found.nodes) + 1  # the input is not compared
    first = found.first.name
    assert first == "net_stage1_unit1_conv2"
    assert f'<a href="#node-{[r.name for r in found.nodes].index(first)}">{first}</a>' in text


def test_nodes_have_times_of_both_models(report):
    _, found = report
    assert all(s is not None and s >= 0 for row in found.nodes for s in row.seconds)
    assert all(s > 0 for row in found.outputs for s in row.seconds)


def test_without_a_network_there_are_tables_only(checkpoint):
    found = verify(checkpoint, checkpoint, shapes=SHAPES)
    text = page("a", "b", type(found)(found.outputs, [], False))
    assert "Neither file holds a network" in text
    assert "no nodes that both have" in text


def test_a_network_that_is_too_large_is_not_drawn(checkpoint):
    found = verify(checkpoint, checkpoint, shapes=SHAPES)
    graph = [GraphNode(f"n{i}", "relu", ()) for i in range(3001)]
    assert "3,001 nodes are too many to draw" in page("a", "b", type(found)([], [], False, graph))


def test_edges_are_drawn_from_box_to_box():
    graph = [GraphNode("x", "", ()), GraphNode("y", "relu", ("x",)), GraphNode("y", "exp", ("y",))]
    text = drawing(graph, lambda node: ("equal", "", ""), {})
    assert text.count("<path") == 1  # of namesakes, edges that lead back are left out


@pytest.mark.parametrize("name, shown", [("short", "short"), ("a" * 9 + "b" * 9, "aaa…bbbbbb")])
def test_long_names_lose_their_middle(name, shown):
    assert shortened(name, 10) == shown


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="there is no playwright")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(f"there is none of {', '.join(BROWSERS)}")
    with (
        api.sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=program, args=["--no-sandbox"]) as found,
    ):
        yield found


OVERFLOWING = """
() => [...document.querySelectorAll("#graph g")].filter(box => {
  const width = box.querySelector("rect").width.baseVal.value;
  return [...box.querySelectorAll("text")].some(text => text.getComputedTextLength() > width);
}).map(box => box.textContent)
"""
CONTRAST = """
() => {
  const part = value => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const light = colour => {
    const [r, g, b] = colour.match(/\\d+/g).slice(0, 3).map(Number).map(part);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const of = (selector, name) => light(getComputedStyle(document.querySelector(selector))[name]);
  const paper = of("body", "backgroundColor");
  return {
    paper, text: ratio(paper, of("body", "color")), line: ratio(paper, of("#line", "color")),
    verdict: ratio(of(".verdict", "backgroundColor"), of(".verdict", "color")),
    box: ratio(of("#graph .differs rect", "fill"), of("#graph .differs text", "fill")),
    row: ratio(paper, of("tr.differs th", "color")),
  };
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width, height", [(360, 740), (1280, 900)])
def test_a_browser_shows_it(report, browser, scheme, width, height):
    path, found = report
    shown = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    problems, requests = [], []
    shown.on("console", lambda message: problems.append(message.text))
    shown.on("pageerror", lambda error: problems.append(str(error)))
    shown.on("request", lambda request: requests.append(request.url))
    shown.goto(path.as_uri())
    assert shown.title() == "a and <script>b"
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.evaluate(OVERFLOWING) == []
    colours = shown.evaluate(CONTRAST)
    assert (colours.pop("paper") > 0.5) == (scheme == "light")
    assert min(colours.values()) >= 4.5, colours  # what WCAG asks for
    box = shown.locator("#graph .differs a").first
    box.click()
    number = [row.name for row in found.nodes].index(found.first.name)
    assert shown.url.endswith(f"#node-{number}")
    row = shown.locator(f"#node-{number}")
    assert row.is_visible()
    assert found.first.name in row.text_content()
    assert problems == []
    assert requests == [path.as_uri()]  # nothing is asked of any network
    shown.close()
