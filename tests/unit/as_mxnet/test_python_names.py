# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

PROGRAM = """
import fractions
import mxnova.as_mxnet
import base64, collections, collections.abc, inspect, sys, time
from collections import Iterable, MutableMapping

assert Iterable is collections.abc.Iterable and MutableMapping is collections.abc.MutableMapping
assert fractions.gcd(12, 18) == 6
assert base64.decodestring(base64.encodestring(b"bytes")) == b"bytes"
assert time.clock() <= time.clock()
args, varargs, keywords, defaults = inspect.getargspec(lambda a, b=2, *c, **d: None)
assert (args, varargs, keywords, defaults) == (["a", "b"], "c", "d", (2,))
try:
    inspect.getargspec(lambda *, a: None)
except ValueError as error:
    print(error)
assert not any(getattr(f, "_name", None) in ("base64", "fractions") for f in sys.meta_path)
"""


def test_names_that_python_dropped_are_there():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "keyword-only" in done.stdout


def test_what_python_has_is_left_as_it_is():
    code = (
        "import collections, time; before = dict(vars(collections)), dict(vars(time));"
        "import mxnova.as_mxnet;"
        "now = vars(collections), vars(time);"
        "assert all(n[k] is b[k] for b, n in zip(before, now) for k in b)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
