# SPDX-License-Identifier: Apache-2.0
"""Importing this module registers every operator."""

from .nn import fully_connected  # noqa: F401
from .nn import softmax  # noqa: F401
from .nn import loss  # noqa: F401
from .tensor import reshape  # noqa: F401
from .tensor import layout  # noqa: F401
from .tensor import slice  # noqa: F401
from .tensor import split  # noqa: F401
from .nn import dropout, rnn  # noqa: F401
from .nn import ctc  # noqa: F401
from .tensor import matmul  # noqa: F401
from .tensor import lookup  # noqa: F401
from .tensor import scatter  # noqa: F401
from .contrib import multibox  # noqa: F401
from .tensor import ordering  # noqa: F401
from .tensor import sequence  # noqa: F401
from .tensor import enlarge  # noqa: F401
from .linalg import products  # noqa: F401
from .linalg import factor  # noqa: F401
from .linalg import diagonal  # noqa: F401
from .contrib import bounding_box  # noqa: F401
from .families import unary  # noqa: F401
from .contrib import proposal  # noqa: F401
from .tensor import attention  # noqa: F401
from .tensor import columns  # noqa: F401
from .tensor import sparse  # noqa: F401
from .tensor import signal  # noqa: F401
from .tensor import hawkes  # noqa: F401
from .tensor import calibration  # noqa: F401
from .nn import convolution  # noqa: F401
from .families import parametric  # noqa: F401
from .families import passthrough  # noqa: F401
from .nn import pooling  # noqa: F401
from .families import binary  # noqa: F401
from .families import scalar  # noqa: F401
from .nn import batch_norm  # noqa: F401
from .nn import normalization  # noqa: F401
from .nn import activation  # noqa: F401
from .families import reduce  # noqa: F401
from .optimizer import adam, adaptive, gradients, lamb, multi_adaptive, multi_sgd, sgd  # noqa: F401
from .nn import spatial  # noqa: F401
from .nn import resize  # noqa: F401
from .nn import correlation  # noqa: F401
from .families import broadcast  # noqa: F401
from .families import creation  # noqa: F401
from .families import cast  # noqa: F401
from .families import legacy  # noqa: F401
from .random import density, discrete, distributions  # noqa: F401
from .families import summary  # noqa: F401
from .nn import roi  # noqa: F401
from .nn import roi_align  # noqa: F401
from .nn import deformable  # noqa: F401
from .image import geometry  # noqa: F401
from .image import resize  # noqa: F401
from .image import color  # noqa: F401
from .image import opencv  # noqa: F401
from .quantized import elementwise, layers, quantize, recurrent  # noqa: F401
from .nn import sparsity  # noqa: F401
