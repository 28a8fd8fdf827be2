# SPDX-License-Identifier: Apache-2.0
"""Slices of batches, clipped gradients, downloads."""

import hashlib
import os
import shutil
import ssl
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import FileError, MXNetError
from mxnova.gluon import utils

# Batches ------------------------------------------------------------------------------------------

BATCH = np.arange(10, dtype=np.float32).reshape(5, 2)


@pytest.mark.parametrize(
    "shape, n, kwargs, expected",
    [
        ((4, 2), 2, {}, [(2, 2)] * 2),
        ((5, 2), 5, {}, [(1, 2)] * 5),
        ((5, 2), 1, {}, [(5, 2)]),
        ((5, 2), 2, {"even_split": False}, [(3, 2), (2, 2)]),
        ((5, 2), 3, {"even_split": False}, [(2, 2), (2, 2), (1, 2)]),
        ((5, 2), 6, {"even_split": False}, [(1, 2)] * 5 + [(0, 2)]),
        ((2, 5), 2, {"even_split": False, "batch_axis": 1}, [(2, 3), (2, 2)]),
        ((2, 4), 2, {"batch_axis": -1}, [(2, 2)] * 2),
    ],
)
@pytest.mark.parametrize("kind", [mx.nd.array, np.array])
def test_slices(kind, shape, n, kwargs, expected):
    data = np.random.RandomState(0).rand(*shape).astype(np.float32)
    slices = utils.split_data(kind(data), n, **kwargs)
    assert [s.shape for s in slices] == expected
    parts = [s.asnumpy() if kind is mx.nd.array else s for s in slices]
    np.testing.assert_array_equal(np.concatenate(parts, kwargs.get("batch_axis", 0)), data)


@pytest.mark.parametrize(
    "n, kwargs, text",
    [
        (2, {}, "even_split=False"),
        (6, {}, "into 6 slices"),
        (0, {"even_split": False}, "num_slice=0"),
        (2, {"batch_axis": 2}, "batch_axis=2"),
    ],
)
def test_slices_that_cannot_be(n, kwargs, text):
    with pytest.raises(ValueError, match=text):
        utils.split_data(mx.nd.array(BATCH), n, **kwargs)


def test_slices_have_gradients():
    data = mx.nd.array(BATCH)
    data.attach_grad()
    with mx.autograd.record():
        first, second = utils.split_data(data, 2, even_split=False)
        loss = first.sum() + (second * 3).sum()
    loss.backward()
    assert data.grad.asnumpy()[:, 0].tolist() == [1, 1, 1, 3, 3]


@pytest.mark.parametrize("data", [BATCH[:4], BATCH[:4].tolist(), mx.nd.array(BATCH[:4])])
def test_slices_go_to_contexts(data):
    parts = utils.split_and_load(data, [mx.cpu(1), mx.cpu(2)])
    assert [p.context for p in parts] == [mx.cpu(1), mx.cpu(2)]
    assert [p.asnumpy().tolist() for p in parts] == [BATCH[:2].tolist(), BATCH[2:4].tolist()]


def test_slices_of_csr_stay_csr():
    data = mx.nd.array(np.eye(5, 3)).tostype("csr")
    parts = utils.split_data(data, 2, even_split=False)
    assert [p.stype for p in parts] == ["csr", "csr"]
    assert [p.asnumpy().tolist() for p in parts] == [np.eye(3).tolist(), [[0, 0, 0]] * 2]
    columns = utils.split_data(data, 3, batch_axis=1)
    assert [p.asnumpy().tolist() for p in columns] == np.eye(5, 3).T.reshape(3, 5, 1).tolist()


def test_one_context_copies_nothing():
    data = mx.nd.array(BATCH)
    assert utils.split_and_load(data, [mx.cpu(0)])[0] is data


