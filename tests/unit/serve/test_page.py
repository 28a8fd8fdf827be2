# SPDX-License-Identifier: Apache-2.0
"""The page for people in a headless Chromium, where Playwright and Chromium are installed."""

import io
import shutil

import numpy as np
import pytest

pytest.importorskip("uvicorn")
pytestmark = pytest.mark.slow

# Chromium asks its makers' servers for updates otherwise.
QUIET = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


@pytest.fixture(scope="module")
def page(client):
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=QUIET)
        page = browser.new_page()
        page.faults, page.asked = [], []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("console", lambda told: page.faults.append(told.text))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(f"http://127.0.0.1:{client.port}/")
        page.locator("#model option").nth(2).wait_for(state="attached")
        yield page
        browser.close()


def give(page, model, name, content, kind=""):
    """Chooses a model and a file, and waits for what the page shows."""
    page.select_option("#model", model)
    page.locator("#shapes:not(:empty)").wait_for(state="attached")
    page.set_input_files("#file", {"name": name, "mimeType": kind, "buffer": content})
    page.locator("#time:not(:empty), #error:not(:empty)").first.wait_for(state="attached")
    page.locator("#error:not(:empty), #table tr").first.wait_for(state="attached")


def npy(values):
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def test_an_image_gets_labels_and_a_time(page, client):
    cv2 = pytest.importorskip("cv2")
    pixels = np.random.default_rng(0).integers(0, 255, (32, 32, 3), np.uint8)
    png = cv2.imencode(".png", pixels)[1].tobytes()
    give(page, "image", "cat.png", png, "image/png")
    told = client.json("POST", "/models/image/invoke", png, Content_Type="image/png")[1]
    rows = [row.locator("td").all_inner_texts() for row in page.locator("#table tr").all()]
    assert [row[0] for row in rows] == [c["class"] for c in told]
    assert float(rows[0][1]) == pytest.approx(told[0]["probability"], rel=1e-3)
    assert "cat.png" in page.inner_text("#time")
    assert "in the model" in page.inner_text("#time")
    assert page.is_visible("#picture")
    assert page.evaluate("document.querySelector('#picture').naturalWidth") == 32
    assert "data FP32 [-1, 3, 8, 8]" in page.inner_text("#shapes")


def test_an_array_gets_shapes_and_scores(page):
    give(page, "dense", "x.npy", npy(np.ones((2, 4), np.float32)))
    assert page.inner_text("#table").startswith("output [2, 3]")
    assert not page.is_visible("#picture")


def test_what_is_refused_is_said(page):
    before = len(page.faults)
    give(page, "dense", "x.npy", npy(np.ones((2, 5), np.float32)))
    assert "has shape [2, 5], expected [-1, 4]" in page.inner_text("#error")
    assert page.inner_text("#table") == ""
    del page.faults[before:]  # the browser notes the status


def test_it_ran_without_faults_and_asked_its_own_server_only(page, client):
    assert page.faults == []
    assert {url.split("/")[2] for url in page.asked if not url.startswith(("data:", "blob:"))} == {
        f"127.0.0.1:{client.port}"
    }
    page.goto(f"http://127.0.0.1:{client.port}/docs")
    assert "/v2/models/{model}/infer" in page.inner_text("table")
    assert page.faults == []
