# SPDX-License-Identifier: Apache-2.0
import io
import json
import re
import shutil

import numpy as np
import pytest

pytest.importorskip("uvicorn")
X = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.float32)


def npy(values):
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


@pytest.fixture(scope="module")
def wanted(predictors):
    return predictors["dense"].predict(data=X)[0]


def test_ping(client):
    assert client("GET", "/ping")[0] == 200


REQUESTS = [
    ("application/json", json.dumps(X.tolist())),
    ("application/json; charset=utf-8", json.dumps({"data": X.tolist()})),
    ("application/x-npy", npy(X)),
    ("application/x-npy", npy(X.astype(float, order="F"))),
    ("application/x-npy", npy(X.astype("i2"))),
    ("text/csv", "1,2,3,4\n5,6.0,7e0,8\n"),
    ("text/csv", '"1","2",3,4\r\n5,6,7,8'),
]


@pytest.mark.parametrize("content_type, body", REQUESTS)
def test_the_first_model_answers_invocations(client, wanted, content_type, body):
    status, headers, content = client("POST", "/invocations", body, Content_Type=content_type)
    assert status == 200, content
    assert headers["content-type"] == "application/json"
    assert "model;dur=" in headers["server-timing"]
    np.testing.assert_allclose(json.loads(content), wanted, rtol=1e-5)


@pytest.mark.parametrize("instances", [X.tolist(), [{"features": x} for x in X.tolist()], [{"data": x} for x in X.tolist()]])  # fmt: skip
def test_instances_are_answered_with_predictions(client, wanted, instances):
    status, told = client.json("POST", "/invocations", {"instances": instances})
    assert (status, list(told)) == (200, ["predictions"])
    np.testing.assert_allclose(told["predictions"], wanted, rtol=1e-5)


def test_one_row_is_a_batch_of_one(client, wanted):
    _, told = client.json("POST", "/models/dense/invoke", X[0].tolist())
    np.testing.assert_allclose(told, wanted[:1], rtol=1e-5)


def test_responses_are_what_is_accepted(client, wanted):
    _, headers, content = client("POST", "/invocations", REQUESTS[0][1], Accept="text/csv")
    assert headers["content-type"].startswith("text/csv")
    np.testing.assert_allclose(np.loadtxt(io.BytesIO(content), delimiter=","), wanted, rtol=1e-5)
    accept = "text/html, application/x-npy;q=0.5"
    _, _, content = client("POST", "/invocations", REQUESTS[0][1], Accept=accept)
    np.testing.assert_allclose(np.load(io.BytesIO(content)), wanted, rtol=1e-5)
    sentence = client.refused(406, "POST", "/invocations", REQUESTS[0][1], Accept="text/html")
    assert "application/json" in sentence


def test_several_outputs_have_names(client):
    body = {"left": [[3, 1]], "right": [[1, 1]]}
    _, told = client.json("POST", "/models/pair/invoke", body)
    assert told == {"sum_output": [[4, 2]], "log_output": [[pytest.approx(0.6931472), "-Infinity"]]}
    _, _, content = client("POST", "/models/pair/invoke", json.dumps(body), Accept="text/csv")
    assert content.startswith(b"4.0,2.0,0.69")
    sentence = client.refused(
        406, "POST", "/models/pair/invoke", json.dumps(body), Accept="application/x-npy"
    )
    assert "sum_output, log_output" in sentence


@pytest.fixture(scope="module")
def picture():
    cv2 = pytest.importorskip("cv2")
    return np.random.default_rng(3).integers(0, 255, (16, 12, 3), np.uint8), cv2


@pytest.mark.parametrize("kind", ["jpeg", "png"])
def test_images_are_answered_with_labels(client, predictors, picture, kind):
    pixels, cv2 = picture
    encoded = cv2.imencode(f".{kind}", pixels)[1].tobytes()
    status, told = client.json(
        "POST", "/models/image/invoke", encoded, Content_Type=f"image/{kind}"
    )
    assert status == 200
    seen = cv2.resize(cv2.imdecode(np.frombuffer(encoded, np.uint8), 1), (8, 8))[:, :, ::-1]
    data = ((seen.astype("f") - 128) * np.float32(0.01)).transpose(2, 0, 1)[None]
    scores = predictors["image"].predict(data=data)[0][0]
    labels = ["cat", "dog", "bird", "ümlaut"]
    assert [c["class"] for c in told] == [labels[i] for i in np.argsort(-scores)]
    np.testing.assert_allclose([c["probability"] for c in told], sorted(scores)[::-1], rtol=1e-5)