# Gradients ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values, max_norm, norm, expected",
    [
        ([[3, 4], [12]], 1, 13, [[3 / 13, 4 / 13], [12 / 13]]),
        ([[3, 4], [12]], 100, 13, [[3, 4], [12]]),
        ([[3, 4]], 0, 5, [[0, 0]]),
        ([[0, 0]], 1, 0, [[0, 0]]),
    ],
)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_norms_are_clipped(values, max_norm, norm, expected, dtype):
    arrays = [mx.nd.array(v, mx.cpu(i), dtype=dtype) for i, v in enumerate(values)]
    found = utils.clip_global_norm(arrays, max_norm)
    assert type(found) is float
    assert found == pytest.approx(norm)
    for array, value in zip(arrays, expected, strict=True):
        assert array.dtype is np.dtype(dtype).type
        np.testing.assert_allclose(
            array.asnumpy(), value, rtol=1e-3 if dtype == "float16" else 1e-6
        )


def test_norms_need_not_be_waited_for():
    arrays = [mx.nd.array([3, 4])]
    norm = utils.clip_global_norm(arrays, 1, check_isfinite=False)
    assert (norm.shape, norm.asscalar()) == ((1,), 5)
    np.testing.assert_allclose(arrays[0].asnumpy(), [0.6, 0.8])


@pytest.mark.parametrize(
    "value, expected",
    [([np.nan, 4], [np.nan, np.nan]), ([np.inf, 4], [np.nan, 0])],
)
def test_norms_that_are_no_numbers(value, expected):
    arrays = [mx.nd.array(value)]
    with pytest.warns(UserWarning, match="clip_global_norm"):
        utils.clip_global_norm(arrays, 1)
    np.testing.assert_array_equal(arrays[0].asnumpy(), expected)


def test_sparse_gradients_stay_sparse():
    array = mx.nd.array([[0, 0], [3, 4]]).tostype("row_sparse")
    assert utils.clip_global_norm([array], 1) == 5
    assert array.indices.asnumpy().tolist() == [1]
    np.testing.assert_allclose(array.asnumpy(), [[0, 0], [0.6, 0.8]])


def test_what_has_no_norm():
    with pytest.raises(AssertionError, match="there are none"):
        utils.clip_global_norm([], 1)
    with pytest.raises(MXNetError, match="floating-point"):
        utils.clip_global_norm([mx.nd.array([1], dtype="int32")], 1)


# Downloads ----------------------------------------------------------------------------------------

