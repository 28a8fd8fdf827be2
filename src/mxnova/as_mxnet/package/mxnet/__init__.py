# SPDX-License-Identifier: Apache-2.0
"""MXNet's name for mxnova: `import mxnet` gives mxnova's modules."""

import importlib
import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _others():
    """An `mxnet` further down the path, for a Python without mxnova that inherited this one."""
    places = [p for p in sys.path if os.path.abspath(p or os.curdir) != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("mxnet", places)
    if spec is None or spec.loader is None:
        raise ImportError(f"this mxnet is a name for mxnova, which {sys.executable} lacks")
    sys.modules["mxnet"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


# What stands in sys.modules at the end is what the import gives.
del sys.modules["mxnet"]
if importlib.util.find_spec("mxnova") is None:
    _others()
else:
    importlib.import_module("mxnova.as_mxnet")
    importlib.import_module("mxnet")
