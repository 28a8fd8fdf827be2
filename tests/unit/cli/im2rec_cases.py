# SPDX-License-Identifier: Apache-2.0
"""Calls of im2rec, run by MXNet's to be recorded and by mxnova's to be compared."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2] / "data" / "im2rec" / "images"

LISTS = {
    name: ["--list", *options.split()]
    for name, options in {
        "plain": "",
        "recursive": "--recursive",
        "in order": "--recursive --no-shuffle",
        "chunks": "--recursive --chunks 2",
        "train": "--recursive --train-ratio .6",
        "train and test": "--recursive --train-ratio .5 --test-ratio .25",
        "no validation": "--recursive --train-ratio .5 --test-ratio .5",
        "one kind": "--recursive --exts .png",
        "parts of chunks": "--recursive --chunks 2 --train-ratio .5",
    }.items()
}

LIST = "3\t1.0\ta/0.jpg\n5\t2.5\tb/grey.png\n9\t0\ta/1.png\n11\t7\tb/c/3.jpg\n"
LABELS = "3\t1.0\t2\t3\ta/0.jpg\n5\t2.5\t1\t7\tb/grey.png\n9\t0\t1\t2\ta/1.png\n"

# name: (list, options)
RECORDS = {
    name: (text, options.split())
    for name, (text, options) in {
        "plain": (LIST, ""),
        "pass-through": (LIST, "--pass-through"),
        "smaller": (LIST, "--resize 9"),
        "larger squares": (LIST, "--resize 24 --center-crop"),
        "quality": (LIST, "--quality 50"),
        "PNG": (LIST, "--encoding .png --quality 9"),
        "quality of JPEG for PNG": (LIST, "--encoding .png"),
        "grey": (LIST, "--color 0"),
        "as stored": (LIST, "--color -1 --encoding .png --quality 1"),
        "labels": (LABELS, "--pack-label"),
        "first label": (LABELS, ""),
        "one label": (LIST, "--pack-label"),
        "labels and bytes": (LABELS, "--pack-label --pass-through"),
    }.items()
}


def write_images() -> None:
    """Makes the images."""
    import cv2
    import numpy as np

    draw = np.random.RandomState(0)
    paths = ["a/0.jpg", "a/1.png", "b/2.JPG", "b/c/3.jpg", "4.jpeg", "b/grey.png"]
    for i, path in enumerate(paths):
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        channels = 1 if "grey" in path else 3
        coarse = draw.randint(0, 256, (4, 5, channels)).astype(np.uint8)
        pixels = cv2.resize(coarse, (20 - 3 * i, 11 + 2 * i), interpolation=cv2.INTER_CUBIC)
        cv2.imwrite(str(ROOT / path), pixels)
    (ROOT / "a" / "notes.txt").write_text("text\n")


def files_of(run, folder, options, text=None):
    """The files that a call makes, by name: ``run(prefix, root, *options)``."""
    folder.mkdir()
    if text is not None:
        (folder / "x.lst").write_text(text)
    run(str(folder / "x"), str(ROOT), *options)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
