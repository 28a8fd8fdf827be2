# SPDX-License-Identifier: Apache-2.0
"""Processes that share caches, and somebody who spoils them: `python -m tests.fuzz.caches`.

Each process compiles a model or finds it compiled, keeps choices of backends, and downloads a file,
again and again, while files in there are cut off, exchanged, removed and replaced by folders, links
and pipes. Each must find right numbers and whole files all the time, without an error.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import http.server
import logging
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import mxnova as mx

ROOT = Path(__file__).parents[2]
ROWS = np.ones((2, 4), "f")
CONTENT = bytes(range(256)) * 4000
SHA1 = hashlib.sha1(CONTENT).hexdigest()


def work(folder: Path, url: str, seconds: float) -> int:
    """What each process does; how often."""
    from mxnova.core.exec.backends.choices import Choices

    logging.getLogger("mxnova").setLevel(logging.ERROR)
    rng = random.Random(os.getpid())
    choices = Choices()
    end, n_done = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        n_done += 1
        predictor = mx.Predictor.from_checkpoint(
            str(folder / "net"), 0, {"data": (2, 4)}, backend="onnxruntime", cache=True
        )
        found = predictor.predict(data=ROWS)[0]
        np.testing.assert_allclose(found, np.full((2, 3), 5.0))
        key = f"key{rng.randrange(3)}"
        choices.keep(key, f"of {key}", {"aten": 1.0})
        assert choices.find(key) in ("", f"of {key}")
        path = mx.gluon.utils.download(url, str(folder / "cache" / "a.bin"), sha1_hash=SHA1)
        content = Path(path).read_bytes() if os.path.isfile(path) else CONTENT  # spoiled since
        assert content == CONTENT or _is_spoiled(content), len(content)
    return n_done


def _is_spoiled(content: bytes) -> bool:
    """Whether it may have been spoiled since it was checked."""
    return len(content) < len(CONTENT) or content.endswith(b"spoiled")


def spoil(path: Path, rng: random.Random) -> None:
    """Does harm to a file, never to one that somebody has mapped: a new one takes its place."""
    with contextlib.suppress(OSError):
        content = path.read_bytes() if path.is_file() else b""
        other = path.with_name(f"other{rng.random()}")
        # A download refuses to replace a folder or a pipe, which a cache makes room for.
        kind = rng.choice((0, 3, 4, 5, 6) if path.suffix == ".bin" else range(7))
        if kind == 0:
            path.unlink()
        elif kind == 1:
            path.unlink()
            path.mkdir()
            time.sleep(0.2)
            path.rmdir()
        elif kind == 2:
            path.unlink()
            os.mkfifo(path)
        elif kind == 3:
            other.symlink_to("nowhere")
            other.replace(path)
        else:
            cut = rng.randrange(len(content) + 1)
            other.write_bytes((content[:cut], b"", content[:cut] + b"spoiled")[kind - 4])
            other.replace(path)


class _Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(CONTENT)

    def log_message(self, *_: object) -> None:
        pass


def attack(seconds: float, n_processes: int = 3, seed: int = 0) -> list[str]:
    """Runs processes beside the one who spoils; what they had to complain of."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/a.bin"
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="caches-") as root:
        folder = Path(root)
        (folder / "cache").mkdir()
        fc = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
        weights = {"fc_weight": mx.nd.ones((3, 4)), "fc_bias": mx.nd.ones((3,))}
        mx.model.save_checkpoint(str(folder / "net"), 0, fc, weights, {})
        start = functools.partial(
            subprocess.Popen,
            [sys.executable, "-m", "tests.fuzz.caches", "--work", root, url, str(seconds)],
            env={**os.environ, "MXNOVA_CACHE": str(folder / "cache"), "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT,
        )  # fmt: skip
        processes = [start() for _ in range(n_processes)]
        while any(process.poll() is None for process in processes):
            files = [path for path in (folder / "cache").rglob("*") if path.parent.name != "other"]
            if files:
                spoil(rng.choice(files), rng)
            time.sleep(rng.choice((0.0, 0.01, 0.1, 0.5)))
        said = [process.communicate()[0].decode(errors="replace") for process in processes]
        failed = [text for text, p in zip(said, processes, strict=True) if p.returncode]
        shutil.rmtree(folder / "cache", ignore_errors=True)
    server.shutdown()
    server.server_close()
    for text in said:
        sys.stdout.write(text)
    return failed


def main() -> int:
    """The number of processes that failed is the status."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--processes", type=int, default=3)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    parsed = options.parse_args()
    if parsed.work:
        folder, url, seconds = parsed.work
        n_done = work(Path(folder), url, float(seconds))
        sys.stdout.write(f"{n_done} times\n")
        return 0
    return len(attack(parsed.seconds, parsed.processes, parsed.seed))


if __name__ == "__main__":
    sys.exit(main())
