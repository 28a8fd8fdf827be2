# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

CHECK = """
def _require_pytorch_version(low, high):
    import torch
    raise RuntimeError(f"torch {torch.__version__} is not below {high}")
"""
PROGRAM = """
import mxnova.as_mxnet
from gluoncv.check import _require_pytorch_version
try:
    _require_pytorch_version("1.4.0", "2.0.0")
except ImportError as error:
    print(error)
"""


def test_gluoncv_goes_on_with_mxnet(tmp_path):
    (tmp_path / "gluoncv").mkdir()
    (tmp_path / "gluoncv" / "__init__.py").touch()
    (tmp_path / "gluoncv" / "check.py").write_text(CHECK)
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "mxnova" in ran.stdout


def test_multiprocessing_has_its_pool():
    program = "import mxnova.as_mxnet, multiprocessing; print(multiprocessing.pool.ThreadPool)"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "ThreadPool" in ran.stdout


SAVES = """
import numpy as np

def save_state(file):
    np.save(file, [np.arange(2), np.arange(3)], allow_pickle=True)
    np.save(file, np.arange(4))
    return np.load
"""


def test_sockeye_saves_the_order_of_buckets_of_unequal_lengths(tmp_path):
    (tmp_path / "sockeye").mkdir()
    (tmp_path / "sockeye" / "__init__.py").touch()
    (tmp_path / "sockeye" / "data_io.py").write_text(SAVES)
    program = (
        "import mxnova.as_mxnet; from sockeye import data_io;"
        "file = open('state', 'w+b'); load = data_io.save_state(file); file.seek(0);"
        "print([x.tolist() for x in load(file, allow_pickle=True)], load(file).tolist())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.strip() == "[[0, 1], [0, 1, 2]] [0, 1, 2, 3]"


def test_minpy_finds_the_operators_in_the_modules_dictionary(tmp_path):
    folder = tmp_path / "minpy" / "array_variants" / "mxnet"
    folder.mkdir(parents=True)
    for package in (folder, *folder.parents[:2]):
        (package / "__init__.py").write_text("import mxnet\n")
    program = (
        "import mxnova.as_mxnet, minpy.array_variants.mxnet, mxnet as mx;"
        "found = mx.nd.__dict__;"
        "print(found['tanh'](mx.nd.zeros(2)).sum().asscalar(), found['dot'] is mx.nd.dot)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.strip() == "0.0 True"
