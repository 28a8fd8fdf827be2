# SPDX-License-Identifier: Apache-2.0
"""Importing mxnova, or any module of it, leaves the process as it was."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

IMPORTING = """
import atexit, faulthandler, gc, importlib, locale, logging, multiprocessing, os, pkgutil, random
import signal, sys, threading, warnings
import numpy as np
import torch
import torch.utils.dlpack

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
        "random": random.getstate(),
        "numpy": (np.geterr(), np.get_printoptions(), np.random.get_state()[1].tolist()),
        "locale": locale.setlocale(locale.LC_ALL),
        "torch threads": (torch.get_num_threads(), torch.get_num_interop_threads()),
        "torch types": (torch.get_default_dtype(), torch.get_default_device()),
        "torch modes": (torch.is_grad_enabled(), torch.is_inference_mode_enabled(),
                        torch.are_deterministic_algorithms_enabled(),
                        torch.get_float32_matmul_precision(), torch.is_autocast_enabled("cpu")),
        "torch random": torch.get_rng_state().tolist(),
        "torch backends": (torch.backends.mkldnn.enabled, torch.backends.cudnn.enabled,
                           torch.backends.cudnn.benchmark),
    }

before = state()
import mxnova.core.base.collector
import mxnova.core.runtime.heap as heap
from mxnova.core.runtime import cuda_pool, spin_wait
heap.tune = lambda: sys.exit("the allocator is tuned")
spin_wait.watch = lambda: sys.exit("idle threads are watched")
n_modules = 0
for name in NAMES(pkgutil):
    try:
        importlib.import_module(name)
    except ImportError as error:  # of a package that is not installed
        if (error.name or "mxnova").partition(".")[0] == "mxnova":
            raise
    n_modules += 1
after = state()
changed = [f"{key}: {before[key]} -> {after[key]}" for key in before if before[key] != after[key]]
print(n_modules)
sys.exit("; ".join(changed) or 0)
"""

# `as_mxnet` is there to change what `import mxnet` finds, `__main__` is a program.
ALL = """
def NAMES(pkgutil):
    import mxnova
    names = [m.name for m in pkgutil.walk_packages(mxnova.__path__, "mxnova.", onerror=lambda n: None)]
    return [n for n in names if not n.endswith("__main__") and ".as_mxnet" not in n]
"""
ARRAYS = """
def NAMES(pkgutil):
    return ["mxnova.ndarray"]
"""


@pytest.mark.parametrize("names, least", [(ALL, 500), (ARRAYS, 1)], ids=["all", "arrays"])
def test_importing_leaves_the_process_as_it_was(names, least):
    done = subprocess.run(
        [sys.executable, "-c", names + IMPORTING], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) >= least
