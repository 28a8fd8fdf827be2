# SPDX-License-Identifier: Apache-2.0
"""Prepares child processes of `mxnova run`, then runs what this file stands in front of."""

import importlib
import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))

if importlib.util.find_spec("mxnova") is not None:
    importlib.import_module("mxnova.as_mxnet")

_places = [p for p in sys.path if os.path.abspath(p or os.curdir) != _HERE]
_spec = importlib.machinery.PathFinder.find_spec("sitecustomize", _places)
if _spec is not None and _spec.loader is not None:
    sys.modules["sitecustomize"] = _module = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(_module)
