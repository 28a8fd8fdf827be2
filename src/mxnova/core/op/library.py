# SPDX-License-Identifier: Apache-2.0
"""Importing this module registers every operator."""

# ruff: noqa: F401
from . import numpy
from .contrib import bounding_box, dgl, multibox, proposal
from .families import (
    binary,
    broadcast,
    cast,
    creation,
    legacy,
    parametric,
    passthrough,
    reduce,
    scalar,
    summary,
    unary,
)
from .image import color, geometry, opencv
from .image import resize as image_resize
from .linalg import diagonal, factor, products
from .nn import (
    activation,
    batch_norm,
    convolution,
    correlation,
    ctc,
    deformable,
    dropout,
    fully_connected,
    loss,
    normalization,
    pooling,
    resize,
    rnn,
    roi,
    roi_align,
    softmax,
    sparsity,
    spatial,
)
from .optimizer import adam, adaptive, gradients, lamb, multi_adaptive, multi_rates, multi_sgd, sgd
from .quantized import elementwise, fused, layers, quantize, recurrent
from .random import density, discrete, distributions
from .sparse import arithmetic, dot, structure, updates
from .tensor import (
    attention,
    calibration,
    columns,
    cumulative,
    enlarge,
    hawkes,
    layout,
    lookup,
    matmul,
    ordering,
    reshape,
    scatter,
    sequence,
    signal,
    slice,
    sparse,
    split,
)
