# SPDX-License-Identifier: Apache-2.0
"""Prepares child processes of `mxnova run`, then runs what this file stands in front of."""

import importlib
import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _next() -> None:
    """The `sitecustomize` that Python would have found without this one."""
    places = [p for p in sys.path if os.path.abspath(p or os.curdir) != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", places)
    if spec is not None and spec.loader is not None:
        sys.modules["sitecustomize"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


if __name__ == "sitecustomize":
    # Servers and schedulers end when they import mxnova, which they must not do in here.
    is_worker = os.environ.get("DMLC_ROLE", "worker") == "worker"
    if is_worker and importlib.util.find_spec("mxnova") is not None:
        importlib.import_module("mxnova.as_mxnet")
    _next()
