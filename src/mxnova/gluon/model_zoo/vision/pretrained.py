# SPDX-License-Identifier: Apache-2.0
"""Pretrained weights, and constructors named by network sizes, that the model zoo shares."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ....base import data_dir
from ....context import cpu
from ....core.base.doors import leave
from ...block import Block
from ..model_store import get_model_file

CPU = cpu()  # where weights are unless told otherwise
MODELS = os.path.join(data_dir(), "models")  # where weights are looked for unless told otherwise


def load_pretrained(net: Block, name: str, ctx: Any, root: str) -> None:
    """Load the weights of model `name` from the directory `root`, after a download if needed."""
    net.load_parameters(get_model_file(name, root=root), ctx=ctx)


def constructor(
    module: str, name: str, about: str, make: Callable[..., Any], *args: Any, **fixed: Any
) -> Callable[..., Any]:
    """The function `name` of `module`, which calls `make` with `args` and what it is given."""

    def construct(**kwargs: Any) -> Any:
        try:
            return make(*args, **fixed, **kwargs)
        except Exception as error:
            leave(error)
            raise

    construct.__module__, construct.__name__, construct.__qualname__ = module, name, name
    construct.__annotations__["return"] = make.__annotations__["return"]
    construct.__doc__ = f"""{about}

    Args:
        pretrained: whether it has the weights that were published.
        ctx: device, or list of devices, of the weights; CPU unless given.
        root: folder of weights; ``~/.mxnet/models`` unless given.
        classes: number of classes; 1000 unless given.
        **kwargs: of the network.
    """
    return construct
