# SPDX-License-Identifier: Apache-2.0
"""The operators that are timed: a row each."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ROWS", "Row"]


class Row(NamedTuple):
    """An operator with inputs; see `operators.arrays_of` for how shapes are written.

    Attributes:
        operator: registered name.
        parameters: as in a call.
        torch: the same with inputs a, b, …; empty when torch has nothing near.
        small: shapes where the call counts; empty when there is no such case.
        large: shapes where the arithmetic counts; likewise.
        index_type: element type of integer inputs; torch wants int64 where it indexes.
        gradient: also compute the gradients of the inputs that hold other than integers or boxes.
    """

    operator: str
    parameters: str
    torch: str
    small: str
    large: str
    index_type: str = "float32"
    gradient: bool = False


ONE = ("16x16", "1024x1024")
TWO = ("16x16 16x16", "1024x1024 1024x1024")
THREE = ("16x16 16x16 16x16", "1024x1024 1024x1024 1024x1024")
BROADCAST = ("16x16 1x16", "1024x1024 1x1024")
IMAGE = ("1x4x8x8", "8x64x56x56")
# data, then one value for each channel
CHANNELS_1 = ("1x4x8x8 4", "8x64x56x56 64")
CHANNELS_2 = ("1x4x8x8 4 4", "8x64x56x56 64 64")
CHANNELS_4 = ("1x4x8x8 4 4 4 4", "8x64x56x56 64 64 64 64")
SQUARE = ("16x16", "256x256")
FOUR = ("16x16 16x16 16x16 16x16", "1024x1024 1024x1024 1024x1024 1024x1024")
# time x batch x features, parameters, states of a layer with 16 and with 256 units
GRU = ("4x2x8 1248 1x2x16", "32x16x128 296448 1x16x256")
LSTM = ("4x2x8 1664 1x2x16 1x2x16", "32x16x128 395264 1x16x256 1x16x256")
TANH = ("4x2x8 416 1x2x16", "32x16x128 98816 1x16x256")
# a feature map and regions of an image of 800 pixels
REGIONS = ("1x4x8x8 2x5!128", "1x256x38x50 300x5!800")
OWN_MAPS = ("1x72x8x8 2x5!128", "1x392x38x50 300x5!800")
PHOTO = ("8x8x3<255", "480x640x3<255")

# fmt: off
ROWS = (
    # -- one array, elementwise
    Row("relu", "", "torch.relu(a)", *ONE),
    Row("sigmoid", "", "torch.sigmoid(a)", *ONE),
    Row("tanh", "", "torch.tanh(a)", *ONE),
    Row("softsign", "", "F.softsign(a)", *ONE),
    Row("exp", "", "torch.exp(a)", *ONE),
    Row("expm1", "", "torch.expm1(a)", *ONE),
    Row("log", "", "torch.log(a)", *ONE),
    Row("log1p", "", "torch.log1p(a)", *ONE),
    Row("sqrt", "", "torch.sqrt(a)", *ONE),
    Row("rsqrt", "", "torch.rsqrt(a)", *ONE),
    Row("cbrt", "", "torch.pow(a, 1 / 3)", *ONE),
    Row("square", "", "torch.square(a)", *ONE),
    Row("reciprocal", "", "torch.reciprocal(a)", *ONE),
    Row("abs", "", "torch.abs(a)", *ONE),
    Row("negative", "", "torch.neg(a)", *ONE),
    Row("sign", "", "torch.sign(a)", *ONE),
    Row("floor", "", "torch.floor(a)", *ONE),
    Row("round", "", "torch.trunc(a + 0.5)", *ONE),
    Row("sin", "", "torch.sin(a)", *ONE),
    Row("cos", "", "torch.cos(a)", *ONE),
    Row("arctan", "", "torch.atan(a)", *ONE),
    Row("erf", "", "torch.erf(a)", *ONE),
    Row("gammaln", "", "torch.lgamma(a)", *ONE),
    Row("clip", "a_min=0.2, a_max=0.8", "torch.clamp(a, 0.2, 0.8)", *ONE),
    Row("smooth_l1", "scalar=1.0",
        "F.smooth_l1_loss(a, torch.zeros(()).expand_as(a), reduction='none')", *ONE),
    Row("Cast", "dtype='float16'", "a.to(torch.float16)", *ONE),
    Row("_copy", "", "a.clone()", *ONE),
    Row("zeros_like", "", "torch.zeros_like(a)", *ONE),
    # -- an array and a number
    Row("_plus_scalar", "scalar=2.0", "a + 2.0", *ONE),
    Row("_mul_scalar", "scalar=2.0", "a * 2.0", *ONE),
    Row("_rdiv_scalar", "scalar=2.0", "2.0 / a", *ONE),
    Row("_power_scalar", "scalar=1.5", "a ** 1.5", *ONE),
    Row("_maximum_scalar", "scalar=0.5", "torch.clamp_min(a, 0.5)", *ONE),
    # -- two arrays, elementwise
    Row("elemwise_add", "", "a + b", *TWO),
    Row("elemwise_mul", "", "a * b", *TWO),
    Row("elemwise_div", "", "a / b", *TWO),
    Row("broadcast_add", "", "a + b", *BROADCAST),
    Row("broadcast_sub", "", "a - b", *BROADCAST),
    Row("broadcast_mul", "", "a * b", *BROADCAST),
    Row("broadcast_div", "", "a / b", *BROADCAST),
    Row("broadcast_power", "", "a ** b", *BROADCAST),
    Row("broadcast_maximum", "", "torch.maximum(a, b)", *BROADCAST),
    Row("broadcast_minimum", "", "torch.minimum(a, b)", *BROADCAST),
    Row("broadcast_greater", "", "torch.gt(a, b).to(torch.float32)", *BROADCAST),
    Row("broadcast_hypot", "", "torch.hypot(a, b)", *BROADCAST),
    Row("add_n", "", "a + b + c", *THREE),
    Row("where", "",
        "torch.where(a != 0, b, c)", "16x16<2 16x16 16x16", "1024x1024<2 1024x1024 1024x1024"),
    # -- reductions
    Row("sum", "", "torch.sum(a)", *ONE),
    Row("sum", "axis=1", "torch.sum(a, 1)", *ONE),
    Row("mean", "axis=0", "torch.mean(a, 0)", *ONE),
    Row("max", "axis=1", "torch.amax(a, 1)", *ONE),
    Row("min", "", "torch.amin(a)", *ONE),
    Row("prod", "axis=1", "torch.prod(a, 1)", *ONE),
    Row("norm", "", "torch.linalg.vector_norm(a)", *ONE),
    Row("argmax", "axis=1", "torch.argmax(a, 1).to(torch.float32)", *ONE),
    Row("argmin", "axis=1", "torch.argmin(a, 1).to(torch.float32)", *ONE),
    Row("argmax", "axis=-3", "torch.argmax(a, 1).to(torch.float32)", "1x4x8x8", "8x21x64x64"),
    Row("argmax_channel", "", "torch.argmax(a, 1).to(torch.float32)", "4x3x8", "512x3x512"),
    Row("all_finite", "", "a.isfinite().all()", *ONE),
    Row("cumsum", "axis=1", "torch.cumsum(a, 1)", *ONE),
    # -- order
    Row("sort", "axis=1", "torch.sort(a, 1).values", *ONE),
    Row("argsort", "axis=1", "torch.argsort(a, dim=1, stable=True).to(torch.float32)", *ONE),
    Row("topk", "k=5, ret_typ='value'", "torch.topk(a, 5).values", *ONE),
    Row("topk", "k=10, ret_typ='value'", "torch.topk(a, 10).values", "2x100", "1x1000000"),
    # -- matrices
    Row("dot", "", "torch.mm(a, b)", *TWO),
    Row("dot", "transpose_b=True", "torch.mm(a, b.T)", *TWO),
    Row("batch_dot", "", "torch.bmm(a, b)", "2x8x8 2x8x8", "16x256x256 16x256x256"),
    Row("_linalg_gemm2", "alpha=2.0", "torch.matmul(a, b) * 2.0", *TWO),
    Row("_linalg_syrk", "", "torch.mm(a, a.T)", *ONE),
    Row("khatri_rao", "",
        "torch.einsum('ik,jk->ijk', a, b).flatten(0, 1)", "4x8 4x8", "256x64 256x64"),
    Row("FullyConnected", "num_hidden=16",
        "F.linear(a, b, c)", "4x16 16x16 16", "256x1024 16x1024 16"),
    Row("FullyConnected", "num_hidden=1024",
        "F.linear(a, b, c)", "1x16 1024x16 1024", "64x1024 1024x1024 1024"),
    # -- form
    Row("transpose", "", "a.T.contiguous()", *ONE),
    Row("transpose", "axes=(0, 2, 3, 1)", "a.permute(0, 2, 3, 1).contiguous()", *IMAGE),
    Row("Reshape", "shape=(0, -1)", "a.reshape(a.shape[0], -1).clone()", *IMAGE),
    Row("Flatten", "", "a.flatten(1).clone()", *IMAGE),
    Row("expand_dims", "axis=1", "a.unsqueeze(1).clone()", *ONE),
    Row("SwapAxis", "dim1=0, dim2=1", "a.swapaxes(0, 1).contiguous()", *ONE),
    Row("slice", "begin=(1, 2), end=(9, 10)", "a[1:9, 2:10].contiguous()", *ONE),
    Row("slice_axis", "axis=1, begin=1, end=-1", "a[:, 1:-1].contiguous()", *ONE),
    Row("Concat", "dim=1", "torch.cat((a, b), 1)", *TWO),
    Row("stack", "axis=0", "torch.stack((a, b))", *TWO),
    Row("SliceChannel", "num_outputs=2, axis=1", "[t.contiguous() for t in a.chunk(2, 1)]", *ONE),
    Row("tile", "reps=(2, 2)", "a.repeat(2, 2)", *ONE),
    Row("repeat", "repeats=2, axis=1", "a.repeat_interleave(2, 1)", *ONE),
    Row("reverse", "axis=1", "a.flip(1)", *ONE),
    Row("Pad", "mode='edge', pad_width=(0, 0, 0, 0, 1, 1, 1, 1)",
        "F.pad(a, (1, 1, 1, 1), 'replicate')", *IMAGE),
    Row("space_to_depth", "block_size=2", "", *IMAGE),
    Row("depth_to_space", "block_size=2", "", *IMAGE),
    Row("diag", "", "torch.diagonal(a).clone()", *ONE),
    # -- look-up
    Row("take", "", "F.embedding(b, a)", "16x16 8<16", "1024x1024 1024<1024", "int64"),
    Row("Embedding", "input_dim=64, output_dim=256",
        "F.embedding(a, b)", "8<64 64x256", "64x64<64 64x256", "int64"),
    Row("one_hot", "depth=64", "F.one_hot(a, 64).to(torch.float32)", "8<64", "4096<64", "int64"),
    Row("pick", "axis=1",
        "a.gather(1, b.unsqueeze(1)).squeeze(1)", "16x16 16<16", "1024x1024 1024<1024", "int64"),
    Row("gather_nd", "", "a[b[0], b[1]]", "16x16 2x8<16", "1024x1024 2x4096<1024", "int64"),
    Row("SequenceMask", "use_sequence_length=True", "", "8x4x8 4<8", "128x64x128 64<128"),
    # -- layers
    Row("Convolution", "num_filter=4, kernel=(3, 3), pad=(1, 1), no_bias=True",
        "F.conv2d(a, b, padding=1)", "1x4x8x8 4x4x3x3", "8x64x56x56 4x64x3x3"),
    Row("Convolution", "num_filter=64, kernel=(3, 3), pad=(1, 1)",
        "F.conv2d(a, b, c, padding=1)", "1x3x8x8 64x3x3x3 64", "8x64x56x56 64x64x3x3 64"),
    Row("Convolution", "num_filter=64, kernel=(1, 1), no_bias=True",
        "F.conv2d(a, b)", "1x16x8x8 64x16x1x1", "8x256x28x28 64x256x1x1"),
    Row("Convolution", "num_filter=32, kernel=(3, 3), pad=(1, 1), num_group=32, no_bias=True",
        "F.conv2d(a, b, padding=1, groups=32)", "1x32x8x8 32x1x3x3", "8x32x112x112 32x1x3x3"),
    Row("Deconvolution", "num_filter=16, kernel=(4, 4), stride=(2, 2), pad=(1, 1), no_bias=True",
        "F.conv_transpose2d(a, b, stride=2, padding=1)",
        "1x4x8x8 4x16x4x4", "4x32x56x56 32x16x4x4"),
    Row("Pooling", "kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type='max'",
        "F.max_pool2d(a, 3, 2, 1)", *IMAGE),
    Row("Pooling", "kernel=(2, 2), stride=(2, 2), pool_type='avg'", "F.avg_pool2d(a, 2)", *IMAGE),
    Row("Pooling", "global_pool=True, pool_type='avg', kernel=(1, 1)",
        "F.adaptive_avg_pool2d(a, 1)", *IMAGE),
    Row("Pooling_v1", "kernel=(2, 2), stride=(2, 2), pool_type='max'",
        "F.max_pool2d(a, 2)", *IMAGE),
    Row("BatchNorm", "fix_gamma=False, eps=1e-5",
        "F.batch_norm(a, d, e, b, c, eps=1e-5)", *CHANNELS_4),
    Row("LayerNorm", "", "F.layer_norm(a, b.shape, b, c)", "16x16 16 16", "1024x1024 1024 1024"),
    Row("InstanceNorm", "eps=1e-5", "F.instance_norm(a, None, None, b, c)", *CHANNELS_2),
    # MXNet scales by the group, torch by the channel.
    Row("GroupNorm", "num_groups=2",
        "F.group_norm(a, 2, *(t.repeat_interleave(a.shape[1] // 2) for t in (b, c)))",
        "1x4x8x8 2 2", "8x64x56x56 2 2"),
    Row("L2Normalization", "", "F.normalize(a)", *ONE),
    Row("LRN", "nsize=5", "F.local_response_norm(a, 5, 1e-4, 0.75, 2.0)", *IMAGE),
    Row("Activation", "act_type='softrelu'", "F.softplus(a)", *ONE),
    Row("LeakyReLU", "act_type='leaky', slope=0.1", "F.leaky_relu(a, 0.1)", *ONE),
    Row("LeakyReLU", "act_type='elu', slope=1.0", "F.elu(a)", *ONE),
    Row("LeakyReLU", "act_type='gelu'", "F.gelu(a)", *ONE),
    Row("LeakyReLU", "act_type='prelu'", "F.prelu(a, b)", *CHANNELS_1),
    Row("softmax", "axis=-1", "torch.softmax(a, -1)", *ONE),
    Row("softmax", "", "torch.softmax(a, -1)", "16x5", "100000x5"),
    Row("log_softmax", "axis=-1", "torch.log_softmax(a, -1)", *ONE),
    Row("SoftmaxOutput", "", "torch.softmax(a, 1)", "16x16 16<16", "1024x1024 1024<1024"),
    Row("softmax_cross_entropy", "",
        "F.cross_entropy(a, b.long(), reduction='sum')", "16x16 16<16", "1024x1024 1024<1024"),
    Row("Dropout", "p=0.5, mode='always'", "F.dropout(a, 0.5, True)", *ONE),
    Row("UpSampling", "scale=2, sample_type='nearest', num_args=1",
        "F.interpolate(a, scale_factor=2)", *IMAGE),
    Row("_contrib_BilinearResize2D", "height=16, width=16",
        "F.interpolate(a, (16, 16), mode='bilinear', align_corners=True)", *IMAGE),
    # -- updates of parameters, in place
    Row("sgd_update", "lr=1e-7, out=a", "a.add_(b, alpha=-1e-7)", *TWO),
    Row("sgd_mom_update", "lr=1e-7, momentum=0.5, out=a",
        "a.add_(c.mul_(0.5).add_(b, alpha=-1e-7))", *THREE),
    Row("nag_mom_update", "lr=1e-7, momentum=0.5, out=a", "", *THREE),
    Row("signum_update", "lr=1e-7, momentum=0.5, out=a", "", *THREE),
    Row("rmsprop_update", "lr=1e-7, out=a", "", *THREE),
    Row("adam_update", "lr=1e-7, out=a", "", *FOUR),
    Row("ftrl_update", "lr=0.1, out=a", "", *FOUR),
    Row("lamb_update_phase1", "t=2, wd=0.1", "", *FOUR),
    Row("multi_sgd_update", "lrs=(1e-7, 1e-7), wds=(0, 0), num_weights=2, out=[a, c]", "", *FOUR),
    Row("multi_sum_sq", "num_arrays=3",
        "torch.stack([t.square().sum() for t in (a, b, c)])", *THREE),
    # -- random numbers
    Row("_random_uniform_like", "", "torch.rand_like(a)", *ONE),
    Row("_random_normal_like", "", "torch.randn_like(a)", *ONE),
    Row("_random_exponential_like", "", "torch.empty_like(a).exponential_()", *ONE),
    Row("_sample_multinomial", "shape=64",
        "torch.multinomial(a, 64, True)", "4x16", "64x1024"),
    Row("_shuffle", "", "a[torch.randperm(a.shape[0])]", *ONE),
    # -- sequences
    Row("RNN", "state_size=16, num_layers=1, mode='gru'", "", GRU[0], ""),
    Row("RNN", "state_size=256, num_layers=1, mode='gru'", "", "", GRU[1]),
    Row("RNN", "state_size=16, num_layers=1, mode='lstm'", "", LSTM[0], ""),
    Row("RNN", "state_size=256, num_layers=1, mode='lstm'", "", "", LSTM[1]),
    Row("RNN", "state_size=16, num_layers=1, mode='rnn_tanh'", "", TANH[0], ""),
    Row("RNN", "state_size=256, num_layers=1, mode='rnn_tanh'", "", "", TANH[1]),
    Row("SequenceLast", "", "a[-1].clone()", "8x4x8", "128x64x128"),
    Row("SequenceReverse", "", "a.flip(0)", "8x4x8", "128x64x128"),
    Row("_contrib_interleaved_matmul_selfatt_qk", "heads=4", "", "8x2x48", "128x8x768"),
    Row("CTCLoss", "", "", "8x2x6 2x3<5", "64x16x96 16x20<95"),
    # -- regions and boxes
    Row("ROIPooling", "pooled_size=(7, 7), spatial_scale=0.0625", "", *REGIONS),
    Row("_contrib_ROIAlign", "pooled_size=(7, 7), spatial_scale=0.0625, sample_ratio=2",
        "", *REGIONS),
    Row("_contrib_PSROIPooling", "output_dim=8, pooled_size=3, spatial_scale=0.0625",
        "", OWN_MAPS[0], ""),
    Row("_contrib_PSROIPooling", "output_dim=8, pooled_size=7, spatial_scale=0.0625",
        "", "", OWN_MAPS[1]),
    Row("_contrib_MultiBoxPrior", "sizes=(0.2, 0.3), ratios=(1, 2, 0.5)", "", *IMAGE),
    Row("_contrib_MultiBoxDetection", "nms_topk=400",
        "", "1x4x16 1x64 1x16x4!1", "1x21x5000 1x20000 1x5000x4!1"),
    Row("_contrib_MultiBoxDetection", "nms_topk=100", "", "", "32x5x300 32x1200 1x300x4!1"),
    Row("_contrib_MultiBoxTarget", "",
        "", "1x16x4!1 1x3x5!1 1x4x16", "1x5000x4!1 8x20x5!1 8x21x5000"),
    Row("_contrib_box_nms", "overlap_thresh=0.5, id_index=-1, score_index=1, coord_start=2",
        "", "1x16x6!1", "4x1000x6!1"),
    Row("_contrib_box_nms", "id_index=0, score_index=1, coord_start=2", "", "", "32x100x6!1"),
    Row("_contrib_box_iou", "", "", "16x4!1 16x4!1", "1000x4!1 1000x4!1"),
    Row("_contrib_DeformableConvolution", "kernel=(3, 3), pad=(1, 1), num_filter=64, no_bias=True",
        "", "1x4x8x8 1x18x8x8 64x4x3x3", "2x64x28x28 2x18x28x28 64x64x3x3"),
    # -- images
    Row("_image_to_tensor", "", "(a.permute(2, 0, 1) / 255).contiguous()", *PHOTO, "uint8"),
    Row("_image_resize", "size=224", "", *PHOTO, "uint8"),
    Row("_image_flip_left_right", "", "a.flip(1)", *PHOTO, "uint8"),
    Row("_image_normalize", "mean=(0.5, 0.5, 0.5), std=(0.2, 0.2, 0.2)",
        "(a - 0.5) / 0.2", "3x8x8", "3x480x640"),
    Row("BilinearSampler", "",
        "F.grid_sample(a, b.permute(0, 2, 3, 1), align_corners=True)",
        "1x4x8x8 1x2x8x8", "8x64x56x56 8x2x56x56"),
    Row("GridGenerator", "transform_type='affine', target_shape=(56, 56)",
        "F.affine_grid(a.view(-1, 2, 3), (len(a), 1, 56, 56), True).permute(0, 3, 1, 2).clone()",
        "1x6", "64x6"),
    Row("Correlation", "max_displacement=2, pad_size=2",
        "", "1x4x8x8 1x4x8x8", "2x32x28x28 2x32x28x28"),
    Row("_contrib_AdaptiveAvgPooling2D", "output_size=7", "F.adaptive_avg_pool2d(a, 7)", *IMAGE),
    Row("im2col", "kernel=(3, 3), pad=(1, 1)", "F.unfold(a, 3, padding=1)", *IMAGE),
    # -- integers
    Row("_contrib_quantize_v2", "min_calib_range=0.0, max_calib_range=1.0, out_type='int8'",
        "", *ONE),
    Row("_contrib_dequantize", "", "", "16x16<100 1 1", "1024x1024<100 1 1", "int8"),
    # -- matrices, decomposed
    Row("_linalg_trsm", "",
        "torch.linalg.solve_triangular(a.tril(), b, upper=False)",
        "16x16 16x16", "256x256 256x256"),
    Row("_linalg_det", "", "torch.linalg.det(a)", *SQUARE),
    Row("_linalg_inverse", "", "torch.linalg.inv(a)", *SQUARE),
    Row("_linalg_gelqf", "", "", "8x16", "128x256"),
    # -- others
    Row("scatter_nd", "shape=(1024, 1024)",
        "torch.zeros(1024, 1024).index_put_((b[0], b[1]), a)", "8 2x8<16", "4096 2x4096<1024",
        "int64"),
    Row("_histogram", "bin_cnt=20, range=(0.0, 1.0)", "torch.histc(a, 20, 0.0, 1.0)", *ONE),
    Row("broadcast_like", "", "b.new_empty(b.shape).copy_(a)", "16x1 16x16", "1024x1 1024x1024"),
    Row("MakeLoss", "", "a.clone()", *ONE),
    Row("LogisticRegressionOutput", "", "torch.sigmoid(a)", *TWO),
    # -- with the gradient
    Row("relu", "", "torch.relu(a)", *ONE, gradient=True),
    Row("tanh", "", "torch.tanh(a)", *ONE, gradient=True),
    Row("hard_sigmoid", "", "torch.clamp(0.2 * a + 0.5, 0, 1)", *ONE, gradient=True),
    Row("broadcast_mul", "", "a * b", *BROADCAST, gradient=True),
    Row("sum", "axis=1", "torch.sum(a, 1)", *ONE, gradient=True),
    Row("dot", "", "torch.mm(a, b)", *TWO, gradient=True),
    Row("FullyConnected", "num_hidden=1024",
        "F.linear(a, b, c)", "1x16 1024x16 1024", "64x1024 1024x1024 1024", gradient=True),
    Row("Convolution", "num_filter=64, kernel=(3, 3), pad=(1, 1)",
        "F.conv2d(a, b, c, padding=1)", "1x3x8x8 64x3x3x3 64", "4x64x28x28 64x64x3x3 64",
        gradient=True),
    Row("Pooling", "kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type='max'",
        "F.max_pool2d(a, 3, 2, 1)", *IMAGE, gradient=True),
    Row("LayerNorm", "", "F.layer_norm(a, b.shape, b, c)", "16x16 16 16", "1024x1024 1024 1024",
        gradient=True),
    Row("log_softmax", "axis=-1", "torch.log_softmax(a, -1)", *ONE, gradient=True),
    Row("SoftmaxOutput", "", "", "16x16 16<16", "1024x1024 1024<1024", gradient=True),
    Row("Embedding", "input_dim=64, output_dim=256",
        "F.embedding(a, b)", "8<64 64x256", "64x64<64 64x256", "int64", gradient=True),
    Row("RNN", "state_size=256, num_layers=1, mode='lstm'", "", "", LSTM[1], gradient=True),
    Row("_contrib_ROIAlign", "pooled_size=(7, 7), spatial_scale=0.0625, sample_ratio=2",
        "", *REGIONS, gradient=True),
)
# fmt: on
