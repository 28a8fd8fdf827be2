# SPDX-License-Identifier: Apache-2.0
"""What importing costs, and what works without torch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
DATA = Path(__file__).parents[1] / "data"
HEAVY = {"torch", "numpy", "cv2", "typer", "rich", "sklearn"}
IMPORT_LIMIT = 0.1  # seconds; 12 ms on the machine where it was set
N_IMPORTS = 5

SYMBOL = """{"nodes": [{"op": "null", "name": "data", "inputs": []},
 {"op": "relu", "name": "act", "inputs": [[0, 0, 0]]}],
 "arg_nodes": [0], "heads": [[1, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}"""


def run(code, *arguments):
    """What `code` prints in a Python of its own."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def without_torch(code, *arguments):
    return run(f"import sys; sys.modules['torch'] = sys.modules['cv2'] = None; {code}", *arguments)


def test_the_package_imports_nothing_heavy():
    loaded = set(run("import sys, mxnova; print(*sys.modules)").split())
    assert "mxnova" in loaded
    assert loaded & HEAVY == set()


def test_the_package_imports_quickly():
    code = """
import time
start = time.process_time()
import mxnova
print(time.process_time() - start)
"""
    assert min(float(run(code)) for _ in range(N_IMPORTS)) < IMPORT_LIMIT


def test_file_formats_import_without_torch():
    code = """
import importlib, pkgutil
import mxnova.recordio, mxnova.formats
for module in pkgutil.walk_packages(mxnova.formats.__path__, "mxnova.formats."):
    importlib.import_module(module.name)
    print(module.name)
"""
    formats = {"params", "recordio", "states", "symbol_json"}
    assert {f"mxnova.formats.{name}" for name in formats} <= set(without_torch(code).split())


def test_records_are_read_without_torch():
    code = """
import mxnova as mx
records = mx.recordio.MXRecordIO(sys.argv[1], "r")
print(sum(1 for _ in iter(records.read, None)))
"""
    assert int(without_torch(code, DATA / "recordio" / "mxnet.rec")) > 0


@pytest.fixture
def symbol_file(tmp_path):
    path = tmp_path / "net-symbol.json"
    path.write_text(SYMBOL)
    return path


def test_inspect_works_without_torch(symbol_file):
    files = DATA / "files" / "dense.params", DATA / "files" / "sgd.states"
    code = "from mxnova.cli import main; sys.argv.insert(1, 'inspect'); main()"
    shown = without_torch(code, symbol_file, *files, DATA / "recordio" / "mxnet.rec")
    assert "relu" in shown
    assert "float32" in shown
    assert "records" in shown
