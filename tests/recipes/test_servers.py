# SPDX-License-Identifier: Apache-2.0
"""Recipes for servers of others: Triton, MLServer, SageMaker's toolkit, AWS Lambda."""

from __future__ import annotations

import contextlib
import http.server
import importlib.util
import io
import json
import os
import queue
import random
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest

from .conftest import RECIPES, ROWS

PATIENCE = 60  # seconds
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # where servers look for Python


def free_ports(count):
    """Numbers below 32768, as Multi Model Server wants them."""
    found = []
    while len(found) < count:
        port = random.randrange(10_000, 32_000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            found.append(port)
    return found


def installed(package):
    """Where a package is; it is not imported: two of them register the same messages."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        pytest.skip(f"needs {package}")
    return Path(spec.origin).parent


@contextlib.contextmanager
def running(command, folder, ready, **variables):
    """A server that answers at the address `ready`; ended with all of its processes."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
    with open(folder / "log.txt", "wb") as log:
        process = subprocess.Popen(
            [*map(str, command)], cwd=folder, env=environment, stdout=log,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    try:
        end = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(ready, timeout=5).close()
                break
            text = (folder / "log.txt").read_text(errors="replace")[-3000:]
            assert process.poll() is None, text
            assert time.monotonic() < end, text
            time.sleep(0.1)
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(PATIENCE)


def ask(url, value, kind="application/json", accept="application/json"):
    headers = {"Content-Type": kind, "Accept": accept}
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    request = urllib.request.Request(url, body, headers)
    with urllib.request.urlopen(request, timeout=PATIENCE) as response:
        return response.read()


def infer(url):
    """The first output for ROWS by the Open Inference Protocol."""
    data = {"name": "data", "shape": [*ROWS[:50].shape], "datatype": "FP32"}
    told = json.loads(ask(url, {"inputs": [{**data, "data": ROWS[:50].ravel().tolist()}]}))
    output = told["outputs"][0]
    return np.reshape(output["data"], output["shape"])


def test_triton(prefix, wanted, tmp_path):
    """Its server, with the Python backend, as PyTriton's wheel brings them."""
    triton = installed("pytriton") / "tritonserver"
    version = ".".join(map(str, sys.version_info[:2]))
    stub = triton / "python_backend_stubs" / version / "triton_python_backend_stub"
    if not stub.exists():
        pytest.skip(f"no stub for Python {version}")
    models, backends = tmp_path / "models", tmp_path / "backends"
    shutil.copytree(RECIPES / "triton", models)
    for ending in ("-symbol.json", "-0000.params"):
        shutil.copy(prefix + ending, models / "flowers" / "1")
    shutil.copytree(triton / "backends", backends)
    shutil.copy(stub, backends / "python")
    (backends / "python" / stub.name).chmod(0o755)
    http, grpc, metrics = free_ports(3)
    command = [
        triton / "bin" / "tritonserver", "--model-repository", models, "--backend-directory",
        backends, "--http-port", http, "--grpc-port", grpc, "--metrics-port", metrics,
    ]  # fmt: skip
    folders = (triton.parents[1] / "nvidia_pytriton.libs", sysconfig.get_config_var("LIBDIR"))
    ready = f"http://127.0.0.1:{http}/v2/health/ready"
    libraries = ":".join(map(str, folders))
    with running(command, tmp_path, ready, LD_LIBRARY_PATH=libraries, PATH=PATH):
        found = infer(f"http://127.0.0.1:{http}/v2/models/flowers/infer")
    np.testing.assert_allclose(found, wanted[:50], rtol=1e-5)


def test_mlserver(prefix, wanted, tmp_path):
    installed("mlserver")
    shutil.copytree(RECIPES / "mlserver", tmp_path / "served")
    for ending in ("-symbol.json", "-0000.params"):
        shutil.copy(prefix + ending, tmp_path / "served")
    http, grpc, metrics = free_ports(3)
    ports = {"http_port": http, "grpc_port": grpc, "metrics_port": metrics, "parallel_workers": 0}
    (tmp_path / "served" / "settings.json").write_text(json.dumps({"host": "127.0.0.1", **ports}))
    command = [Path(sys.executable).parent / "mlserver", "start", tmp_path / "served"]
    base = f"http://127.0.0.1:{http}/v2/models/flowers"
    with running(command, tmp_path, f"{base}/ready"):
        np.testing.assert_allclose(infer(f"{base}/infer"), wanted[:50], rtol=1e-5)


def npy(rows):
    file = io.BytesIO()
    np.save(file, rows)
    return file.getvalue()


FORMS = {
    "application/json": (json.loads, lambda rows: json.dumps(rows.tolist()).encode()),
    "text/csv": (
        lambda body: np.loadtxt(io.BytesIO(body), delimiter=","),
        lambda rows: "\n".join(",".join(map(str, row)) for row in rows.tolist()).encode(),
    ),
    "application/x-npy": (lambda body: np.load(io.BytesIO(body)), npy),
}
REFUSED = [
    ("application/json", b"[[1, 2", "application/json"),
    ("application/json", b"[[1, 2]]", "application/json"),
    ("text/html", b"<p>", "application/json"),
]


def status_of(base, path, body, kind, accept):
    try:
        return 200, ask(f"{base}{path}", body, kind, accept)
    except urllib.error.HTTPError as error:
        return error.code, error.read()


@pytest.fixture
def toolkit(prefix, tmp_path):
    """Starts SageMaker's toolkit, with Multi Model Server, on `model` or `models`."""
    pytest.importorskip("sagemaker_inference")
    pytest.importorskip("pkg_resources")
    if shutil.which("java") is None:
        pytest.skip("Multi Model Server needs Java")
    shutil.copytree(RECIPES / "sagemaker", tmp_path / "model" / "code")
    (tmp_path / "temporary").mkdir()

    def start(**variables):
        (port,) = free_ports(1)
        program = (
            "from sagemaker_inference import model_server as server\n"
            f"server.MMS_CONFIG_FILE = {str(tmp_path / 'mms.properties')!r}\n"
            "server.start_model_server()"
        )
        base = f"http://127.0.0.1:{port}"
        started = running(
            [sys.executable, "-c", program], tmp_path, f"{base}/ping", PATH=PATH,
            SAGEMAKER_BASE_DIR=str(tmp_path), SAGEMAKER_BIND_TO_PORT=str(port),
            SAGEMAKER_MODEL_SERVER_WORKERS="1", TMPDIR=str(tmp_path / "temporary"), **variables,
        )  # fmt: skip
        return base, started

    return start


@contextlib.contextmanager
def mxnova_serves(folder, *options, **variables):
    (port,) = free_ports(1)
    base = f"http://127.0.0.1:{port}"
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "mxnova", "serve", "--port", port, *options]
    with running(command, folder, f"{base}/ping", **variables):
        yield base


def test_sagemaker(prefix, wanted, toolkit, tmp_path):
    """The recipe in SageMaker's toolkit and `mxnova serve` answer alike."""
    rows = ROWS[:5]
    base, started = toolkit()
    with started, mxnova_serves(tmp_path / "own", prefix, "-s", "data=N,4") as own:
        for kind, (_, encode) in FORMS.items():
            for accept, (decode, _) in FORMS.items():
                for server in (base, own):
                    status, body = status_of(server, "/invocations", encode(rows), kind, accept)
                    assert status == 200, (server, kind, accept, body)
                    np.testing.assert_allclose(decode(body), wanted[:5], rtol=1e-5)
        for kind, body, accept in REFUSED:
            theirs = status_of(base, "/invocations", body, kind, accept)[0]
            ours, text = status_of(own, "/invocations", body, kind, accept)
            assert theirs >= 400
            assert 400 <= ours < 500, text  # faults of clients; the toolkit may say 500


def test_sagemaker_multi_model(prefix, wanted, toolkit, tmp_path):
    """Both have the addresses of a multi-model endpoint."""
    root = tmp_path / "models"
    shutil.copytree(tmp_path / "model", root / "flowers")
    (root / "flowers" / "flowers-shapes.json").write_text('[{"name": "data", "shape": [1, 4]}]')
    path = f"{RECIPES / 'sagemaker'}:{os.environ['PYTHONPATH']}"
    base, started = toolkit(SAGEMAKER_MULTI_MODEL="true", PYTHONPATH=path)
    body = FORMS["application/json"][1](ROWS[:5])
    kinds = ("application/json", "application/json")
    with started, mxnova_serves(tmp_path / "own", "--model-root", root) as own:
        for server in (base, own):
            told = {"model_name": "a", "url": str(root / "flowers")}
            assert status_of(server, "/models/a/invoke", body, *kinds)[0] == 404
            ask(f"{server}/models", told)
            assert status_of(server, "/models", json.dumps(told).encode(), *kinds)[0] == 409
            listed = json.loads(urllib.request.urlopen(f"{server}/models").read())["models"]
            assert [m["modelName"] for m in listed] == ["a"]
            assert listed[0]["modelUrl"].rstrip("/") == str(root / "flowers")
            status, answer = status_of(server, "/models/a/invoke", body, *kinds)
            assert status == 200, answer
            np.testing.assert_allclose(json.loads(answer), wanted[:5], rtol=1e-5)
            gone = urllib.request.Request(f"{server}/models/a", method="DELETE")
            urllib.request.urlopen(gone).close()
            assert status_of(server, "/models/a/invoke", body, *kinds)[0] == 404


class RuntimeAPI(http.server.BaseHTTPRequestHandler):
    """What AWS Lambda has a function's process ask: an event, then nothing more."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        server.asked.append(time.monotonic())
        if len(server.asked) > 1:
            server.ends.wait(PATIENCE)
            return
        self.reply(200, json.dumps(server.event).encode(), {
            "Content-Type": "application/json",
            "Lambda-Runtime-Aws-Request-Id": "1",
            "Lambda-Runtime-Trace-Id": "Root=1-5-1;Sampled=0",
            "Lambda-Runtime-Client-Context": "{}",
            "Lambda-Runtime-Cognito-Identity": "{}",
            "Lambda-Runtime-Deadline-Ms": str(int(time.time() * 1000) + 60_000),
            "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:x:1:function:flowers",
        })  # fmt: skip

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        self.server.answers.put((self.path, self.rfile.read(length)))
        self.reply(202, b"{}", {})

    def reply(self, status, body, headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_aws_lambda(compiled, wanted, tmp_path):
    """A fresh process of Lambda's own runtime client answers, without PyTorch."""
    pytest.importorskip("awslambdaric")
    api = http.server.ThreadingHTTPServer(("127.0.0.1", 0), RuntimeAPI)
    api.asked, api.answers, api.ends = [], queue.Queue(), threading.Event()
    api.event = {"body": json.dumps(ROWS.tolist())}
    threading.Thread(target=api.serve_forever, daemon=True).start()
    address = f"127.0.0.1:{api.server_port}"
    variables = {**os.environ, "AWS_LAMBDA_RUNTIME_API": address, "MODEL": compiled}
    start = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "awslambdaric", "aws_lambda.handler"], cwd=RECIPES, env=variables
    )
    try:
        path, answer = api.answers.get(timeout=PATIENCE)
        seconds = api.asked[0] - start
        if sys.platform == "linux":
            assert "libtorch" not in Path(f"/proc/{process.pid}/maps").read_text()
    finally:
        process.kill()
        process.wait()
        api.ends.set()
        api.shutdown()
        api.server_close()
    assert path.endswith("/runtime/invocation/1/response"), answer
    told = json.loads(answer)
    assert told["statusCode"] == 200
    np.testing.assert_allclose(json.loads(told["body"]), wanted, rtol=1e-5)
    print(f"cold start {seconds:.2f} s")
    assert seconds < 30


def test_kubernetes_job(compiled, wanted, tmp_path):
    """The manifest is one of Kubernetes', and its command does what it says, twice."""
    yaml = pytest.importorskip("yaml")
    job = yaml.safe_load((RECIPES / "kubernetes_job.yaml").read_text())
    validator = pytest.importorskip("kubernetes_validate")
    validator.validate(job, validator.latest_version(), strict=True)
    data = tmp_path / "data"
    for index in range(job["spec"]["completions"]):
        (data / "in" / str(index)).mkdir(parents=True)
    shutil.copy(compiled, data / "flowers.mxnova")
    for number, row in enumerate(ROWS[:8]):
        np.save(data / "in" / "3" / f"{number}.npy", row)
    container = job["spec"]["template"]["spec"]["containers"][0]
    words = [
        a.replace("$(JOB_COMPLETION_INDEX)", "3").replace("/data/", f"{data}/")
        for a in container["args"]
    ]
    for _ in range(2):  # a pod that starts again goes on
        subprocess.run([sys.executable, "-m", "mxnova", *words], check=True, timeout=PATIENCE)
    lines = [json.loads(line) for line in (data / "out-3.jsonl").read_text().splitlines()]
    assert len(lines) == 8
