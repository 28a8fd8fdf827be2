# SPDX-License-Identifier: Apache-2.0
"""The blocks of the page "Serve models over HTTP" run, in their order."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", (ROOT / "docs/serving.md").read_text(), re.S | re.M)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


@contextlib.contextmanager
def serving(command):
    """The server of a command, which ends well when it is told to."""
    program, *arguments = shlex.split(command)
    assert (program, arguments[0]) == ("mxnova", "serve")
    path = os.pathsep.join(p for p in sys.path if p)
    process = subprocess.Popen(
        [sys.executable, "-m", "mxnova", *arguments],
        env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout.readline().startswith("serving flowers on http://")
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
    assert process.returncode == 0


def test_the_page_runs(tmp_path, monkeypatch):
    pytest.importorskip("uvicorn")
    monkeypatch.chdir(tmp_path)
    port = str(free_port())
    names = {}
    assert [language for language, _ in BLOCKS].count("sh") == 1
    with contextlib.ExitStack() as servers:
        for language, block in BLOCKS:
            code = block.replace("8080", port)
            if language == "sh":
                servers.enter_context(serving(code))
            else:
                exec(compile(code, "docs/serving.md", "exec"), names)
    assert names["answer"]["model_name"] == "flowers"
