# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.symbol.contrib import AdaptiveAvgPooling2D as AdaptiveAvgPooling2D
from mxnova.symbol.contrib import BatchNormWithReLU as BatchNormWithReLU
from mxnova.symbol.contrib import BilinearResize2D as BilinearResize2D
from mxnova.symbol.contrib import CTCLoss as CTCLoss
from mxnova.symbol.contrib import DeformableConvolution as DeformableConvolution
from mxnova.symbol.contrib import DeformablePSROIPooling as DeformablePSROIPooling
from mxnova.symbol.contrib import ModulatedDeformableConvolution as ModulatedDeformableConvolution
from mxnova.symbol.contrib import MultiBoxDetection as MultiBoxDetection
from mxnova.symbol.contrib import MultiBoxPrior as MultiBoxPrior
from mxnova.symbol.contrib import MultiBoxTarget as MultiBoxTarget
from mxnova.symbol.contrib import MultiProposal as MultiProposal
from mxnova.symbol.contrib import PSROIPooling as PSROIPooling
from mxnova.symbol.contrib import Proposal as Proposal
from mxnova.symbol.contrib import ROIAlign as ROIAlign
from mxnova.symbol.contrib import RROIAlign as RROIAlign
from mxnova.symbol.contrib import SparseEmbedding as SparseEmbedding
from mxnova.symbol.contrib import SyncBatchNorm as SyncBatchNorm
from mxnova.symbol.contrib import allclose as allclose
from mxnova.symbol.contrib import arange_like as arange_like
from mxnova.symbol.contrib import bipartite_matching as bipartite_matching
from mxnova.symbol.contrib import boolean_mask as boolean_mask
from mxnova.symbol.contrib import box_decode as box_decode
from mxnova.symbol.contrib import box_encode as box_encode
from mxnova.symbol.contrib import box_iou as box_iou
from mxnova.symbol.contrib import box_nms as box_nms
from mxnova.symbol.contrib import box_non_maximum_suppression as box_non_maximum_suppression
from mxnova.symbol.contrib import calibrate_entropy as calibrate_entropy
from mxnova.symbol.contrib import count_sketch as count_sketch
from mxnova.symbol.contrib import ctc_loss as ctc_loss
from mxnova.symbol.contrib import dequantize as dequantize
from mxnova.symbol.contrib import dgl_adjacency as dgl_adjacency
from mxnova.symbol.contrib import dgl_csr_neighbor_non_uniform_sample as dgl_csr_neighbor_non_uniform_sample
from mxnova.symbol.contrib import dgl_csr_neighbor_uniform_sample as dgl_csr_neighbor_uniform_sample
from mxnova.symbol.contrib import dgl_graph_compact as dgl_graph_compact
from mxnova.symbol.contrib import dgl_subgraph as dgl_subgraph
from mxnova.symbol.contrib import div_sqrt_dim as div_sqrt_dim
from mxnova.symbol.contrib import edge_id as edge_id
from mxnova.symbol.contrib import fft as fft
from mxnova.symbol.contrib import getnnz as getnnz
from mxnova.symbol.contrib import gradientmultiplier as gradientmultiplier
from mxnova.symbol.contrib import group_adagrad_update as group_adagrad_update
from mxnova.symbol.contrib import hawkesll as hawkesll
from mxnova.symbol.contrib import ifft as ifft
from mxnova.symbol.contrib import index_array as index_array
from mxnova.symbol.contrib import index_copy as index_copy
from mxnova.symbol.contrib import interleaved_matmul_encdec_qk as interleaved_matmul_encdec_qk
from mxnova.symbol.contrib import interleaved_matmul_encdec_valatt as interleaved_matmul_encdec_valatt
from mxnova.symbol.contrib import interleaved_matmul_selfatt_qk as interleaved_matmul_selfatt_qk
from mxnova.symbol.contrib import interleaved_matmul_selfatt_valatt as interleaved_matmul_selfatt_valatt
from mxnova.symbol.contrib import quadratic as quadratic
from mxnova.symbol.contrib import quantize as quantize
from mxnova.symbol.contrib import quantize_asym as quantize_asym
from mxnova.symbol.contrib import quantize_v2 as quantize_v2
from mxnova.symbol.contrib import quantized_act as quantized_act
from mxnova.symbol.contrib import quantized_batch_norm as quantized_batch_norm
from mxnova.symbol.contrib import quantized_concat as quantized_concat
from mxnova.symbol.contrib import quantized_conv as quantized_conv
from mxnova.symbol.contrib import quantized_elemwise_add as quantized_elemwise_add
from mxnova.symbol.contrib import quantized_elemwise_mul as quantized_elemwise_mul
from mxnova.symbol.contrib import quantized_embedding as quantized_embedding
from mxnova.symbol.contrib import quantized_flatten as quantized_flatten
from mxnova.symbol.contrib import quantized_fully_connected as quantized_fully_connected
from mxnova.symbol.contrib import quantized_pooling as quantized_pooling
from mxnova.symbol.contrib import quantized_rnn as quantized_rnn
from mxnova.symbol.contrib import requantize as requantize
from mxnova.symbol.contrib import round_ste as round_ste
from mxnova.symbol.contrib import sign_ste as sign_ste
