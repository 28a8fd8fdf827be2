# SPDX-License-Identifier: Apache-2.0
"""How programs are registered, run and described.

A program takes a kit (the package `mx`, its `nd` and `autograd` as `ag`, `leaf` to make an array
with a gradient) and a leaf of shape (2, 2); what it gives, or the error it raises, is compared.
"""

import json
import re
from types import SimpleNamespace

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def kit_of(mx):
    def leaf(values, req="write", dtype="float32"):
        array = mx.nd.array(values, dtype=dtype)
        array.attach_grad(req)
        return array

    return SimpleNamespace(mx=mx, nd=mx.nd, ag=mx.autograd, leaf=leaf)


def outcome(mx, name):
    """What a program gives, or the class of the error that it raises, in a form for JSON."""
    kit = kit_of(mx)
    kit.ag.set_recording(False)
    kit.ag.set_training(False)
    try:
        result = describe(mx, PROGRAMS[name](kit, kit.leaf([[1, 2], [3, 4]])))
        mx.nd.waitall()
    except Exception as error:  # noqa: BLE001 - some programs must raise
        return {"error": [c.__name__ for c in type(error).__mro__]}
    finally:
        kit.ag.set_recording(False)
        kit.ag.set_training(False)
    return {"result": result}


def describe(mx, value):
    if isinstance(value, (list, tuple)):
        return [describe(mx, v) for v in value]
    if isinstance(value, mx.nd.NDArray):
        values = value.asnumpy()
        return {"dtype": values.dtype.name, "shape": values.shape, "values": values.tolist()}
    return value


def graph_of(symbol):
    """Operators and inputs of a symbol; variables with their kind, counted from the first."""
    nodes = json.loads(symbol.tojson())["nodes"]
    variables = [re.fullmatch(r"(var|null)(\d+)", n["name"]) for n in nodes if n["op"] == "null"]
    first = min(int(v[2]) for v in variables)
    names = iter(f"{v[1]}{int(v[2]) - first}" for v in variables)
    shown = []
    for node in nodes:
        if node["op"] != "null" and not node["name"].startswith("node_"):
            raise ValueError(f"a node called {node['name']}")
        name = next(names) if node["op"] == "null" else "node"
        shown.append([node["op"], name, [i[:2] for i in node["inputs"]]])
    return shown