CONTENT = b"weights" * 1000
SHA1 = hashlib.sha1(CONTENT).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Serves CONTENT; /cut/ ends early, /flaky/ fails once, /slow/ pauses, all others are missing."""

    asked: ClassVar[list[str]] = []

    def do_GET(self):
        self.asked.append(self.path)
        kind = self.path.split("/")[1]
        if kind == "missing" or (kind == "flaky" and len(self.asked) == 1):
            self.send_error(404 if kind == "missing" else 503)
            return
        if kind == "redirect":
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/redirect/"))
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[:100])
        if kind == "slow":
            time.sleep(0.2)
        if kind != "cut":
            self.wfile.write(CONTENT[100:])

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(Handler, "asked", [])
    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{made.server_address[1]}"
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.mark.parametrize("where", ["file", "folder", "here"])
def test_downloads(server, tmp_path, monkeypatch, where):
    monkeypatch.chdir(tmp_path)
    path = {"file": str(tmp_path / "new" / "x.bin"), "folder": str(tmp_path), "here": None}[where]
    found = utils.download(f"{server}/good/x.bin", path, sha1_hash=SHA1)
    assert (tmp_path / found).read_bytes() == CONTENT
    assert utils.check_sha1(found, SHA1)
    assert not utils.check_sha1(found, SHA1.upper())


def test_what_is_there_is_kept_unless_it_is_another(server, tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    url = f"{server}/good/x"
    utils.download(url, str(path))
    assert path.read_bytes() == b"old"
    utils.download(url, str(path), sha1_hash=SHA1)
    assert path.read_bytes() == CONTENT
    utils.download(url, str(path), sha1_hash=SHA1)
    assert len(Handler.asked) == 1
    utils.download(url, str(path), overwrite=True)
    assert len(Handler.asked) == 2


def test_downloads_are_tried_again(server, tmp_path):
    utils.download(f"{server}/flaky/x", str(tmp_path / "x"), retries=1)
    assert len(Handler.asked) == 2


@pytest.mark.parametrize(
    "kind, sha1, text, n_asked",
    [
        ("cut", None, "100 of 7000 bytes", 3),
        ("good", "00", "SHA-1", 3),
        ("missing", None, "404", 1),
    ],
)
def test_downloads_that_fail_leave_nothing(server, tmp_path, kind, sha1, text, n_asked):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with pytest.raises(FileError, match=text) as caught:
        utils.download(f"{server}/{kind}/x", str(path), True, sha1, retries=2)
    assert f"{server}/{kind}/x" in str(caught.value)
    assert f"{path}" in str(caught.value)
    assert [p.name for p in tmp_path.iterdir()] == ["x"]
    assert path.read_bytes() == b"old"
    assert len(Handler.asked) == n_asked


def test_nobody_there(tmp_path):
    with pytest.raises(OSError, match="Put the file there by hand"):
        utils.download("http://127.0.0.1:9/x", str(tmp_path / "x"), retries=0)


@pytest.mark.parametrize(
    "arguments, text",
    [(("http://127.0.0.1:9/x", None, False, None, -1), "retries=-1"), (("http://a/",), "path")],
)
def test_arguments_of_downloads(arguments, text):
    with pytest.raises(AssertionError, match=text):
        utils.download(*arguments)


@pytest.mark.parametrize(
    "url", ["file:///etc/hosts", "data:text/plain,hi", "ftp://127.0.0.1/x", "x", ""]
)
def test_only_http_is_fetched(tmp_path, url):
    with pytest.raises(ValueError, match="must be of http or https"):
        utils.download(url, str(tmp_path / "x"))
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("to", ["file:///etc/hosts", "ftp://127.0.0.1:9/x", "data:,hi"])
def test_servers_cannot_redirect_elsewhere(server, tmp_path, to):
    with pytest.raises(FileError, match="cannot be fetched"):
        utils.download(f"{server}/redirect/{to}", str(tmp_path / "x"), retries=0)
    assert not any(tmp_path.iterdir())


def test_redirects_are_followed(server, tmp_path):
    found = utils.download(f"{server}/redirect//good/x.bin", str(tmp_path / "x"), retries=0)
    assert utils.check_sha1(found, SHA1)


@pytest.mark.parametrize("end", ["/..", "/.", "/", r"/..\x", r"/a\b", "/C:x", "/a/.."])
@pytest.mark.parametrize("function", [utils.download, mx.test_utils.download])
def test_urls_that_name_no_file(tmp_path, monkeypatch, end, function):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match="names no file"):
        function(f"http://127.0.0.1:9{end}")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["x.bin?raw=true", "%2e%2e", "..x", "a b", "\u00fc"])
def test_names_of_files(server, tmp_path, name):
    found = utils.download(f"{server}/good/{name}", f"{tmp_path}/new/")
    assert found == str(tmp_path / "new" / name)
    assert utils.check_sha1(found, SHA1)


@pytest.fixture
def certificate(tmp_path_factory):
    """A file with a key and a certificate that nobody has signed."""
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("openssl makes the certificate")
    path = tmp_path_factory.mktemp("key") / "loopback.pem"
    request = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1".split()
    output = ["-keyout", f"{path}.key", "-out", path]
    subprocess.run([openssl, *request, *output], check=True, capture_output=True)
    path.write_text(Path(f"{path}.key").read_text() + path.read_text())
    return path


def test_servers_that_prove_nothing(server, tmp_path, certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    secure = HTTPServer(("127.0.0.1", 0), Handler)
    secure.socket = context.wrap_socket(secure.socket, server_side=True)
    thread = threading.Thread(target=secure.serve_forever, args=(0.01,))
    thread.start()
    url = f"https://127.0.0.1:{secure.server_address[1]}/good/x"
    try:
        with pytest.raises(FileError, match="CERTIFICATE_VERIFY_FAILED"):
            utils.download(url, str(tmp_path / "x"), retries=0)
        with pytest.warns(
            UserWarning, match=r"Unverified HTTPS request is being made \(verify_ssl"
        ):
            found = utils.download(url, str(tmp_path / "x"), verify_ssl=False)
    finally:
        secure.shutdown()
        thread.join()
        secure.server_close()
    assert utils.check_sha1(found, SHA1)


TEN_DOWNLOADS = """
import os, sys
from pathlib import Path
from mxnova.gluon.utils import check_sha1, download

