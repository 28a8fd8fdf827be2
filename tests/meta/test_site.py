# SPDX-License-Identifier: Apache-2.0
"""The built site in a headless Chromium: scripts/docs, then pytest -m huge tests/meta/test_site.py."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading

import pytest

from tests.pages.page import ROOT

pytestmark = pytest.mark.huge  # 40 seconds to build, a minute to look at
SITE = ROOT / "build" / "site"
QUIET = "--no-sandbox --disable-gpu --no-first-run --disable-background-networking".split()
BROWSERS = "chromium", "chromium-browser", "google-chrome"
LOOKS = [(width, scheme) for width in (360, 1280) for scheme in ("light", "dark")]
PICTURED = "index", "getting-started", "tutorials/gluon", "operators/nn", "api/gluon.nn", "evidence"


class Server(http.server.SimpleHTTPRequestHandler):
    """Files of the site, without a log."""

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def address():
    if not (SITE / "index.html").is_file():
        pytest.skip("scripts/docs has not built the site")
    handler = functools.partial(Server, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no chromium")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=program, args=QUIET)
        yield found
        found.close()


@pytest.mark.parametrize("width, scheme", LOOKS)
def test_pages_fit_and_report_nothing(browser, address, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    faults = []
    page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
    page.on("console", lambda told: faults.append(f"{page.url}: {told.text}"))
    page.on("request", lambda asked: asked.url.startswith(address) or faults.append(asked.url))
    for path in sorted(SITE.rglob("*.html")):
        name = path.relative_to(SITE).with_suffix("").as_posix()
        page.goto(f"{address}/{name}.html", wait_until="domcontentloaded")
        if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            faults.append(f"{name} is wider than {width} pixels")
        if name in PICTURED:
            folder = ROOT / "build" / "screenshots"
            folder.mkdir(exist_ok=True)
            page.screenshot(path=folder / f"{name.replace('/', '-')}-{width}-{scheme}.png")
    page.close()
    assert faults == []


def test_search_finds_a_page_without_a_server_of_its_own(browser, address):
    page = browser.new_page()
    page.goto(f"{address}/search.html?q=getting+started")
    page.locator("#search-results li a").first.wait_for()
    assert "getting-started.html" in page.locator("#search-results").inner_html()
    page.close()


@pytest.mark.parametrize("width", [360, 1280])
def test_rows_of_long_tables_can_be_filtered(browser, address, width):
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(f"{address}/deviations.html")
    rows = page.locator("article table tbody tr")
    everything = rows.count()
    page.get_by_placeholder(f"Filter {everything} rows").fill("Seeds orthogonal")
    shown = [row for row in rows.all() if row.is_visible()]
    assert 0 < len(shown) < 5
    assert all("Orthogonal" in row.inner_text() for row in shown)
    assert page.locator(".filter output").inner_text() == f"{len(shown)} of {everything}"
    page.close()


def test_the_site_has_text_for_programs():
    if not SITE.is_dir():
        pytest.skip("scripts/docs has not built the site")
    listing = (SITE / "llms.txt").read_text("utf-8")
    assert "[Getting started](getting-started.md)" in listing
    assert "# Getting started" in (SITE / "llms-full.txt").read_text("utf-8")
    assert "```{toctree}" not in (SITE / "index.md").read_text("utf-8")
