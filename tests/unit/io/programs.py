# SPDX-License-Identifier: Apache-2.0
"""Iterators over files, run by MXNet to be recorded and by mxnova to be compared."""

from __future__ import annotations

import random
import struct

import numpy as np

_REC = (
    "path_imgrec='a.rec', data_shape=(3, 8, 9), batch_size=4, preprocess_threads=1, verbose=False"
)
_DET = (
    "path_imgrec='det.rec', data_shape=(3, 8, 9), batch_size=3, preprocess_threads=1, verbose=False"
)
_CSV = "data_csv='d.csv', data_shape=(4,), batch_size=3"
_SVM = "data_libsvm='d.svm', data_shape=(4,), batch_size=2"
_MNIST = "image='images', label='labels', batch_size=3, silent=True"
_LIST = "batch_size=3, data_shape=(3, 8, 9)"


def _several(iterator, common, options):
    return [f"{iterator}(**{{**dict({common}), **dict({o})}})" for o in options]


# Each is an expression over mx; the batches of two epochs are compared.
PROGRAMS = [
    *_several("mx.io.CSVIter", _CSV, ("", "label_csv='l.csv'", "label_csv='l.csv', round_batch=False", "dtype='int32'", "label_csv='l.csv', dtype='int64'")),
    "mx.io.CSVIter(data_csv='d.csv', data_shape=(2, 2), label_csv='d.csv', label_shape=(4,), batch_size=10)",
    *_several("mx.io.LibSVMIter", _SVM, ("", "label_libsvm='l.svm', label_shape=(3,)", *(f"num_parts=2, part_index={i}" for i in range(2)))),
    *_several("mx.io.MNISTIter", _MNIST, ("", "shuffle=False", "shuffle=False, flat=True", "seed=5", "num_parts=2, part_index=1, flat=True")),
    *_several(
        "mx.io.ImageRecordIter",
        _REC,
        (
            "", "shuffle=True", "shuffle=True, seed=3", "num_parts=2, part_index=0", "num_parts=2, part_index=1", "path_imgidx='a.idx', shuffle=True",
            "mean_r=10, mean_g=20, mean_b=30, scale=.5", "mean_r=10, std_r=2, std_g=3, std_b=4, scale=.1", "mirror=True", "rand_mirror=True",
            "rand_mirror=True, rand_crop=True", "max_random_contrast=.3", "max_random_illumination=20",
            "max_random_contrast=.3, max_random_illumination=20, rand_mirror=True, mean_r=10, std_g=2, scale=.5",
            "dtype='uint8', rand_mirror=True", "dtype='int8'", "path_imglist='a.lst', label_width=2", "rand_mirror=True, random_l=10",
            "shuffle=True, seed=2, rand_mirror=True, rand_crop=True", "shuffle=True, max_random_contrast=.3, random_l=20",
            "path_imgidx='a.idx', shuffle=True, rand_mirror=True, rand_crop=True",
        ),
    ),
    "mx.io.ImageRecordIter(path_imgrec='a.rec', data_shape=(1, 10, 12), batch_size=4, mean_r=9, std_r=2)",
    "mx.io.ImageRecordInt8Iter(path_imgrec='a.rec', data_shape=(3, 8, 9), batch_size=4)",
    *_several(
        "mx.io.ImageRecordUInt8Iter",
        _REC,
        (
            "rand_crop=True", "resize=14", "resize=14, inter_method=2", "resize=40, inter_method=9", "resize=30, inter_method=10", "data_shape=(3, 18, 24)",
            "rotate=30", "max_rotate_angle=20", "max_shear_ratio=.2", "max_aspect_ratio=.25", "min_random_scale=.9, max_random_scale=1.2, rand_crop=True",
            "max_img_size=18", "min_img_size=30", "max_rotate_angle=20, max_shear_ratio=.2, max_aspect_ratio=.25, max_random_scale=1.5, fill_value=7, rand_crop=True",
            "pad=4", "pad=4, fill_value=0, rand_crop=True", "max_crop_size=14, min_crop_size=8", "max_crop_size=14, min_crop_size=8, rand_crop=True",
            "random_resized_crop=True, max_aspect_ratio=.25, min_random_area=.3", "random_resized_crop=True, min_aspect_ratio=.75, max_aspect_ratio=1.33, min_random_area=.08",
            "random_resized_crop=True, max_aspect_ratio=.3, min_random_area=.3, rotate=20, pad=2", "random_resized_crop=True, min_random_area=.3, max_rotate_angle=20, max_shear_ratio=.2",
            "random_resized_crop=True, max_aspect_ratio=.3, min_random_area=.3, max_img_size=18", "min_aspect_ratio=.8, max_aspect_ratio=1.3", "pca_noise=.3, random_h=20, random_l=30, contrast=.2",
            "random_resized_crop=True", "brightness=.3", "contrast=.3", "saturation=.3", "brightness=.3, contrast=.3, saturation=.3", "pca_noise=.5",
            "random_h=36", "random_s=50", "random_l=50", "random_h=36, random_s=50, random_l=50",
            "inter_method=10, rand_crop=True, data_shape=(3, 17, 24)",
        ),
    ),
    *_several(
        "mx.io.ImageDetRecordIter",
        _DET,
        (
            "", "label_pad_width=40", "label_pad_width=40, label_pad_value=-7", "resize=15", "resize_mode='fit'", "resize_mode='shrink'",
            "resize_mode='shrink', data_shape=(3, 17, 30)", "rand_mirror_prob=.5", "mean_r=10, std_g=3, scale=.5",
            "rand_crop_prob=1, min_crop_scales=(.4,), max_crop_scales=(.9,)", "rand_crop_prob=.5, min_crop_scales=(.3,), max_crop_scales=(.9,), min_crop_object_coverages=(.3,)",
            "max_random_hue=30, random_hue_prob=1", "max_random_illumination=30, random_illumination_prob=1", "max_random_contrast=.5, random_contrast_prob=1",
            "num_parts=2, part_index=1, batch_size=2", "shuffle=True", "shuffle=True, seed=4, rand_mirror_prob=.5", "rand_pad_prob=1, max_pad_scale=2.4", "rand_pad_prob=.5, max_pad_scale=1.2",
            "rand_crop_prob=.7, num_crop_sampler=2", "rand_crop_prob=1, num_crop_sampler=3, min_crop_scales=(.3, .5, .1), max_crop_scales=(.9,), crop_emit_mode='overlap'",
        ),
    ),
    *_several("mx.image.ImageIter", _LIST, ("path_imgrec='a.rec'", "path_imgrec='a.rec', path_imgidx='a.idx', num_parts=2, part_index=1")),
    *_several(
        "mx.image.ImageIter",
        _LIST + ", path_imgrec='a.rec', path_imgidx='a.idx', shuffle=True",
        ("", "last_batch_handle='discard'", "last_batch_handle='roll_over'", "rand_crop=True, rand_mirror=True, inter_method=1"),
    ),
    "mx.image.ImageIter(batch_size=2, data_shape=(3, 8, 8), imglist=[[1, 5, '0.png'], [2, 6, '1.png'], [3, 7, '0.png']], label_width=2, path_root='.')",
    *_several("mx.image.ImageDetIter", _LIST + ", path_imgrec='det.rec', path_imgidx='det.idx', inter_method=1", ("", "shuffle=True, rand_mirror=True", "rand_crop=.5, rand_pad=.5, mean=True")),
]  # fmt: skip


