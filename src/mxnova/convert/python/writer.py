# SPDX-License-Identifier: Apache-2.0
"""``model.py`` and ``model.safetensors``."""

from __future__ import annotations

import datetime
import json
import os

from ... import __version__
from ...core.nd.array import NDArray
from ...core.nd.files import record_of_array
from ...formats import safetensors
from ...formats.atomic import replacing
from ...predictor.picture import Picture
from ..request import Request
from .graph import steps_of
from .layout import folded
from .names import quoted
from .network import Network
from .preprocess import preprocess_text

__all__ = ["tell_proof", "text_of", "write"]

_UNPROVED = "Proof: none."
_LOAD = '''

WEIGHTS = Path(__file__).with_suffix(".safetensors")


def load(path=WEIGHTS):
    """The model with its weights, for inference."""
    model = Model()
    model.load_state_dict(load_file(path), assign=True)
    return model.eval()
'''


def write(request: Request, path: str) -> None:
    """Writes the file and, beside it, its weights.

    Raises:
        MXNetError: nodes that cannot be written as Python.
    """
    text, network = text_of(request)
    compile(text, path, "exec")
    tensors = network.tensors.items()
    arrays = {key: record_of_array(NDArray(t.contiguous())) for key, t in tensors}
    facts = {
        "format": "pt",
        **request.model.facts,
        "mxnet.nodes": json.dumps(network.nodes),
        "mxnet.inputs": json.dumps(network.arguments),
        "mxnet.types": json.dumps(request.typed[1]),
    }
    safetensors.write(f"{os.path.splitext(path)[0]}.safetensors", arrays, facts)
    with replacing(path) as file:
        file.write(text.encode())


def text_of(request: Request) -> tuple[str, Network]:
    """The file, and the network that it holds.

    Raises:
        MXNetError: nodes that cannot be written as Python.
    """
    network = Network(steps_of(request))
    preprocess = preprocess_text(_fitted(request))
    lines = [
        *_header(request, network),
        *_imports([*network.lines, preprocess]),
        *folded(network.lines),
    ]
    return "\n".join(lines) + "\n" + _LOAD + preprocess, network


def _fitted(request: Request) -> Picture | None:
    """How an image becomes an input, of the size that the input has."""
    images = [shape for shape in request.shapes.values() if len(shape) == 4]
    if request.picture is None or len(images) != 1:
        return request.picture
    return request.picture.fitted([s if isinstance(s, int) else -1 for s in images[0]])


def tell_proof(path: str, line: str) -> None:
    """Writes into the file's header how it compared with its source."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with replacing(path) as target:
        target.write(text.replace(_UNPROVED, f"Proof: {quoted(line)}.", 1).encode())


def _header(request: Request, network: Network) -> list[str]:
    model = request.model
    names = ", ".join(quoted(os.path.basename(path)) for path in model.files)
    return [
        f'"""{names}, epoch {model.epoch}, as a PyTorch model.',
        "",
        f"Made by mxnova {__version__} on {datetime.date.today().isoformat()} of files with these"
        " SHA-256:",
        "",
        *[f"  {digest}  {quoted(name)}" for name, digest in model.hashes.items()],
        "",
        *[_input(name, network.arguments[name], request) for name in request.shapes],
        _UNPROVED,
        '"""',
        "",
    ]


def _input(name: str, argument: str, request: Request) -> str:
    sizes = " x ".join(map(str, request.shapes[name]))
    known = quoted(name) if name == argument else f"{quoted(name)} (argument {argument})"
    dtype = request.typed[1][name]
    suffix = "" if dtype == "float32" else f" and dtype {dtype}"
    return f"Input {known} has shape {quoted(sizes)}{suffix}."


def _imports(lines: list[str]) -> list[str]:
    text = "\n".join(lines)
    needs_function = "F." in text
    return [
        "from pathlib import Path",
        "",
        *(["import torch"] if "torch." in text else []),
        *(["import torch.nn.functional as F"] if needs_function else []),
        "from safetensors.torch import load_file",
        "from torch import nn",
        "",
        "",
    ]