url, sha1 = sys.argv[1:]
children = []
for _ in range(10):
    if not (child := os.fork()):
        found = download(url, "x", overwrite=True)
        os._exit(not check_sha1(found, sha1))
    children.append(child)
ends = [os.waitpid(child, 0)[1] for child in children]
assert ends == [0] * 10, ends
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forks, which start at once")
def test_processes_that_fetch_the_same_file_leave_a_whole_one(server, tmp_path):
    command = [sys.executable, "-c", TEN_DOWNLOADS, f"{server}/slow/x", SHA1]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert len(Handler.asked) == 10
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert utils.check_sha1(str(tmp_path / "x"), SHA1)


def test_files_are_replaced_at_once(tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    new.write_text("new")
    old.write_text("old")
    utils.replace_file(str(new), str(old))
    assert old.read_text() == "new"
    assert not new.exists()
    with pytest.raises(OSError, match="old"):
        utils.replace_file(str(new), str(old))


def test_the_repository_is_told_by_the_environment(monkeypatch):
    assert utils._get_repo_url().startswith("https://apache-mxnet.")
    for url in ("http://host/path", "http://host/path/"):
        monkeypatch.setenv("MXNET_GLUON_REPO", url)
        assert utils._get_repo_url() == "http://host/path/"
        assert utils._get_repo_file_url("gluon/x", "y.zip") == "http://host/path/gluon/x/y.zip"


# Names from elsewhere -----------------------------------------------------------------------------


def test_small_helpers():
    hooks = OrderedDict()
    handle = utils.HookHandle()
    handle.attach(hooks, len)
    handle.detach()
    assert not hooks
    assert utils._indent("a\nb", 2) == "a\n  b"
    assert utils._brief_print_list(["a", "b"]) == "'a', 'b'"
    assert utils.shape_is_known((1, 2))
    assert not utils.shape_is_known((0, 2))
    assert set(utils.__all__) >= {"split_data", "split_and_load", "clip_global_norm", "download"}


# Kinds of arrays and symbols ----------------------------------------------------------------------

ARRAY, SYMBOL = mx.nd.ones(2), mx.sym.var("x")
NP_ARRAY, NP_SYMBOL = ARRAY.as_np_ndarray(), SYMBOL.as_np_ndarray()


@pytest.mark.parametrize("out", [NP_ARRAY, NP_SYMBOL, [NP_ARRAY, (NP_SYMBOL, None)], None, 3])
def test_all_are_of_numpy(out):
    assert utils._check_all_np_ndarrays(out) is None


@pytest.mark.parametrize("out", [ARRAY, SYMBOL, [NP_ARRAY, (ARRAY,)]])
def test_one_is_not_of_numpy(out):
    with pytest.raises(TypeError, match="as_np_ndarray"):
        utils._check_all_np_ndarrays(out)


def test_kind_of_symbols():
    assert utils._check_same_symbol_type([SYMBOL, SYMBOL]) is type(SYMBOL)
    assert utils._check_same_symbol_type([NP_SYMBOL]) is type(NP_SYMBOL)
    with pytest.raises(TypeError, match="one kind"):
        utils._check_same_symbol_type([SYMBOL, NP_SYMBOL])


@pytest.mark.parametrize("size", [1e-25, 1e20])
def test_clip_global_norm_of_extreme_gradients_returns_their_norm(size):
    arrays = [mx.nd.full((2, 2), size), mx.nd.full((5,), size)]
    norm = mx.gluon.utils.clip_global_norm(arrays, 1.0)
    np.testing.assert_allclose(norm, 3 * size, 1e-6)
    np.testing.assert_allclose(arrays[0].asnumpy(), min(size, 1 / 3), 1e-6)