BAD = [
    ("dense", "image/png", b"\x89PNG", 415, "takes no images"),
    ("image", "image/png", b"\x89PNG", 400, "cannot decode image"),
    ("image", "image/jpeg", b"", 400, "cannot decode image"),
    ("image", "image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\1\0\0\0\1\0\0" + bytes(9), 413, "65536 x 65536"),
    ("dense", "text/html", b"1", 415, "known are"),
    ("dense", "text/csv", b"", 400, "nothing in it"),
    ("dense", "text/csv", b"1,2,3,four", 400, "no CSV of numbers"),
    ("dense", "text/csv", b"1,2\n3", 400, "no CSV of numbers"),
    ("dense", "text/csv", b"\xff", 400, "no CSV of numbers"),
    ("dense", "text/csv", b"1,2,3", 400, r"has shape \[1, 3\]"),
    ("dense", "application/x-npy", b"\x93NUMPY", 400, "no .npy file"),
    ("dense", "application/x-npy", npy(X)[:-1], 400, "and there are"),
    ("dense", "application/x-npy", npy(X.astype("c8")), 400, "real numbers"),
    ("dense", "application/x-npy", npy(np.zeros((65, 64, 1))), 413, "more than 4,096 elements"),
    ("dense", "application/json", b"7", 400, "expected a list"),
    ("dense", "application/json", b'{"dta": [1]}', 400, "did you mean 'data'"),
    ("dense", "application/json", b'{"instances": []}', 400, "'instances' must be"),
    ("dense", "application/json", b'{"instances": [{"x": 1}]}', 400, "not all instances have"),
    ("dense", "application/json", b"[[1, 2, 3, NaN]]", 400, "no number of JSON"),
    ("pair", "application/json", b"[[1, 2]]", 415, "one input"),
    ("pair", "text/csv", b"1,2", 415, "one input"),
]  # fmt: skip


@pytest.mark.parametrize("model, content_type, body, status, reason", BAD)
def test_bad_requests_are_refused_with_a_sentence(
    client, model, content_type, body, status, reason
):
    if content_type.startswith("image"):
        pytest.importorskip("cv2")
    sentence = client.refused(
        status, "POST", f"/models/{model}/invoke", body, Content_Type=content_type
    )
    assert re.search(reason, sentence), sentence


def test_large_bodies_are_refused_before_they_are_read(client):
    headers = {"Content_Length": str(1 << 40)}
    assert client.refused(413, "POST", "/invocations", b"", **headers)
    assert client.refused(413, "POST", "/invocations", bytes((1 << 20) + 1))


def test_models_are_listed(client, models):
    _, told = client.json("GET", "/models")
    assert {"modelName": "dense", "modelUrl": str(models / "dense")} in told["models"]
    assert client.json("GET", "/models/dense")[1]["modelName"] == "dense"
    assert client.refused(404, "GET", "/models/other")
    assert client.refused(400, "GET", "/models?next_page_token=x")
    assert client.json("GET", "/models?next_page_token=1000")[1] == {"models": []}


def test_the_first_model_answers_whatever_is_loaded_again(sources, wanted):
    from mxnova.serve import Settings

    from .conftest import running

    def scores(client):
        return client.json("POST", "/invocations", X.tolist())[1]

    with running(Settings(sources, port=0)) as client:
        for _ in range(2):
            np.testing.assert_allclose(scores(client), wanted, rtol=1e-5)
            client("POST", "/v2/repository/models/dense/unload")
            sentence = client.refused(404, "POST", "/invocations", X.tolist())
            assert "'dense' answers here, and is unloaded" in sentence
            assert client.json("POST", "/v2/repository/models/dense/load")[0] == 200


def test_multi_model_endpoints_load_from_their_folder_only(tmp_path, models):
    from mxnova.serve import Settings

    from .conftest import running

    root, outside = tmp_path / "models", tmp_path / "outside"
    for folder in (root / "a", outside):
        folder.mkdir(parents=True)
        for ending in ("symbol.json", "0001.params"):
            shutil.copy(models / f"dense-{ending}", folder / f"net-{ending}")
        (folder / "net-shapes.json").write_text('[{"name": "data", "shape": [1, 4]}]')
    (root / "link").symlink_to(outside)
    (root / "bad").mkdir()
    with running(Settings({}, port=0, root=root)) as client:
        assert client.refused(404, "POST", "/invocations", "[]")
        for url in (outside, root / "link", root / ".." / "outside", "/etc", root):
            body = {"model_name": "x", "url": str(url)}
            assert "not in the folder" in client.refused(403, "POST", "/models", body)
        assert "contains no model" in client.refused(
            400, "POST", "/models", {"model_name": "x", "url": str(root / "bad")}
        )
        for body in ({}, {"model_name": "x"}, {"model_name": 1, "url": "x"}, {"model_name": "../x", "url": str(root / "a")}):  # fmt: skip
            assert client.refused(400, "POST", "/models", body)
        body = {"model_name": "x", "url": str(root / "a")}
        assert client.json("POST", "/models", body)[0] == 200
        assert "loaded already" in client.refused(409, "POST", "/models", body)
        assert np.shape(client.json("POST", "/models/x/invoke", X.tolist())[1]) == (2, 3)
        assert np.shape(client.json("POST", "/invocations", X.tolist())[1]) == (2, 3)
        body = {"model_name": "y", "url": str(root / "a")}
        assert client.json("POST", "/models", body)[0] == 200
        assert "2 models are loaded" in client.refused(404, "POST", "/invocations", "[]")
        assert client.json("DELETE", "/models/y") == (200, {})
        assert client.json("DELETE", "/models/x") == (200, {})
        assert client.refused(404, "POST", "/models/x/invoke", X.tolist())
        assert client.json("POST", "/v2/repository/models/a/load")[0] == 200
        assert client.json("POST", "/v2/repository/index")[1] == [
            {"name": "a", "version": "1", "state": "READY", "reason": ""},
            {"name": "bad", "state": "UNAVAILABLE", "reason": "unloaded"},
            {"name": "link", "state": "UNAVAILABLE", "reason": "unloaded"},
        ]
