# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import Context as Context
from mxnova.ndarray.ndarray import NDArray as NDArray

def AdaptiveAvgPooling2D(data: NDArray | None = None, output_size: int | Sequence[int] | None = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Mean of each of `output_size` nearly equal, perhaps overlapping parts of an image."""
def BatchNormWithReLU(data: NDArray | None = None, gamma: NDArray | None = None, beta: NDArray | None = None, moving_mean: NDArray | None = None, moving_var: NDArray | None = None, eps: float = 0.0010000000474974513, momentum: float = 0.8999999761581421, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, axis: int = 1, cudnn_off: bool = False, min_calib_range: float | None = None, max_calib_range: float | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """BatchNorm followed by relu."""
def BilinearResize2D(data: NDArray | None = None, like: NDArray | None = None, height: int = 1, width: int = 1, scale_height: float | None = None, scale_width: float | None = None, mode: Literal['like', 'odd_scale', 'size', 'to_even_down', 'to_even_up', 'to_odd_down', 'to_odd_up'] = 'size', align_corners: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Images brought to another size by bilinear interpolation."""
def CTCLoss(data: NDArray | None = None, label: NDArray | None = None, data_lengths: NDArray | None = None, label_lengths: NDArray | None = None, use_data_lengths: bool = False, use_label_lengths: bool = False, blank_label: Literal['first', 'last'] = 'first', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Negative log-probability of label sequences under unaligned predictions, (batch,)."""
def DeformableConvolution(data: NDArray | None = None, offset: NDArray | None = None, weight: NDArray | None = None, bias: NDArray | None = None, kernel: int | Sequence[int] = ..., stride: int | Sequence[int] | None = (), dilate: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), num_filter: int = ..., num_group: int = 1, num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False, layout: Literal['NCDHW', 'NCHW', 'NCW', None] = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Convolution whose window's items are moved by `offset`."""
def DeformablePSROIPooling(data: NDArray | None = None, rois: NDArray | None = None, trans: NDArray | None = None, spatial_scale: float = ..., output_dim: int = ..., group_size: int = ..., pooled_size: int = ..., part_size: int = 0, sample_per_part: int = 1, trans_std: float = 0.0, no_trans: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The mean of samples in each bin of each region, bins moved by learned shares of the region."""
def ModulatedDeformableConvolution(data: NDArray | None = None, offset: NDArray | None = None, mask: NDArray | None = None, weight: NDArray | None = None, bias: NDArray | None = None, kernel: int | Sequence[int] = ..., stride: int | Sequence[int] | None = (), dilate: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), num_filter: int = ..., num_group: int = 1, num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False, im2col_step: int = 64, layout: Literal['NCDHW', 'NCHW', 'NCW', None] = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """DeformableConvolution whose moved items are also weighted by `mask`."""
def MultiBoxDetection(cls_prob: NDArray | None = None, loc_pred: NDArray | None = None, anchor: NDArray | None = None, clip: bool = True, threshold: float = 0.009999999776482582, background_id: int = 0, nms_threshold: float = 0.5, force_suppress: bool = False, variances: float | Sequence[float] = (0.10000000149011612, 0.10000000149011612, 0.20000000298023224, 0.20000000298023224), nms_topk: int = -1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Boxes found: (batch, anchors, 6) of class, score, left, top, right, bottom, by falling score."""
def MultiBoxPrior(data: NDArray | None = None, sizes: float | Sequence[float] = (1.0,), ratios: float | Sequence[float] = (1.0,), clip: bool = False, steps: float | Sequence[float] = (-1.0, -1.0), offsets: float | Sequence[float] = (0.5, 0.5), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Anchor boxes centered on every cell of a feature map, (1, cells × anchors, 4)."""
def MultiBoxTarget(anchor: NDArray | None = None, label: NDArray | None = None, cls_pred: NDArray | None = None, overlap_threshold: float = 0.5, ignore_label: float = -1.0, negative_mining_ratio: float = -1.0, negative_mining_thresh: float = 0.5, minimum_negative_samples: int = 0, variances: float | Sequence[float] = (0.10000000149011612, 0.10000000149011612, 0.20000000298023224, 0.20000000298023224), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Compute the training targets of each anchor: location offsets, their mask, and classes."""
def MultiProposal(cls_prob: NDArray | None = None, bbox_pred: NDArray | None = None, im_info: NDArray | None = None, rpn_pre_nms_top_n: int = 6000, rpn_post_nms_top_n: int = 300, threshold: float = 0.699999988079071, rpn_min_size: int = 16, scales: float | Sequence[float] = (4.0, 8.0, 16.0, 32.0), ratios: float | Sequence[float] = (0.5, 1.0, 2.0), feature_stride: int = 16, output_score: bool = False, iou_loss: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Best non-overlapping boxes of each image: rows of image number, left, top, right, bottom."""
def PSROIPooling(data: NDArray | None = None, rois: NDArray | None = None, spatial_scale: float = ..., output_dim: int = ..., pooled_size: int = ..., group_size: int = 0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The mean of each bin of each region, every bin from channels of its own."""
def Proposal(cls_prob: NDArray | None = None, bbox_pred: NDArray | None = None, im_info: NDArray | None = None, rpn_pre_nms_top_n: int = 6000, rpn_post_nms_top_n: int = 300, threshold: float = 0.699999988079071, rpn_min_size: int = 16, scales: float | Sequence[float] = (4.0, 8.0, 16.0, 32.0), ratios: float | Sequence[float] = (0.5, 1.0, 2.0), feature_stride: int = 16, output_score: bool = False, iou_loss: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Best non-overlapping boxes of each image: rows of image number, left, top, right, bottom."""
def ROIAlign(data: NDArray | None = None, rois: NDArray | None = None, pooled_size: int | Sequence[int] = ..., spatial_scale: float = ..., sample_ratio: int = -1, position_sensitive: bool = False, aligned: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The mean of samples on a grid in each bin of each region, (regions, channels, *pooled_size)."""
def RROIAlign(data: NDArray | None = None, rois: NDArray | None = None, pooled_size: int | Sequence[int] = ..., spatial_scale: float = ..., sampling_ratio: int = -1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """ROIAlign of rotated regions."""
def SparseEmbedding(data: NDArray | None = None, weight: NDArray | None = None, input_dim: int = ..., output_dim: int = ..., dtype: str | type[Any] | _np.dtype[Any] = 'float32', deterministic: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`Embedding` as files of early MXNet name it."""
def SyncBatchNorm(data: NDArray | None = None, gamma: NDArray | None = None, beta: NDArray | None = None, moving_mean: NDArray | None = None, moving_var: NDArray | None = None, eps: float = 0.0010000000474974513, momentum: float = 0.8999999761581421, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, ndev: int = 1, key: str = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """BatchNorm of channels along axis 1, with the statistics of this process's batch."""
def adamw_update(weight: NDArray, grad: NDArray, mean: NDArray, var: NDArray, rescale_grad: Any, lr: float, eta: float, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-08, wd: float = 0, clip_gradient: float = -1, out: Any = None, name: str | None = None, **kwargs: Any) -> Any: ...
def allclose(a: NDArray | None = None, b: NDArray | None = None, rtol: float = 9.999999747378752e-06, atol: float = 9.99999993922529e-09, equal_nan: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 if ``|a - b| <= atol + rtol * |b|`` for all elements, else 0: a uint8 scalar."""
def arange_like(data: NDArray | None = None, start: float = 0.0, step: float = 1.0, repeat: int = 1, ctx: str = '', axis: int | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """start, start + step, … as many as data has elements, or is long along an axis."""
def bipartite_matching(data: NDArray | None = None, is_ascend: bool = False, threshold: float = ..., topk: int = -1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Greedy pairs of rows and columns: the column of each row, the row of each column, or -1."""
def boolean_mask(data: NDArray | None = None, index: NDArray | None = None, axis: int = 0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The slices of `data` along the first axis whose entry in `index` is not zero."""
def box_decode(data: NDArray | None = None, anchors: NDArray | None = None, std0: float = 1.0, std1: float = 1.0, std2: float = 1.0, std3: float = 1.0, clip: float = -1.0, format: Literal['center', 'corner'] = 'center', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Corners of boxes given by their offsets from anchors, (batch, boxes, 4)."""
def box_encode(samples: NDArray | None = None, matches: NDArray | None = None, anchors: NDArray | None = None, refs: NDArray | None = None, means: NDArray | None = None, stds: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Offsets of the matched boxes from their anchors, normalized, and which of them count."""
def box_iou(lhs: NDArray | None = None, rhs: NDArray | None = None, format: Literal['center', 'corner'] = 'corner', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Overlap of every box of `lhs` with every one of `rhs`: intersection over union."""
def box_nms(data: NDArray | None = None, overlap_thresh: float = 0.5, valid_thresh: float = 0.0, topk: int = -1, coord_start: int = 2, score_index: int = 1, id_index: int = -1, background_id: int = -1, force_suppress: bool = False, in_format: Literal['center', 'corner'] = 'corner', out_format: Literal['center', 'corner'] = 'corner', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Greedy non-maximum suppression: the kept rows by falling score, then rows of -1."""
def box_non_maximum_suppression(data: NDArray | None = None, overlap_thresh: float = 0.5, valid_thresh: float = 0.0, topk: int = -1, coord_start: int = 2, score_index: int = 1, id_index: int = -1, background_id: int = -1, force_suppress: bool = False, in_format: Literal['center', 'corner'] = 'corner', out_format: Literal['center', 'corner'] = 'corner', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Greedy non-maximum suppression: the kept rows by falling score, then rows of -1."""
def calibrate_entropy(hist: NDArray | None = None, hist_edges: NDArray | None = None, num_quantized_bins: int = 255, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """The clipping threshold of smallest Kullback-Leibler divergence, and that divergence."""
def cond(pred: Any, then_func: Callable[[], Any], else_func: Callable[[], Any]) -> Any: ...
def count_sketch(data: NDArray | None = None, h: NDArray | None = None, s: NDArray | None = None, out_dim: int = ..., processing_batch_size: int = 32, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Random projection of the last axis: element i is added to place h[i] with sign s[i]."""
def ctc_loss(data: NDArray | None = None, label: NDArray | None = None, data_lengths: NDArray | None = None, label_lengths: NDArray | None = None, use_data_lengths: bool = False, use_label_lengths: bool = False, blank_label: Literal['first', 'last'] = 'first', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Negative log-probability of label sequences under unaligned predictions, (batch,)."""
from mxnova.ndarray.ndarray import current_context as current_context
def dequantize(data: NDArray | None = None, min_range: NDArray | None = None, max_range: NDArray | None = None, out_type: str | type[Any] | _np.dtype[Any] = 'float32', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Dequantize 8-bit integers to real numbers."""
def dgl_adjacency(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1.0 for each edge of a graph, csr of the graph's shape."""
def dgl_csr_neighbor_non_uniform_sample(*seed_arrays: NDArray | Sequence[NDArray], num_args: int = ..., num_hops: int = 1, num_neighbor: int = 2, max_num_vertices: int = 100, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Sampled neighborhoods, likely neighbors preferred."""
def dgl_csr_neighbor_uniform_sample(*seed_arrays: NDArray | Sequence[NDArray], num_args: int = ..., num_hops: int = 1, num_neighbor: int = 2, max_num_vertices: int = 100, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Sampled neighborhoods: from each vertex reached, some edges chosen at random are followed."""
def dgl_graph_compact(*graph_data: NDArray | Sequence[NDArray], num_args: int = ..., return_mapping: bool = ..., graph_sizes: int | Sequence[int] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Sampled neighborhoods as graphs of their own: csr (size, size), without empty rows."""
def dgl_subgraph(*data: NDArray | Sequence[NDArray], num_args: int = ..., return_mapping: bool = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """The edges between given vertices, csr (vertices, vertices), for each array of vertices."""
def div_sqrt_dim(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """data / √n, where n is the length of its last axis: how attention scores are scaled."""
def edge_id(data: NDArray | None = None, u: NDArray | None = None, v: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The stored value of each edge from `u` to `v`, -1 where there is no edge."""
def fft(data: NDArray | None = None, compute_size: int = 128, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Fourier transform of the last axis; real and imaginary parts alternate in the result."""
def foreach(body: Callable[[Any, Any], tuple[Any, Any]], data: Any, init_states: Any) -> tuple[Any, Any]: ...
def getnnz(data: NDArray | None = None, axis: int | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The number of stored elements."""
def gradientmultiplier(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A copy of data whose gradient is multiplied by scalar; a negative one reverses it."""
def group_adagrad_update(weight: NDArray | None = None, grad: NDArray | None = None, history: NDArray | None = None, lr: float = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, epsilon: float = 9.999999747378752e-06, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """AdaGrad with one learning rate per row: ``weight - lr * grad / sqrt(history + epsilon)``."""
def hawkesll(lda: NDArray | None = None, alpha: NDArray | None = None, beta: NDArray | None = None, state: NDArray | None = None, lags: NDArray | None = None, marks: NDArray | None = None, valid_length: NDArray | None = None, max_time: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Log-likelihood of marked Hawkes processes with exponential kernels, and their memory."""
def ifft(data: NDArray | None = None, compute_size: int = 128, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Real part of the inverse Fourier transform of the last axis, not divided by its size."""
def index_array(data: NDArray | None = None, axes: int | Sequence[int] | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The position of each element: int64, of the shape of data and one axis more."""
def index_copy(old_tensor: NDArray | None = None, index_vector: NDArray | None = None, new_tensor: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`old_tensor` with some of its slices along the first axis replaced."""
def interleaved_matmul_encdec_qk(queries: NDArray | None = None, keys_values: NDArray | None = None, heads: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Scores of encoder-decoder attention, over the root of the head size."""
def interleaved_matmul_encdec_valatt(keys_values: NDArray | None = None, attention: NDArray | None = None, heads: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Values of encoder-decoder attention, weighted: (queries, batch, heads · head size)."""
def interleaved_matmul_selfatt_qk(queries_keys_values: NDArray | None = None, heads: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Scores of self-attention: products of queries and keys over the root of the head size."""
def interleaved_matmul_selfatt_valatt(queries_keys_values: NDArray | None = None, attention: NDArray | None = None, heads: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Values of self-attention, weighted by `attention`: (length, batch, heads · head size)."""
def isfinite(data: NDArray) -> NDArray: ...
def isinf(data: NDArray) -> NDArray: ...
def isnan(data: NDArray) -> NDArray: ...
def mp_adamw_update(weight: NDArray, grad: NDArray, mean: NDArray, var: NDArray, weight32: NDArray, rescale_grad: Any, lr: float, eta: float, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-08, wd: float = 0, clip_gradient: float = -1, out: Any = None, name: str | None = None, **kwargs: Any) -> Any: ...
def multi_adamw_update(weights: Sequence[NDArray], grads: Sequence[NDArray], mean: Sequence[NDArray], var: Sequence[NDArray], rescale_grad: Any, lrs: Sequence[float], wds: Sequence[float], etas: Sequence[float], out: Any = None, name: str | None = None, size: int = 0, **kwargs: Any) -> Any: ...
def multi_lamb_update(weights: Sequence[NDArray], grads: Sequence[NDArray], mean: Sequence[NDArray], var: Sequence[NDArray], step_count: Sequence[int], lrs: Sequence[float], wds: Sequence[float], out: Any = None, num_tensors: int = 0, **kwargs: Any) -> Any: ...
def multi_mp_adamw_update(weights: Sequence[NDArray], grads: Sequence[NDArray], mean: Sequence[NDArray], var: Sequence[NDArray], weights32: Sequence[NDArray], rescale_grad: Any, lrs: Sequence[float], wds: Sequence[float], etas: Sequence[float], out: Any = None, name: str | None = None, size: int = 0, **kwargs: Any) -> Any: ...
def multi_mp_lamb_update(weights: Sequence[NDArray], grads: Sequence[NDArray], mean: Sequence[NDArray], var: Sequence[NDArray], weights32: Sequence[NDArray], step_count: Sequence[int], lrs: Sequence[float], wds: Sequence[float], out: Any = None, num_tensors: int = 0, **kwargs: Any) -> Any: ...
def quadratic(data: NDArray | None = None, a: float = 0.0, b: float = 0.0, c: float = 0.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``a * data² + b * data + c``."""
def quantize(data: NDArray | None = None, min_range: NDArray | None = None, max_range: NDArray | None = None, out_type: Literal['int8', 'uint8'] = 'uint8', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Quantize real numbers of a given range to 8-bit integers; returns them and their range."""
def quantize_asym(data: NDArray | None = None, min_calib_range: float | None = None, max_calib_range: float | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """uint8 for real numbers: ``data * scale + shift``, 0 to 255 over the whole range."""
def quantize_v2(data: NDArray | None = None, out_type: Literal['auto', 'int8', 'uint8'] = 'int8', min_calib_range: float | None = None, max_calib_range: float | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """8-bit integers for real numbers, of a calibrated range or that of the data."""
def quantized_act(data: NDArray | None = None, min_data: NDArray | None = None, max_data: NDArray | None = None, act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Rectified linear unit on 8-bit integers; their range stays."""
def quantized_batch_norm(data: NDArray | None = None, gamma: NDArray | None = None, beta: NDArray | None = None, moving_mean: NDArray | None = None, moving_var: NDArray | None = None, min_data: NDArray | None = None, max_data: NDArray | None = None, eps: float = 0.0010000000474974513, momentum: float = 0.8999999761581421, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, axis: int = 1, cudnn_off: bool = False, min_calib_range: float | None = None, max_calib_range: float | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """BatchNorm with moving statistics on 8-bit integers; returns int8 in the calibrated range."""
def quantized_concat(*data: NDArray | Sequence[NDArray], num_args: int = ..., dim: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Arrays of 8-bit integers one after the other, brought to the widest of their ranges."""
def quantized_conv(data: NDArray | None = None, weight: NDArray | None = None, bias: NDArray | None = None, min_data: NDArray | None = None, max_data: NDArray | None = None, min_weight: NDArray | None = None, max_weight: NDArray | None = None, min_bias: NDArray | None = None, max_bias: NDArray | None = None, kernel: int | Sequence[int] = ..., stride: int | Sequence[int] | None = (), dilate: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), num_filter: int = ..., num_group: int = 1, workspace: int = 1024, no_bias: bool = False, cudnn_tune: Literal['fastest', 'limited_workspace', 'off', None] = None, cudnn_off: bool = False, layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC', None] = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Convolution on 8-bit integers; returns int32 and the range."""
def quantized_elemwise_add(lhs: NDArray | None = None, rhs: NDArray | None = None, lhs_min: NDArray | None = None, lhs_max: NDArray | None = None, rhs_min: NDArray | None = None, rhs_max: NDArray | None = None, min_calib_range: float | None = None, max_calib_range: float | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Sum of 8-bit integers: 32 bits of the summed ranges, or 8 bits of a calibrated range."""
def quantized_elemwise_mul(lhs: NDArray | None = None, rhs: NDArray | None = None, lhs_min: NDArray | None = None, lhs_max: NDArray | None = None, rhs_min: NDArray | None = None, rhs_max: NDArray | None = None, min_calib_range: float | None = None, max_calib_range: float | None = None, enable_float_output: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Product of 8-bit integers: 32 bits, int8 of a calibrated range, or floats."""
def quantized_embedding(data: NDArray | None = None, weight: NDArray | None = None, min_weight: NDArray | None = None, max_weight: NDArray | None = None, input_dim: int = ..., output_dim: int = ..., dtype: str | type[Any] | _np.dtype[Any] = 'float32', sparse_grad: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Rows of an int8 table; its range stays."""
def quantized_flatten(data: NDArray | None = None, min_data: NDArray | None = None, max_data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """All axes but the first joined; the range stays."""
def quantized_fully_connected(data: NDArray | None = None, weight: NDArray | None = None, bias: NDArray | None = None, min_data: NDArray | None = None, max_data: NDArray | None = None, min_weight: NDArray | None = None, max_weight: NDArray | None = None, min_bias: NDArray | None = None, max_bias: NDArray | None = None, num_hidden: int = ..., no_bias: bool = False, flatten: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Fully connected layer on 8-bit integers; returns int32 and the range."""
def quantized_pooling(data: NDArray | None = None, min_data: NDArray | None = None, max_data: NDArray | None = None, kernel: int | Sequence[int] | None = (), pool_type: Literal['avg', 'lp', 'max', 'sum'] = 'max', global_pool: bool = False, cudnn_off: bool = False, pooling_convention: Literal['full', 'same', 'valid'] = 'valid', stride: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), p_value: int | None = None, count_include_pad: bool | None = None, layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC', 'NWC', None] = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Pooling on 8-bit integers; their range stays. Means are rounded, halves to the even integer."""
def quantized_rnn(data: NDArray | None = None, parameters: NDArray | None = None, state: NDArray | None = None, state_cell: NDArray | None = None, data_scale: NDArray | None = None, data_shift: NDArray | None = None, state_size: int = ..., num_layers: int = ..., bidirectional: bool = False, mode: Literal['gru', 'lstm', 'rnn_relu', 'rnn_tanh'] = ..., p: float = 0.0, state_outputs: bool = False, projection_size: int | None = None, lstm_state_clip_min: float | None = None, lstm_state_clip_max: float | None = None, lstm_state_clip_nan: bool = False, use_sequence_length: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """LSTM on uint8 data; weights, states and results are floats."""
def rand_zipfian(true_classes: NDArray, num_sampled: int, range_max: int, ctx: Context | None = None) -> tuple[NDArray, NDArray, NDArray]: ...
def requantize(data: NDArray | None = None, min_range: NDArray | None = None, max_range: NDArray | None = None, out_type: Literal['auto', 'int8', 'uint8'] = 'int8', min_calib_range: float | None = None, max_calib_range: float | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Requantize int32 to 8-bit integers; returns them and their range."""
def round_ste(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Nearest whole number, halves away from zero; the gradient passes as it is (Bengio et al., Estimating or Propagating Gradients Through Stochastic Neurons, 2013)."""
def sign_ste(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """-1, 0 or 1: the sign; the gradient passes as it is."""
def uniform(low: Any = 0, high: Any = 1, shape: Any = ..., dtype: Any = ..., ctx: Any = None, out: Any = None, **kwargs: Any) -> NDArray: ...
def while_loop(cond: Callable[..., Any], func: Callable[..., tuple[Any, Any]], loop_vars: Any, max_iterations: Any = None) -> tuple[Any, Any]: ...
