# SPDX-License-Identifier: Apache-2.0
"""Programs in processes that lack what Windows and macOS lack."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[3] / "src"

# What a system without forks, fcntl, files in memory and glibc has not. NumPy and torch come first:
# they are built for a platform, ours are not.
BARE = """
import ctypes, os, sys
import numpy, torch, torch.utils.dlpack, torch.fx, multiprocessing.util, multiprocessing.reduction
import multiprocessing.shared_memory, multiprocessing.resource_tracker, tempfile, subprocess
import concurrent.futures, logging, mmap, shutil
for name in ("fork", "register_at_fork", "memfd_create", "sysconf", "posix_fadvise", "O_NONBLOCK"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
class NoLibrary:
    def __init__(self, *_args, **_options):
        raise TypeError("there is no C library to load")
ctypes.CDLL = NoLibrary
sys.platform = PLATFORM
"""

MODEL = """
import numpy as np
import mxnova as mx
rng = np.random.RandomState(0)
data, label = mx.sym.var("data"), mx.sym.var("softmax_label")
hidden = mx.sym.Activation(mx.sym.FullyConnected(data, num_hidden=16, name="a"), act_type="relu")
net = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(hidden, num_hidden=3, name="b"), label)
executor = net.simple_bind(mx.cpu(), data=(32, 8), softmax_label=(32,))
for name, array in executor.arg_dict.items():
    array[:] = rng.standard_normal(array.shape) * 0.3
executor.arg_dict["softmax_label"][:] = executor.arg_dict["data"].asnumpy()[:, :3].argmax(1)
accuracy = []
for _ in range(150):
    (out,) = executor.forward(is_train=True)
    accuracy.append((out.argmax(1) == executor.arg_dict["softmax_label"]).mean().asscalar())
    executor.backward()
    for name in ("a_weight", "a_bias", "b_weight", "b_bias"):
        mx.nd.sgd_update(executor.arg_dict[name], executor.grad_dict[name], lr=0.05,
                         out=executor.arg_dict[name])
assert accuracy[-1] > 0.9 > accuracy[0], accuracy
"""

ENGINE = """
import threading
from mxnova.core.runtime.engine import Var, engine
from mxnova.core.runtime.resource import ResourceManager, seed
import mxnova as mx
var, seen = Var(), []
for i in range(100):
    engine().push_async(lambda done, i=i: (seen.append(i), done()), writes=[var])
mx.nd.waitall()
assert seen == list(range(100)), seen
mx.random.seed(3)
assert mx.nd.random.uniform(shape=(10,)).shape == (10,)
ResourceManager.get().request(mx.cpu(), "temp_space").get((10,))
mx.nd.ones((3,), ctx=mx.Context("cpu_pinned", 0)).wait_to_read()
mx.profiler.set_config(profile_all=True, filename="profile.json")
mx.profiler.set_state("run")
(mx.nd.ones((3,)) + 1).wait_to_read()
mx.profiler.set_state("stop")
mx.profiler.dump()
"""

FILES = """
import mxnova as mx
mx.nd.save("вес.params", {"arg:é": mx.nd.ones((2, 3))})
assert mx.nd.load("вес.params")["arg:é"].sum().asscalar() == 6
mx.nd.save("вес.params", {"arg:é": mx.nd.zeros((2, 3))})
assert mx.nd.load("вес.params", mmap=False)["arg:é"].sum().asscalar() == 0
mx.sym.var("é").save("s.json")
assert b"\\r" not in open("s.json", "rb").read()
assert mx.sym.load("s.json").list_arguments() == ["é"]
record = mx.recordio.MXIndexedRecordIO("r.idx", "r.rec", "w")
record.write_idx(0, b"payload")
record.close()
assert open("r.idx", "rb").read() == b"0\\t0\\n"
record = mx.recordio.MXIndexedRecordIO("r.idx", "r.rec", "r")
assert record.read_idx(0) == b"payload"
record.close()
"""

SHARED = """
import gc, pickle
from multiprocessing.reduction import ForkingPickler
import mxnova as mx
from mxnova.core.runtime import named_shared_memory
from mxnova.core.runtime.shared_memory import Block
assert Block is named_shared_memory.Block
array = mx.nd.array([[0, 1, 2], [3, 4, 5]], ctx=mx.Context("cpu_shared", 0))
for _ in range(3):
    received = pickle.loads(ForkingPickler.dumps(array[1]))
    received[0] = received[0] + 10
    assert array.asnumpy().tolist()[1] == received.asnumpy().tolist()
assert array[1, 0].asscalar() == 33
twice = ForkingPickler.dumps(array)
pickle.loads(twice)
try:
    pickle.loads(twice)
    raise SystemExit("received twice")
except mx.MXNetError as error:
    assert "gone" in str(error)
del array, received
gc.collect()
named_shared_memory._release_received()
assert not named_shared_memory._sent and not named_shared_memory._blocks and not named_shared_memory._in_use
"""

# fmt: off
PROGRAMS = {"model": MODEL, "engine": ENGINE, "files": FILES, "shared memory": SHARED}
# fmt: on


def run(platform, program, folder):
    code = BARE.replace("PLATFORM", repr(platform)) + program
    environment = os.environ | {"PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-X", "warn_default_encoding", "-W", "error::EncodingWarning"]
    return subprocess.run(
        [*command, "-c", code], cwd=folder, env=environment, capture_output=True, text=True
    )


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_programs_run_where_there_is_no_fork_no_fcntl_and_no_glibc(platform, tmp_path):
    result = run(platform, "".join(PROGRAMS.values()), tmp_path)
    assert result.returncode == 0, result.stderr[-3000:]
    assert result.stderr == ""
    assert not [n for n in os.listdir(tmp_path) if n.endswith(".tmp")]


def opens_text_without_encoding(call):
    """Whether a call opens text in the encoding of whatever system it runs on."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if (
        name not in ("read_text", "write_text", "TextIOWrapper")
        and ast.unparse(call.func) != "open"
    ):
        return False
    modes = [ast.unparse(a) for a in call.args[1:2]] + [ast.unparse(k.value) for k in call.keywords]
    is_binary = name == "open" and any("b" in mode or mode == "mode" for mode in modes)
    return not is_binary and "encoding" not in [keyword.arg for keyword in call.keywords]


@pytest.mark.parametrize(
    "code, expected",
    [
        ("open(p)", True),
        ("open(p, 'w')", True),
        ("p.read_text()", True),
        ("io.TextIOWrapper(f, newline='')", True),
        ("open(p, 'rb')", False),
        ("open(p, 'w', encoding='utf-8')", False),
        ("os.open(p, 0)", False),
    ],
)
def test_text_without_an_encoding_is_noticed(code, expected):
    assert opens_text_without_encoding(ast.parse(code, mode="eval").body) == expected


def test_text_is_opened_with_an_encoding():
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        calls = [n for n in ast.walk(ast.parse(path.read_bytes())) if isinstance(n, ast.Call)]
        found += [f"{path}:{n.lineno}" for n in calls if opens_text_without_encoding(n)]
    assert found == []
