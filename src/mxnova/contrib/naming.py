# SPDX-License-Identifier: Apache-2.0
"""Names of the nodes that passes put behind the outputs of others."""

from __future__ import annotations

from ..core.graph.base_symbol import output_name
from ..core.graph.node import Entry

__all__ = ["name_behind"]

# Operators whose outputs have names in MXNet; those of the others are known by number there.
_NAMED_OUTPUTS = frozenset(
    """
    _contrib_BatchNormWithReLU _contrib_calibrate_entropy _contrib_count_sketch
    _contrib_DeformableConvolution _contrib_DeformablePSROIPooling _contrib_fft _contrib_ifft
    _contrib_index_array _contrib_interleaved_matmul_encdec_qk
    _contrib_interleaved_matmul_encdec_valatt _contrib_interleaved_matmul_selfatt_qk
    _contrib_interleaved_matmul_selfatt_valatt _contrib_ModulatedDeformableConvolution
    _contrib_MultiBoxDetection _contrib_MultiBoxPrior _contrib_MultiBoxTarget
    _contrib_MultiProposal _contrib_Proposal _contrib_PSROIPooling _contrib_quantize_asym
    _contrib_quantized_act _contrib_quantized_elemwise_mul _contrib_quantized_flatten
    _contrib_ROIAlign _contrib_RROIAlign _contrib_SyncBatchNorm _CrossDeviceCopy
    _npi_concatenate _npi_dstack _npi_hstack _npi_matmul _npi_std _npi_var _rnn_param_concat
    Activation BatchNorm BatchNorm_v1 BilinearSampler col2im Concat Convolution Convolution_v1
    Correlation Crop Custom Deconvolution Dropout elemwise_add FullyConnected GridGenerator
    GroupNorm IdentityAttachKLSparseReg im2col InstanceNorm L2Normalization LayerNorm
    LeakyReLU LRN make_loss MakeLoss Pad Pooling Pooling_v1 RNN ROIPooling SequenceLast
    SequenceMask SequenceReverse SliceChannel softmax SoftmaxActivation SoftmaxOutput softmin
    SpatialTransformer SVMOutput SwapAxis UpSampling
    """.split()
)


def name_behind(entry: Entry) -> str:
    """What nodes behind an output are named after: ``fc1_output``, ``relu0_0``, a variable."""
    op = entry.node.op
    if op is None or op.name in _NAMED_OUTPUTS:
        return output_name(entry)
    return f"{entry.node.name}_{entry.output}"