def batches(program, mx, kept=None):
    """Data, labels, pad and index of the batches of two epochs."""
    random.seed(3)
    np.random.seed(3)
    iterator = eval(program, {"mx": mx})
    if kept is not None:
        kept.append(iterator)
    found = []
    for _ in range(2):
        found += [_of(batch) for batch in iterator]
        iterator.reset()
    return found


def _of(batch):
    arrays = [_dense(array) for array in (*batch.data, *batch.label)]
    index = None if batch.index is None else [int(i) for i in batch.index]
    return {"arrays": arrays, "pad": batch.pad, "index": index}


def _dense(array):
    return (array if array.stype == "default" else array.tostype("default")).asnumpy()


def write_files(mx):
    """Makes the files that iterators read, in this folder."""
    import cv2

    draw = np.random.RandomState(0)

    def image(height, width):
        coarse = draw.randint(0, 256, (5, 6, 3)).astype(np.uint8)
        return cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)

    images = [image(16 + i, 22 - i) for i in range(6)]
    records = mx.recordio.MXIndexedRecordIO("a.idx", "a.rec", "w")
    for i, pixels in enumerate(images):
        records.write_idx(i, mx.recordio.pack_img((0, float(i), i, 0), pixels, 9, ".png"))
    records.close()
    records = mx.recordio.MXIndexedRecordIO("det.idx", "det.rec", "w")
    for i, pixels in enumerate(images[:5]):
        label = [4, 5, 7, 8]
        for k in range(1 + i % 3):
            label += [k, 0.1 + 0.1 * k, 0.2, 0.5 + 0.1 * k, 0.8]
        records.write_idx(i, mx.recordio.pack_img((0, label, i, 0), pixels, 9, ".png"))
    records.close()
    for i in range(2):
        cv2.imwrite(f"{i}.png", images[i])
    texts = {
        "a.lst": "".join(f"{i}\t{i / 2}\t{-i}\t{i}.png\n" for i in range(6)),
        "d.csv": "".join(",".join(str(i * 10 + j) for j in range(4)) + "\n" for i in range(7)),
        "l.csv": "".join(f"{i}\n" for i in range(7)),
        "d.svm": "0 0:1 2:2.5\n1 1:3\n2\n3 0:4 3:5 # more\n4 2:6\n",
        "l.svm": "0 0:1\n0 1:1 2:2\n0 0:3\n0 2:1\n0 1:7\n",
    }
    for name, text in texts.items():
        with open(name, "w") as file:
            file.write(text)
    with open("images", "wb") as file:
        file.write(struct.pack(">iiii", 2051, 7, 3, 2) + bytes(range(42)))
    with open("labels", "wb") as file:
        file.write(struct.pack(">ii", 2049, 7) + bytes(range(7)))
