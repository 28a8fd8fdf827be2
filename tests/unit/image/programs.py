# SPDX-License-Identifier: Apache-2.0
"""Programs on images, run by MXNet to be recorded and by mxnova to be compared."""

from __future__ import annotations

import random

import numpy as np

# Each is an expression over mx, I (mx.image), T (transforms), D (gluon.data), np, photo (uint8,
# 24 × 31 × 3), small (uint8, 9 × 7 × 3), tensor (float32, 3 × 9 × 6) and its batch, png and grey
# (files as bytes).
PROGRAMS = [
    # reading
    *(f"I.imdecode({a})" for a in ("png", "png, 0", "png, 1, to_rgb=0", "grey", "grey, 0")),
    "I.imdecode(bytearray(png))",
    "I.imdecode(np.frombuffer(png, np.uint8))",
    # sizes
    *(f"I.imresize(photo, {s})" for s in ("12, 9", "40, 60", "12, 9, 0", "12, 9, interp=3", "50, 40, 4")),
    *(f"I.resize_short(photo, {s})" for s in ("10", "40, 1", "17, 9", "24, 0")),
    "I.resize_short(photo.transpose((1, 0, 2)), 11, 1)",
    *(f"I.scale_down({s})" for s in ("(100, 50), (200, 10)", "(10, 10), (5, 5)", "(640, 480), (720, 120)", "(360, 1000), (480, 500)", "(3, 1), (10, 10)")),
    *(f"I.image._get_interp_method({a})" for a in ("0", "4", "9", "9, (9, 9, 8, 8)", "9, (9, 9, 10, 10)", "9, (9, 9, 8, 10)", "9, (9, 9, 9, 9)", "10")),
    # parts
    *(f"I.fixed_crop(photo, {a})" for a in ("2, 3, 10, 12", "2, 3, 10, 12, (10, 12)", "2, 3, 10, 12, (5, 6), 1", "2, 3, 10, 12, (5, 6), 9", "25, 3, 10, 12")),
    *(f"I.random_crop(photo, {a})" for a in ("(10, 20)", "(60, 20), 1", "(31, 24)")),
    *(f"I.center_crop(photo, {a})" for a in ("(10, 20)", "(9, 9)", "(60, 20), 0", "(20, 60), 1")),
    *(f"I.random_size_crop(photo, (10, 12), {a}, 1)" for a in ("(.1, 1), (.7, 1.3)", ".5, (.75, 1.33)", "(3, 4), (.7, 1.3)", "(.01, .02), (.1, 10)")),
    *(f"I.copyMakeBorder(small, {a})" for a in ("1, 2, 3, 4", "1, 2, 3, 4, 1", "1, 1, 1, 1, type=4", "1, 2, 3, 4, type=0, values=(1, 2, 3)")),
    # turned
    *(f"I.imrotate(tensor, {d}, {z})" for d in (0, 10, -30.5, 90, 200) for z in ("False, False", "True, False", "False, True")),
    "I.imrotate(batch, mx.nd.array([10, 30]), True)",
    "I.imrotate(batch, 25)",
    "I.random_rotate(tensor, (-20, 40))",
    "I.random_rotate(batch, (-20, 40), zoom_out=True)",
    # colours
    "I.color_normalize(photo.astype('float32'), mx.nd.array([1, 2, 3]), mx.nd.array([4, 5, 6]))",
    "I.color_normalize(photo.astype('float32'), None, 3)",
    # augmenters
    *(
        f"I.{name}(photo.astype('float32'))"
        for name in (
            "ResizeAug(15, 1)", "ForceResizeAug((10, 12), 1)", "RandomCropAug((10, 12))", "CenterCropAug((10, 12))",
            "RandomSizedCropAug((10, 12), .2, (.7, 1.3), 1)", "BrightnessJitterAug(.3)", "ContrastJitterAug(.3)",
            "SaturationJitterAug(.3)", "HueJitterAug(.3)", "ColorJitterAug(.1, .2, .3)", "RandomGrayAug(1)",
            "RandomGrayAug(.01)", "HorizontalFlipAug(1)", "HorizontalFlipAug(0)", "CastAug('int32')",
            "LightingAug(.1, np.array([1., 2, 3]), np.eye(3) + .5)", "ColorNormalizeAug([1, 2, 3], [4, 5, 6])",
            "ColorNormalizeAug([1, 2, 3], None)", "SequentialAug([I.CastAug(), I.HorizontalFlipAug(.5)])",
            "RandomOrderAug([I.BrightnessJitterAug(.5), I.HueJitterAug(.5), I.HorizontalFlipAug(.5)])",
        )
    ),
    *(
        f"[a.dumps() for a in I.CreateAugmenter((3, 20, 24){options})]"
        for options in (
            "", ", resize=10", ", rand_crop=True", ", rand_crop=True, rand_resize=True", ", rand_mirror=True, mean=True, std=True",
            ", hue=.1, pca_noise=.1, rand_gray=.1", ", brightness=.1, saturation=.1", ", mean=np.array([1, 2, 3])",
        )
    ),
    "[a(photo.astype('float32')) for a in I.CreateAugmenter((3, 20, 24), rand_crop=True, rand_mirror=True, mean=True, inter_method=1)]",
    # transformations
    *(
        f"T.{name}(photo)"
        for name in (
            "Cast()", "Cast('float16')", "ToTensor()", "Resize(10)", "Resize((10, 12))", "Resize(10, True)", "Resize(40, True, 0)",
            "CenterCrop(10)", "CenterCrop((40, 10))", "CropResize(1, 2, 10, 12)", "CropResize(1, 2, 10, 12, (5, 6), 1)",
            "CropResize(1, 2, 10, 12, 5, 0)", "RandomResizedCrop(10)", "RandomResizedCrop((10, 12), (.5, .6), (1, 2), 1)",
            "Compose([T.Resize(16), T.CenterCrop(12), T.ToTensor(), T.Normalize(.5, .25)])", "Compose([T.ToTensor()])", "Compose([])",
            "RandomApply(T.Cast(), .7)", "RandomApply(T.Cast(), .01)",
        )
    ),
    "T.Normalize((1, 2, 3), (4, 5, 6))(tensor)",
    "T.Normalize(1, 2)(batch)",
    "T.ToTensor()(photo.expand_dims(0))",
    "T.Rotate(30)(tensor)",
    "T.Rotate(30, zoom_in=True)(tensor)",
    "T.RandomRotation((-20, 30))(tensor)",
    "[T.RandomRotation((-20, 30), rotate_with_proba=.5)(tensor) for _ in range(4)]",
    "[type(c).__name__ for c in T.Compose([T.Resize(4), T.ToTensor(), T.CenterCrop(3), T.Cast()])._children.values()]",
    # orders and batches
    *(f"list(D.{s})" for s in ("SequentialSampler(4)", "SequentialSampler(4, 2)", "RandomSampler(9)")),
    *(
        f"[(len(b), list(b)) for b in [D.BatchSampler(D.SequentialSampler({n}), 3, {last!r})] * 4]"
        for n in (7, 6, 2) for last in ("keep", "discard", "rollover")
    ),
    "list(D.FilterSampler(lambda x: x % 3 == 1, D.SimpleDataset(range(10))))",
    "list(mx.gluon.contrib.data.IntervalSampler(13, 3))",
    "list(mx.gluon.contrib.data.IntervalSampler(13, 3, rollover=False))",
    "[[list(D.SimpleDataset(range(n)).shard(k, i)) for i in range(k)] for n, k in ((9, 4), (8, 4), (3, 5))]",
    "[list(D.SimpleDataset(range(5)).take(n)) for n in (0, 3, 9, None)]",
    "list(D.SimpleDataset(range(5)).sample(D.SequentialSampler(2, 1)).transform(lambda x: x * 10))",
    "list(D.ArrayDataset([1, 2], mx.nd.array([3, 4])).transform_first(lambda x: -x))",
    "list(D.SimpleDataset([(1, 2), 3]).transform(lambda *x: len(x), lazy=False))",
    *(
        f"{place}([{elements}])"
        for place in ("D.dataloader.default_batchify_fn", "D.dataloader.default_mp_batchify_fn")
        for elements in (
            "1, 2", "1.5, 2", "np.float32(1), np.float32(2)", "np.ones(3), np.zeros(3)", "mx.nd.ones(3), mx.nd.zeros(3)",
            "(1, 2.), (3, 4.)", "([1, 2], 3), ([4, 5], 6)", "[1, 2], [3, 4]", "True, False", "np.array([1], 'int8')",
            "(mx.nd.ones(2), (1, np.ones(2, 'f4')))", "(1, 2), (3,)", "np.ones(2, 'f4'), np.ones(2)",
        )
    ),
    "[b for b in D.DataLoader(D.ArrayDataset(np.arange(7.), mx.nd.arange(14).reshape((7, 2))), 3)]",
    "[b for b in D.DataLoader(list(range(7)), 3, shuffle=True, last_batch='discard')]",
    "[len(list(d)) for d in [D.DataLoader(list(range(7)), 3, last_batch='rollover')] * 3]",
]  # fmt: skip


def names(mx, png, grey):
    """What programs see; the generators start anew."""
    random.seed(7)
    np.random.seed(7)
    values = np.random.RandomState(3)
    return {
        "mx": mx,
        "np": np,
        "I": mx.image,
        "T": mx.gluon.data.vision.transforms,
        "D": mx.gluon.data,
        "photo": mx.nd.array(values.randint(0, 256, (24, 31, 3)), dtype="uint8"),
        "small": mx.nd.array(values.randint(0, 256, (9, 7, 3)), dtype="uint8"),
        "tensor": mx.nd.array(values.rand(3, 9, 6)),
        "batch": mx.nd.array(values.rand(2, 3, 9, 6)),
        "png": png,
        "grey": grey,
    }


def run(program, mx, png, grey):
    """What a program gives, of arrays and plain values."""
    return eval(program, names(mx, png, grey))


def described(value, arrays):
    """`value` for JSON; its arrays go to the list `arrays`."""
    if hasattr(value, "asnumpy"):
        arrays.append(value.asnumpy())
        return {"array": len(arrays) - 1, "context": value.context.device_type}
    if isinstance(value, (list, tuple)):
        return [described(part, arrays) for part in value]
    return value.item() if isinstance(value, np.generic) else value
