# SPDX-License-Identifier: Apache-2.0
"""Words of PyTorch, Keras and NumPy for arguments, and MXNet's for the same.

They are for errors only, where no spelling is near enough to find the word that was meant.
"""

from __future__ import annotations

__all__ = ["SYNONYMS"]

# fmt: off
SYNONYMS: dict[str, tuple[str, ...]] = {  # word -> what MXNet calls it, here or there
    "batch_first": ("layout",),
    "betas": ("beta1 and beta2",),
    "bias": ("use_bias",),
    "collate_fn": ("batchify_fn",),
    "context": ("ctx", "ctx_list"),
    "ctx": ("ctx_list", "context"),
    "device": ("ctx", "context"),
    "dilation": ("dilation", "dilate"),
    "dim": ("axis",),
    "dims": ("axes", "axis"),
    "drop_last": ("last_batch",),
    "dropout_rate": ("rate", "p", "dropout"),
    "embedding_dim": ("output_dim",),
    "eps": ("epsilon", "eps"),
    "epsilon": ("eps", "epsilon"),
    "filters": ("channels", "num_filter"),
    "groups": ("groups", "num_group"),
    "hidden_dim": ("hidden_size", "num_hidden"),
    "ignore_index": ("ignore_label",),
    "in_features": ("in_units",),
    "k": ("top_k",),
    "keepdim": ("keepdims",),
    "kernel_initializer": ("weight_initializer",),
    "kernel_size": ("kernel", "kernel_size"),
    "learning_rate": ("lr", "base_lr"),
    "lr": ("learning_rate", "base_lr"),
    "mean": ("loc", "mean"),
    "milestones": ("step",),
    "negative_slope": ("alpha", "slope"),
    "num_embeddings": ("input_dim",),
    "num_features": ("in_channels",),
    "out_channels": ("channels", "num_filter"),
    "out_features": ("units", "num_hidden"),
    "output_size": ("output_size", "units"),
    "p": ("rate", "p"),
    "padding": ("padding", "pad"),
    "pin_memory_device": ("pin_device_id",),
    "rate": ("rate", "p"),
    "requires_grad": ("grad_req",),
    "step_size": ("step",),
    "shape": ("size", "data_shape"),
    "size": ("shape",),
    "std": ("sigma", "scale", "std"),
    "stride": ("strides", "stride"),
    "strides": ("stride", "strides"),
    "weight_decay": ("wd",),
    "weight_init": ("weight_initializer",),
    "wd": ("wd", "weight_decay"),
}
# fmt: on
