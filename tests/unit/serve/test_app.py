# SPDX-License-Identifier: Apache-2.0
import asyncio
import json
import re

import pytest

pytest.importorskip("uvicorn")


def test_the_page_needs_no_other_server(client):
    status, headers, body = client("GET", "/")
    assert (status, headers.get_content_type()) == (200, "text/html")
    assert not re.search(rb"https?://", body)
    assert "default-src 'none'" in headers["content-security-policy"]


def test_addresses_are_documented(client):
    _, told = client.json("GET", "/openapi.json")
    assert told["openapi"].startswith("3.")
    assert {"/v2/models/{model}/infer", "/ping", "/invocations", "/models"} <= told["paths"].keys()
    for path, operations in told["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], (method, path)
            names = re.findall(r"{(\w+)}", path)
            assert [p["name"] for p in operation.get("parameters", [])] == names
    page = client("GET", "/docs")[2].decode()
    assert all(path in page for path in told["paths"])


def metrics(client):
    status, _, body = client("GET", "/metrics")
    assert status == 200
    found = re.findall(r"^(\w+)({[^}]*})? (\S+)$", body.decode(), re.M)
    return {name + labels: float(value) for name, labels, value in found}


def test_requests_runs_and_failures_are_counted(client):
    def counted(status):
        labels = f'model="",route="/invocations",status="{status}"'
        return metrics(client).get(f"mxnova_requests_total{{{labels}}}", 0)

    before, runs = metrics(client), 'mxnova_batch_rows_sum{model="dense"}'
    good, bad = counted(200), counted(400)
    client("POST", "/invocations", "[[1, 2, 3, 4], [5, 6, 7, 8]]")
    client("POST", "/invocations", "[[1, 2, 3]]")
    assert (counted(200), counted(400)) == (good + 1, bad + 1)
    assert metrics(client)[runs] == before.get(runs, 0) + 2
    client("GET", "/v2/models/" + "x" * 50)
    assert not any("xxxx" in name for name in metrics(client))


def test_addresses_that_are_not_there(client):
    assert "/docs" in client.refused(404, "GET", "/nothing")
    assert client.refused(405, "DELETE", "/ping")
    assert client.refused(405, "GET", "/invocations")


ORIGINS = ["https://example.org", "null", "", "evil://localhost", "file://localhost", "localhost",
           "http://localhost/", "http://localhost:1", "http://localhost@example.org", "http://x@localhost",
           "http:/localhost", "http://localhost http://example.org", "http://localhost."]  # fmt: skip
HOSTS = ["example.org", "[::", "localhost/../x", "localhost?", "localhost#", "x@localhost", "localhost:80:80",
         "localhost:x", "localhost:65536", "localhost:-1", "[::1]x", "[localhost]", "localhost\\x", "%6cocalhost",
         "127.0.0.1.example.org", "localhost.", "localhost,example.org", "local host", "127.1",
         "l" * 400]  # fmt: skip


@pytest.mark.parametrize(
    "headers",
    [*({"Host": "localhost", "Origin": origin} for origin in ORIGINS), *({"Host": h} for h in HOSTS)],
)  # fmt: skip
def test_other_web_pages_are_refused(client, headers):
    assert client.refused(403, "POST", "/v2/repository/models/dense/unload", **headers)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1:65535", "[::1]:8080", "[::1]", "localhost:", ""]
)
def test_names_of_this_machine_are_accepted(client, host):
    assert client("GET", "/ping", Host=host)[0] == 200
    if host:
        assert client("GET", "/ping", Host=host, Origin=f"http://{host}")[0] == 200


@pytest.mark.parametrize("host, status", [("example.org:8080", 200), ("x/../y", 400), ("x@y", 400)])
def test_servers_of_other_machines_read_hosts_strictly(sources, host, status):
    from mxnova.serve.app import Application

    async def main():
        sent = []

        async def answer(scope, receive, send):
            sent.append({"status": 200})

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": "/ping", "http_version": "1.1"}
        scope["headers"] = [(b"host", host.encode())]
        await Application(answer, is_local=False)(scope, None, send)
        assert sent[0]["status"] == status

    asyncio.run(main())


def test_the_log_has_no_control_characters_of_a_request(client, monkeypatch, caplog):
    def fail(*_args, **_options):
        raise ZeroDivisionError("\x1b[31m of the model\nFAKE")

    monkeypatch.setattr("mxnova.serve.repository.Repository.get", fail)
    client.refused(500, "POST", "/v2/models/%0aFAKE%1b/infer", "{}")
    assert "ZeroDivisionError" in caplog.text
    assert "\x1b" not in caplog.text
    assert "\nFAKE" not in caplog.text


def test_its_own_page_is_not(client):
    host = f"localhost:{client.port}"
    assert client("GET", "/models", Host=host, Origin=f"http://{host}")[0] == 200


def test_a_model_that_fails_is_no_crash(client, monkeypatch):
    def fail(*_args, **_options):
        raise ZeroDivisionError("of the model")

    monkeypatch.setattr("mxnova.predictor.Predictor.predict", fail)
    sentence = client.refused(500, "POST", "/invocations", json.dumps([[1, 2, 3, 4]]))
    assert "fault of the server" in sentence
    monkeypatch.undo()
    assert client("POST", "/invocations", json.dumps([[1, 2, 3, 4]]))[0] == 200


def test_a_request_that_is_there_waits_for_the_model_alone(sources, monkeypatch):
    from mxnova.serve import Settings
    from mxnova.serve.app import create_app
    from mxnova.serve.batching import Batcher

    submitted, sent = [], []
    submit = Batcher.submit
    monkeypatch.setattr(Batcher, "submit", lambda *given: submitted.append(1) or submit(*given))

    async def receive():
        tensor = {"name": "data", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]}
        content = json.dumps({"inputs": [tensor]}).encode()
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message):
        sent.append(message)

    async def main():
        scope = {"type": "http", "method": "POST", "path": "/v2/models/dense/infer"}
        scope |= {"headers": [(b"host", b"localhost")], "query_string": b"", "root_path": ""}
        app = create_app(Settings({"dense": sources["dense"]}))
        async with app.router.lifespan_context(app):
            task = asyncio.create_task(app(scope, receive, send))
            await asyncio.sleep(0)
            assert submitted  # a run of another batch cannot come in between
            await task
        assert sent[0]["status"] == 200

    asyncio.run(main())
