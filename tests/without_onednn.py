# SPDX-License-Identifier: Apache-2.0
"""Takes oneDNN from torch, as builds for Apple's and Jetson's processors lack it.

``MXNOVA_TEST_WITHOUT=onednn pytest …`` runs tests so.
"""

import types

import torch

__all__ = ["mask"]


def _refused(*_args, **_options):
    raise RuntimeError("ATen not compiled with MKLDNN support")


def mask():
    """From now on oneDNN is absent: its operators, layout and functions, also inside of ATen."""
    torch.backends.mkldnn.is_available = lambda: False
    torch.backends.mkldnn.set_flags(False)
    torch.ops.mkldnn = types.ModuleType("torch.ops.mkldnn")
    torch.mkldnn_convolution = _refused
    torch.Tensor.to_mkldnn = _refused
