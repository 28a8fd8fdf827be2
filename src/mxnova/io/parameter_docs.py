# SPDX-License-Identifier: Apache-2.0
"""What the parameters of the file iterators mean, by name: text for docstrings."""

from __future__ import annotations

__all__ = ["with_parameters"]

_DOCS = {
    "data_csv": "file of the data: a sample a line.",
    "data_libsvm": "file of the data: a line is a label and ``INDEX:VALUE`` of what is not zero.",
    "data_shape": "shape of a sample; of images (channels, height, width).",
    "label_csv": "file of the labels; none: zeros.",
    "label_libsvm": "file of the labels; none: those of the data's lines.",
    "label_shape": "shape of a label.",
    "image": "file of images in MNIST's format.",
    "label": "file of labels in MNIST's format.",
    "batch_size": "samples in a batch.",
    "round_batch": "fill up the last batch with samples from the beginning; `pad` tells how many.",
    "prefetch_buffer": "batches that are prepared ahead.",
    "ctx": "without effect: batches are on the CPU.",
    "dtype": "element type of the data; None: float32.",
    "shuffle": "another order in each epoch.",
    "flat": "images as vectors.",
    "seed": "of the order, and of augmentation.",
    "silent": "without effect.",
    "verbose": "without effect.",
    "num_parts": "in how many parts the file is read, such as the number of workers.",
    "part_index": "which of these parts, such as the rank of the worker.",
    "path_imglist": "file of labels that replace those in the records, as im2rec writes it.",
    "path_imgrec": "file of records.",
    "path_imgidx": "index of the records; with it, `shuffle` mixes the whole file.",
    "aug_seq": "which augmentation: its default only.",
    "label_width": "numbers in a label; -1: as many as there are.",
    "label_pad_width": "length that labels are filled up to; 0: that of the longest.",
    "label_pad_value": "what labels are filled up with.",
    "preprocess_threads": "threads that decode and augment.",
    "device_id": "without effect.",
    "shuffle_chunk_size": "megabytes that are read at once to be shuffled; 0: all.",
    "shuffle_chunk_seed": "of the order of these.",
    "seed_aug": "of augmentation; None: `seed`.",
    "resize": "length of the shorter side before anything else; -1: as it is.",
    "rand_crop": "cut out at a random place; otherwise in the middle.",
    "random_resized_crop": "cut out a random share of the image, and resize it.",
    "max_rotate_angle": "largest random rotation, in degrees.",
    "max_aspect_ratio": "largest random change of the ratio of the sides.",
    "min_aspect_ratio": "least ratio of the sides of a random resized crop.",
    "max_shear_ratio": "largest random shear.",
    "max_crop_size": "largest side of a random crop; -1: that of `data_shape`.",
    "min_crop_size": "least side of a random crop.",
    "max_random_scale": "largest random scale.",
    "min_random_scale": "least random scale.",
    "max_random_area": "largest share of a random resized crop.",
    "min_random_area": "least share of a random resized crop.",
    "max_img_size": "largest side after random scaling.",
    "min_img_size": "least side after random scaling.",
    "brightness": "largest random change of brightness, as a share.",
    "contrast": "largest random change of contrast, as a share.",
    "saturation": "largest random change of saturation, as a share.",
    "pca_noise": "standard deviation of random light along the main axes of colors.",
    "random_h": "largest random change of hue.",
    "random_s": "largest random change of saturation.",
    "random_l": "largest random change of lightness.",
    "rotate": "rotation in degrees; -1: none.",
    "fill_value": "pixels around rotated or padded images.",
    "inter_method": "interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos; 9, 10 choose.",
    "pad": "pixels added at each side.",
    "mirror": "mirror all images.",
    "rand_mirror": "mirror half of the images.",
    "mean_img": "file of the mean image, which is computed if it does not exist.",
    "scale": "factor after normalization.",
    "max_random_contrast": "largest random change of contrast.",
    "max_random_illumination": "largest random change of brightness.",
    "rand_crop_prob": "probability of a random crop.",
    "num_crop_sampler": "number of kinds of crops, of which each has its own limits below.",
    "min_crop_scales": "least size, a number for each kind.",
    "max_crop_scales": "largest size.",
    "min_crop_aspect_ratios": "least ratio of width to height.",
    "max_crop_aspect_ratios": "largest ratio of width to height.",
    "min_crop_overlaps": "least overlap of crop and box, as intersection over union.",
    "max_crop_overlaps": "largest overlap.",
    "min_crop_sample_coverages": "least share of the crop that a box covers.",
    "max_crop_sample_coverages": "largest such share.",
    "min_crop_object_coverages": "least share of a box inside of the crop.",
    "max_crop_object_coverages": "largest such share.",
    "crop_emit_mode": "which boxes stay: those whose center is inside, or that overlap enough.",
    "emit_overlap_thresh": "how much is enough.",
    "max_crop_trials": "tries for each kind.",
    "rand_pad_prob": "probability of padding.",
    "max_pad_scale": "largest size after padding.",
    "max_random_hue": "largest random change of hue.",
    "random_hue_prob": "probability of that.",
    "max_random_saturation": "largest random change of saturation.",
    "random_saturation_prob": "probability of that.",
    "random_illumination_prob": "probability of a change of brightness.",
    "random_contrast_prob": "probability of a change of contrast.",
    "rand_mirror_prob": "probability of mirroring.",
    "resize_mode": "how images get the size of `data_shape`.",
}
_CHANNELS = {"r": "red", "g": "green", "b": "blue", "a": "the fourth channel"}
_DOCS |= {f"mean_{k}": f"is subtracted from {channel}." for k, channel in _CHANNELS.items()}
_DOCS |= {f"std_{k}": f"{channel} is divided by it." for k, channel in _CHANNELS.items()}


def with_parameters(doc: str, declaration: type) -> str:
    """A docstring with the parameters of its declaration, in front of its example."""
    names = {n: None for cls in reversed(declaration.__mro__) for n in _annotated(cls)}
    lines = [f"    {name}{_default(declaration, name)}: {_DOCS[name]}" for name in names]
    head, mark, example = doc.partition("\n\nExample:\n")
    listing = ["\n\nArgs:", *lines, "    data_name, label_name: names of the batches' parts."]
    return head.rstrip() + "\n".join(listing) + mark + example


def _annotated(cls: type) -> list[str]:
    return [*vars(cls).get("__annotations__", {})]


def _default(declaration: type, name: str) -> str:
    return f" ({getattr(declaration, name)!r})" if hasattr(declaration, name) else " (required)"
