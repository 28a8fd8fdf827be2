# SPDX-License-Identifier: Apache-2.0
"""Findings in scripts: each kind, what is none, and files that are no scripts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mxnova.as_mxnet import numpy_names
from mxnova.cli.arguments import parse
from mxnova.cli.check.deviations import DEVIATIONS
from mxnova.cli.check.sources import findings_in
from mxnova.core.base import dropped_numpy_names

TABLE = Path(__file__).parents[3] / "docs" / "deviations.md"
FOUND = {  # a line -> kind, name and column of what is found there
    "import mxnet as mx; mx.nd.aray([1])": ("missing", "mxnet.ndarray.aray", 21),
    "import mxnet; mxnet.gluon.nn.Densse": ("missing", "mxnet.gluon.nn.Densse", 15),
    "from mxnet import nd; f = lambda: nd.contrib.foreech": ("missing", "mxnet.ndarray.contrib.foreech", 35),
    "from mxnet.gluon import nn, metric": ("missing", "mxnet.gluon.metric", 1),
    "import mxnet.gluon.probability": ("missing", "mxnet.gluon.probability", 1),
    "import mxnet.ndarray as nd; nd.op.aray": ("missing", "mxnet.ndarray.op.aray", 29),
    "import mxnova as mx; F = mx.nd; F.aray()": ("missing", "mxnet.ndarray.aray", 33),
    "class B:\n  def hybrid_forward(self, F, x): return F.sofmax(x)": ("missing", "mxnet.ndarray.sofmax", 42),
    "def f(): return nd.aray\nfrom mxnet import nd": ("missing", "mxnet.ndarray.aray", 17),
    "import mxnet as mx; mx.random.seed(1)": ("deviation", "mxnet.random.seed", 21),
    "import mxnet as mx; mx.random.seed(1, exact=False)": ("deviation", "mxnet.random.seed", 21),
    "from mxnet.gluon.contrib.nn import SyncBatchNorm": ("deviation", "mxnet.gluon.contrib.nn.SyncBatchNorm", 1),
    "import numpy as np; np.float(3)": ("numpy", "np.float", 21),
    "from numpy import in1d": ("numpy", "np.in1d", 1),
    "import numpy; x = [numpy.product(y) for y in z]": ("numpy", "np.product", 20),
    "print 'x'": ("syntax", "", 1),
    "x = (": ("syntax", "", 5),
}  # fmt: skip
FREE = [
    "import mxnet as mx; mx.nd.array([1]); mx.np.sin; mx.viz; mx.sym.Variable('x').no_such",
    "import mxnet as mx; mx.nd._internal._plus_scalar; mx.__version__; mx.gluon.model_zoo.vision",
    "from mxnet import np, npx; np.float32; npx.set_np()",
    "import numpy as np; np.bool_, np.bool, np.float64, np.linalg.norm",
    "from mxnet import nd\ndef f(nd): return nd.aray",
    "from mxnet import nd\ndef f():\n  nd = g()\n  return nd.aray",
    "from mxnet import nd\nnd = g()\nnd.aray",
    "from mxnet import nd\n[nd.aray for nd in x]",
    "try:\n  from mxnet import metrics\nexcept ImportError:\n  from mxnet import measures",
    "import mxnet as mx\nif hasattr(mx, 'device'): mx.device",
    "import mxnet as mx\nif mx.__version__ > '2': mx.device",
    "import mxnet as mx\nmx.nd.mine = f\nmx.nd.mine()",
    "from . import mxnet; mxnet.aray",
    "from mine import mxnet as mx; mx.aray",
    "class B:\n  def hybrid_forward(self, F, x): return F.Activation(x) + F.np.sin(x) + F.contrib.arange_like(x)",
    "import mxnet as mx; mx.random.seed(3, exact=True)",
    "from mxnet import *",
    "",
]
HOSTILE = {  # bytes of a file -> kind, and a part of what is said
    b"x = 1\0": ("file", "NUL bytes"),
    b"\xff\xfe\x00x": ("file", "NUL bytes"),
    b"x = '\xe9'": ("syntax", "utf-8"),
    b"# coding: no-such\nx": ("syntax", "no-such"),
    b"(" * 500 + b")" * 500: ("", "nested"),
    b"-" * 60000 + b"1": ("", "nest"),
    b"x = " + b"1 + " * 60000 + b"1": ("", "nest"),
    b"x" + b".y" * 60000: ("", "nest"),
    b"#" * (9 << 20): ("file", "more than 8 MiB"),
    b"print 'x'": ("syntax", "print"),
    b"except E, e:": ("syntax", ""),
    b"exec 'x'": ("syntax", ""),
    b"if 1:\n\tx\n        y": ("syntax", ""),
}


def findings(text, tmp_path):
    path = tmp_path / "script.py"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return findings_in(path)


@pytest.mark.parametrize("text", FOUND)
def test_what_is_found(text, tmp_path):
    (found,) = findings(text, tmp_path)
    assert (found.kind, found.name, found.column) == FOUND[text]


@pytest.mark.parametrize("text", FREE)
def test_what_is_fine(text, tmp_path):
    assert findings(text, tmp_path) == []


@pytest.mark.parametrize("content", HOSTILE, ids=lambda content: content[:12])
def test_files_of_strangers_are_a_sentence(content, tmp_path):
    kind, text = HOSTILE[content]
    (found,) = findings(content, tmp_path)
    assert found.kind in ((kind,) if kind else ("syntax", "file"))
    assert text.lower() in found.text.lower()
    assert "\n" not in found.text


@pytest.mark.parametrize("make", ["mkdir", "fifo"])
def test_what_is_no_file(make, tmp_path):
    path = tmp_path / "x.py"
    if make == "mkdir":
        path.mkdir()
    else:
        os.mkfifo(path)
    (found,) = findings_in(path)
    assert found.kind == "file"


def run(capsys, *words):
    options = parse(["check", *map(str, words)])
    return options.act(options), capsys.readouterr().out


def test_folders_kinds_and_statuses(tmp_path, capsys):
    for name, text in {
        "a.py": "import mxnet as mx; mx.device",
        "b/c.py": "import numpy as np; np.int",
        ".hidden/d.py": "print 1",
        "venv/pyvenv.cfg": "",
        "venv/e.py": "print 1",
        "f.txt": "print 1",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    status, out = run(capsys, tmp_path)
    assert status == 1
    assert out.splitlines() == [
        f"{tmp_path}/a.py:1:21: missing: mxnova has no mxnet.device (that is MXNet 2; MXNet 1.x has "
        "mx.context)",
        f"{tmp_path}/b/c.py:1:21: numpy: NumPy 2 has no np.int (write int)",
        "2 files: 1 missing, 1 numpy",
    ]
    status, out = run(capsys, tmp_path, "--json", "--ignore", "missing")
    assert status == 1
    (row,) = json.loads(out)["findings"]
    assert (row["file"], row["line"], row["kind"]) == (f"{tmp_path}/b/c.py", 1, "numpy")
    assert run(capsys, tmp_path, "--ignore", "missing", "--ignore", "numpy")[0] == 0
    assert run(capsys, tmp_path / ".hidden" / "d.py")[0] == 2


def test_names_are_checked_without_torch(tmp_path):
    (tmp_path / "x.py").write_text(
        "import mxnet as mx; mx.nd.array([1]).sum(); mx.gluon.nn.Dense(3)"
    )
    code = "import sys; sys.modules['torch'] = None; from mxnova.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "check", str(tmp_path)], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_list_of_deviations_is_of_the_table():
    cells = [line.split("|")[1].strip() for line in TABLE.read_text().splitlines() if "|" in line]
    for name, deviation in DEVIATIONS.items():
        assert any(cell.startswith(deviation.row) for cell in cells), name


def test_what_stands_for_numpys_names_is_what_is_restored():
    restored = {
        *dropped_numpy_names.BUILTINS,
        *dropped_numpy_names.RENAMED,
        *dropped_numpy_names.EXCEPTIONS,
    }
    restored |= {*dropped_numpy_names.NUMBERS, "math", "sctypes", "cast", "nbytes"}
    restored |= numpy_names._functions(np).keys()
    assert dropped_numpy_names.REPLACEMENTS.keys() == restored - {"bool", "long"}
