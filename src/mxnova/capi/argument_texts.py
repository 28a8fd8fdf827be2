# SPDX-License-Identifier: Apache-2.0
"""What C is told of an operator's arguments: their names, in MXNet's order, and their types.

Languages write their functions of operators from these texts, so they are MXNet's word for word,
also where it does not list what it takes, or lists what it refuses.
"""

from __future__ import annotations

from ..core.op.schema import REGISTRY, OpType

__all__ = ["argument_texts"]

_ARRAY, _ARRAYS = "NDArray-or-Symbol", "NDArray-or-Symbol[]"


def argument_texts(type_: OpType) -> dict[str, str]:
    """Name -> type, in the order in which MXNet lists them."""
    texts = dict.fromkeys(_GRAPHS.get(type_.name, ()), "Symbol")
    texts |= dict.fromkeys(type_.signature.inputs, _ARRAY)
    if type_.signature.variadic:
        texts[type_.signature.variadic] = _ARRAYS
    listed = REGISTRY[_LISTED_AS.get(type_.name, type_.name)]
    texts |= {field.name: field.type_text for field in listed.fields}
    for name in _UNLISTED.get(type_.name, "").split():
        del texts[name]
    order = _ORDER.get(type_.name)
    if order is not None:
        texts = {name: texts[name] for name in order.split()}
    return texts | _TEXTS.get(type_.name, {})


# Operators with graphs inside list them first.
_GRAPHS = {
    "_cond": ("cond", "then_branch", "else_branch"),
    "_foreach": ("fn",),
    "_while_loop": ("cond", "func"),
}

# Operators that are listed with the parameters of another.
_LISTED_AS = {
    "_contrib_SparseEmbedding": "Embedding",
    "_linspace": "_arange",
    "_npi_concatenate": "Concat",
}

# What is not listed, but taken.
_UNLISTED = {
    "BatchNorm_v1": "moving_mean moving_var",
    "IdentityAttachKLSparseReg": "moving_avg",
    "_CrossDeviceCopy": "data",
    "_linalg_potrf": "lower",
    "_linalg_potri": "lower",
    "_npi_cholesky": "lower",
    "_npi_norm": "ord axis keepdims flag",
    "smooth_l1": "is_int",
}

# What is listed where that is not all, or arrays do not come before parameters.
_ORDER = {
    "_contrib_quantized_elemwise_add": "min_calib_range max_calib_range lhs rhs"
    " lhs_min lhs_max rhs_min rhs_max",
    "_np_prod": "axis dtype keepdims initial a",
    "_random_exponential_like": "lam data",
    "_random_gamma_like": "alpha beta data",
    "_random_generalized_negative_binomial_like": "mu alpha data",
    "_random_negative_binomial_like": "k p data",
    "_random_normal_like": "loc scale data",
    "_random_pdf_gamma": "sample alpha is_log beta",
    "_random_pdf_generalized_negative_binomial": "sample mu is_log alpha",
    "_random_pdf_negative_binomial": "sample k is_log p",
    "_random_pdf_normal": "sample mu is_log sigma",
    "_random_pdf_uniform": "sample low is_log high",
    "_random_poisson_like": "lam data",
    "_random_uniform_like": "low high data",
    "_sample_gamma": "alpha shape dtype beta",
    "_sample_generalized_negative_binomial": "mu shape dtype alpha",
    "_sample_negative_binomial": "k shape dtype p",
    "_sample_normal": "mu shape dtype sigma",
    "_sample_uniform": "low shape dtype high",
    "_sg_mkldnn_conv": "",
    "_sg_mkldnn_fully_connected": "",
    "add_n": "args",
    "khatri_rao": "args",
}

_TEXTS = {
    "Crop": {"data": "Symbol or Symbol[]"},
    "Custom": {"op_type": "string"},
    "_contrib_DeformablePSROIPooling": dict.fromkeys(("data", "rois", "trans"), "Symbol"),
    "_contrib_PSROIPooling": dict.fromkeys(("data", "rois"), "Symbol"),
    "_copyto": {"data": "NDArray"},
    "_cvcopyMakeBorder": {"src": "NDArray"},
    "_cvimdecode": {"buf": "NDArray"},
    "_cvimresize": {"src": "NDArray"},
    "_histogram": {"range": ", optional, default=None"},
    "_npi_boolean_mask_assign_scalar": {"value": "float", "start_axis": "int"},
    "_npi_boolean_mask_assign_tensor": {"start_axis": "int"},
    "_onehot_encode": dict.fromkeys(("lhs", "rhs"), "NDArray"),
    "_set_value": {"src": "real_t"},
    "all_finite": {"data": "NDArray"},
    "fill_element_0index": dict.fromkeys(("lhs", "mhs", "rhs"), "NDArray"),
    "smooth_l1": {"scalar": "float"},
}
