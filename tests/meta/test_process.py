# SPDX-License-Identifier: Apache-2.0
"""Importing mxnova, or any module of it, leaves the process as it was."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

IMPORTING = """
import faulthandler, gc, importlib, locale, logging, multiprocessing, os, random
import signal, sys, threading, warnings
import numpy as np
import rich.style  # draws a number
import torch
import torch.utils.dlpack
try:
    import exceptiongroup  # anyio's, which Starlette needs: on Python 3.10 it sets a hook
except ImportError:
    pass

def state():
    return {
        "threads": {t.name for t in threading.enumerate()},
        "stack size": threading.stack_size(),
        "frozen": gc.get_freeze_count(),
        "collector": (gc.isenabled(), gc.get_threshold(), gc.get_debug()),
        "warnings": list(warnings.filters),
        "environment": dict(os.environ),
        "signals": {s: signal.getsignal(s) for s in signal.valid_signals()},
        "alarm": signal.getitimer(signal.ITIMER_REAL),
        "faults": faulthandler.is_enabled(),
        "hooks": (sys.excepthook, threading.excepthook, sys.displayhook, sys.unraisablehook),
        "traces": (sys.gettrace(), sys.getprofile()),
        "imports": (list(sys.path), list(sys.meta_path), list(sys.path_hooks)),
        "streams": (sys.stdin, sys.stdout, sys.stderr),
        "logging": (logging.root.level, list(logging.root.handlers), logging.raiseExceptions),
        "limits": (sys.getrecursionlimit(), sys.getswitchinterval(), sys.flags),
        "folder": os.getcwd(),
        "processes": multiprocessing.get_start_method(allow_none=True),
        "random": hash(random.getstate()),
        "numpy": (np.geterr(), np.get_printoptions(), hash(np.random.get_state()[1].tobytes())),
        "locale": locale.setlocale(locale.LC_ALL),
        "torch threads": (torch.get_num_threads(), torch.get_num_interop_threads()),
        "torch types": (torch.get_default_dtype(), torch.get_default_device()),
        "torch modes": (torch.is_grad_enabled(), torch.is_inference_mode_enabled(),
                        torch.are_deterministic_algorithms_enabled(),
                        torch.get_float32_matmul_precision(), torch.is_autocast_enabled("cpu")),
        "torch random": hash(torch.get_rng_state().numpy().tobytes()),
        "torch backends": (torch.backends.mkldnn.enabled, torch.backends.cudnn.enabled,
                           torch.backends.cudnn.benchmark),
    }

before = state()
import mxnova.core.base.gc_pause
import mxnova.core.runtime.heap as heap
from mxnova.core.runtime import cuda_pool, spin_wait
heap.tune = lambda: sys.exit("the allocator is tuned")
spin_wait.watch = lambda: sys.exit("idle threads are watched")
for name in NAMES:
    try:
        importlib.import_module(name)
    except ImportError as error:  # of a package that is not installed
        if (error.name or "mxnova").partition(".")[0] == "mxnova":
            raise
after = state()
changed = [f"{key}: {before[key]} -> {after[key]}" for key in before if before[key] != after[key]]
sys.exit("; ".join(changed) or 0)
"""

SOURCE = Path(__file__).parents[2] / "src"
# `as_mxnet` is there to change what `import mxnet` finds, `__main__` is a program.
ALL = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCE.rglob("*.py"))
    if not {"as_mxnet", "__main__.py"} & set(path.parts)
]


@pytest.mark.parametrize("names", [ALL, ["mxnova.ndarray"]], ids=["all", "arrays"])
def test_importing_leaves_the_process_as_it_was(names):
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING.replace("NAMES", repr(names))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
