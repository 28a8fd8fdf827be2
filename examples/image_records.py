# SPDX-License-Identifier: Apache-2.0
"""From image files to predictions, by way of a record file: python -m examples.image_records.

Handwritten digits are written as PNG files, a folder for each digit. ``mxnova im2rec`` makes lists
of them, and record files; ImageRecordIter reads, shifts and shuffles these while a Module learns,
which writes checkpoints; a Predictor reads the last one. The exit status is 1 where a full training
ends below 97 % of held-out images.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np
from sklearn.datasets import load_digits

import mxnova as mx
from examples.digits import network
from examples.module_digits import fitted

MIN_ACCURACY = 0.97
EPOCHS = 12
SHAPE = (1, 8, 8)


def write_images(root: Path) -> None:
    """``root/<digit>/<number>.png``."""
    digits = load_digits()
    for number, (image, digit) in enumerate(zip(digits.images, digits.target)):
        path = root / str(digit) / f"{number:04}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(path), (image * 255 / 16).astype(np.uint8))


def im2rec(*arguments: str) -> None:
    """Runs the command."""
    subprocess.run([sys.executable, "-m", "mxnova", "im2rec", *arguments], check=True)


def write_records(prefix: str, root: Path) -> None:
    """``prefix_train`` and ``prefix_val``, each as .lst, .rec and .idx."""
    im2rec(prefix, str(root), "--list", "--recursive", "--train-ratio", "0.75")
    im2rec(prefix, str(root), "--encoding", ".png", "--quality", "9", "--color", "0")


def records(prefix: str, **options: object) -> mx.io.DataIter:
    """Batches of images from 0 to 1."""
    files = {"path_imgrec": f"{prefix}.rec", "path_imgidx": f"{prefix}.idx"}
    return mx.io.ImageRecordIter(data_shape=SHAPE, scale=1 / 255, **files, **options)


def tested(prefix: str, epoch: int, batches: mx.io.DataIter) -> tuple[int, int]:
    """How many images of `batches` the checkpoint tells right, and how many there are."""
    shapes = {"data": (batches.batch_size, *SHAPE)}
    predictor = mx.Predictor.from_checkpoint(prefix, epoch, shapes)
    right = total = 0
    for batch in batches:
        (probabilities,) = predictor.predict(data=batch.data[0].asnumpy())
        n = batches.batch_size - batch.pad
        right += int((probabilities.argmax(axis=1) == batch.label[0].asnumpy())[:n].sum())
        total += n
    return right, total


def main(arguments: list[str] | None = None) -> int:
    """Writes images and records, trains, saves and tests; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rate", type=float, default=2e-3)
    options = parser.parse_args(arguments)

    mx.random.seed(0)
    with tempfile.TemporaryDirectory() as folder:
        prefix, root = str(Path(folder, "digits")), Path(folder, "images")
        write_images(root)
        write_records(prefix, root)
        n = len(Path(f"{prefix}_train.idx").read_text().splitlines())
        shifted = {"pad": 1, "fill_value": 0, "rand_crop": True}
        learn = records(f"{prefix}_train", batch_size=options.batch, shuffle=True, **shifted)
        checkpoint = mx.callback.do_checkpoint(prefix)
        fitted(network(), learn, n, options.epochs, options.rate, epoch_end_callback=checkpoint)
        right, total = tested(prefix, options.epochs, records(f"{prefix}_val", batch_size=50))
    print(f"held-out accuracy {right / total:.2%} of {total} images")
    return int(options.epochs >= EPOCHS and right / total < MIN_ACCURACY)


if __name__ == "__main__":
    sys.exit(main())
