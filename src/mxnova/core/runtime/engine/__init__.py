# SPDX-License-Identifier: Apache-2.0
"""The engine: runs operations in parallel, in an order that the vars they declare allow."""

from .completion import Completion
from .current import engine, set_engine_type, wait_for_all
from .engine import Engine
from .engines import ENGINES, NaiveEngine, ThreadedEngine, ThreadedEnginePerDevice
from .failures import Failure
from .operation import RUNNING, FnProperty, Operation, Place, Task, Var

__all__ = [
    "ENGINES",
    "RUNNING",
    "Completion",
    "Engine",
    "Failure",
    "FnProperty",
    "NaiveEngine",
    "Operation",
    "Place",
    "Task",
    "ThreadedEngine",
    "ThreadedEnginePerDevice",
    "Var",
    "engine",
    "set_engine_type",
    "wait_for_all",
]
