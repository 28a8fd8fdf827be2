# SPDX-License-Identifier: Apache-2.0
"""Private names of torch stand in one module; importing mxnova leaves the process as it was."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "mxnova"
BORDER = SOURCE / "core" / "runtime" / "torch_api.py"
PRIVATE = re.compile(
    r"\btorch\._(?!_version__|_file__)|\btorch\.ops\.(?!aten\b)|_execution_engine|import _VF"
    r"|\b(?!self\b|cls\b)\w+\._(base|version|is_zerotensor|backward_hooks|is_view|grad_fn)\b"
)


def test_private_names_stand_in_one_module():
    found = [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path != BORDER
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if PRIVATE.search(line)
    ]
    assert found == []


IMPORTING = """
import gc, locale, logging, os, signal, sys, threading, warnings
import numpy as np
import torch

def state():
    return {
        "threads": {t.name for t in threading.enumerate()},
        "frozen": gc.get_freeze_count(),
        "collector": (gc.isenabled(), gc.get_threshold()),
        "warnings": list(warnings.filters),
        "environment": dict(os.environ),
        "signals": {s: signal.getsignal(s) for s in signal.valid_signals()},
        "hooks": (sys.excepthook, threading.excepthook, sys.displayhook),
        "logging": (logging.root.level, list(logging.root.handlers)),
        "limits": (sys.getrecursionlimit(), sys.getswitchinterval()),
        "numpy": (np.geterr(), np.get_printoptions()),
        "locale": locale.setlocale(locale.LC_ALL),
        "torch": (torch.get_num_threads(), torch.get_default_dtype(), torch.is_grad_enabled(),
                  torch.initial_seed(), torch.backends.mkldnn.flags.__name__),
        "path": list(sys.path),
    }

before = state()
import mxnova.core.runtime.heap as heap
heap.tune = lambda: sys.exit("the allocator is tuned")
import mxnova as mx
for name in MODULES:
    getattr(mx, name)
after = state()
changed = [f"{key}: {before[key]} -> {after[key]}" for key in before if before[key] != after[key]]
sys.exit("; ".join(changed) or 0)
"""
MODULES = "nd np npx sym gluon mod io kv image optimizer autograd contrib rnn profiler metric util"


@pytest.mark.slow
@pytest.mark.parametrize("names", [MODULES.split(), ["nd"]], ids=["all", "arrays"])
def test_importing_leaves_the_process_as_it_was(names):
    code = f"MODULES = {names!r}\n{IMPORTING}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
