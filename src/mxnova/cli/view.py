# SPDX-License-Identifier: Apache-2.0
"""``mxnova view``: a model in Netron, which shows networks in a browser."""

from __future__ import annotations

import os
import tempfile
from types import SimpleNamespace

from ..core.base.errors import ArgumentError, MXNetError
from ..core.base.packages import missing_package
from ..formats.checkpoint_files import CheckpointFiles, prefix_of

__all__ = ["view"]

_KNOWN = (".json", ".onnx", ".params", ".pt2", ".safetensors")  # to Netron


def view(options: SimpleNamespace) -> None:
    """Shows a model until Ctrl-C.

    Args:
        options: model, epoch, port, browse.

    Raises:
        MXNetError: Netron is not installed, or the model is of no kind that it can show.
    """
    try:
        import netron
    except ImportError:
        without = f"or draw it: mxnova plot {options.model} -o FILE.html"
        raise MXNetError(f"view: {missing_package('netron', 'view')}; {without}") from None
    with tempfile.TemporaryDirectory(prefix="mxnova-") as folder:
        file = _file(options.model, options.epoch, folder)
        address = ("localhost", options.port or None)
        netron.start(file, address=address, browse=options.browse)  # tells its address
        netron.wait()


def _file(model: str, epoch: int | None, folder: str) -> str:
    """A file that Netron reads: the model's own, or one of the network in `folder`."""
    network = CheckpointFiles.of(prefix_of(model), 0).symbol
    if os.path.isfile(network):
        return network
    if os.path.isfile(model) and model.endswith(_KNOWN):
        return model
    if model.endswith(".mxnova"):
        raise ArgumentError(f"{model}: is compiled, without a network: give what it was made of")
    from ..artefacts import open_model

    return open_model(model, epoch).save(folder)[0]
