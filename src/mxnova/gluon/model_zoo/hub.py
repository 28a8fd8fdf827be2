# SPDX-License-Identifier: Apache-2.0
"""Weights on Hugging Face's hub, of networks that are the zoo's under timm's names.

GluonCV trained them; they are other weights than those that MXNet published for the same networks.
ResNets of 50 layers and more are not here: GluonCV's stride stands in another convolution.
"""

from __future__ import annotations

import glob
import hashlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path

from ...core.base.errors import ArgumentError, FormatError, MXNetError, candidates, shown
from ...core.base.packages import missing_package
from ...formats import params, safetensors
from ...formats.atomic import replacing
from ...formats.source import sha256_of

__all__ = ["REPOSITORIES", "weights_of", "zoo_names"]

REPOSITORIES = {
    "resnet18_v1": "timm/resnet18.gluon_in1k",
    "resnet34_v1": "timm/resnet34.gluon_in1k",
    "inceptionv3": "timm/inception_v3.gluon_in1k",
}  # name in the zoo -> on the hub
FILE = "model.safetensors"
_BLOCKS = {"resnet18_v1": (2, 2, 2, 2), "resnet34_v1": (3, 4, 6, 3)}
_log = logging.getLogger("mxnova")


def weights_of(name: str, folder: str) -> str:
    """The path, in `folder`, of weights in the names of the zoo; fetched where they are not there.

    Args:
        name: of a network of the zoo.
        folder: where files of weights are.

    Raises:
        ArgumentError: the hub has no weights of this network.
        FormatError: the file is not the one that the hub states, or is of another network.
        MXNetError: huggingface_hub is not installed, or the hub cannot be reached.
    """
    if name not in REPOSITORIES:
        raise ArgumentError(
            f"the hub has no weights of {shown(name)}{candidates(name, REPOSITORIES)}"
        )
    for path in glob.glob(os.path.join(glob.escape(folder), f"{name}-hf-*.params")):
        if sha1_of(Path(path).read_bytes()) == Path(path).stem.rpartition("-")[2]:
            return path
        _log.warning("%s has changed since it was fetched; it is fetched again", path)
    content = converted(name, _fetched(REPOSITORIES[name]))
    path = os.path.join(folder, f"{name}-hf-{sha1_of(content)}.params")
    with replacing(path) as file:
        file.write(content)
    return path


def sha1_of(content: bytes) -> str:
    """The SHA-1 of bytes, as files are named by."""
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()


def _fetched(repository: str) -> str:
    """The path, in the hub's cache, of weights with the SHA-256 that the hub states."""
    try:
        import huggingface_hub as hub
    except ImportError:
        raise MXNetError(f"{repository}: {missing_package('huggingface_hub', 'hub')}") from None
    endpoint = os.environ.get("HF_ENDPOINT")
    try:
        url = hub.hf_hub_url(repository, FILE, endpoint=endpoint)
        stated = hub.get_hf_file_metadata(url)
        path: str = hub.hf_hub_download(
            repository, FILE, revision=stated.commit_hash, endpoint=endpoint
        )
    except Exception as error:  # of the package's HTTP client, too
        raise MXNetError(f"{repository}: {error}") from error
    if sha256_of(path) != stated.etag:
        raise FormatError(f"{repository}: {FILE} has not the SHA-256 {stated.etag}")
    _log.info("%s at %s: SHA-256 %s", repository, stated.commit_hash, stated.etag)
    return path


def converted(name: str, path: str) -> bytes:
    """A file of parameters in the names of the zoo.

    Args:
        name: of a network of the zoo.
        path: of timm's safetensors file.

    Raises:
        FormatError: arrays are missing, or are there that the network does not have.
    """
    names = dict(zoo_names(name))
    arrays = safetensors.read(path).arrays
    given = {key for key in arrays if not key.endswith("num_batches_tracked")}
    if wrong := sorted(given ^ names.keys()):
        kind = "is missing" if wrong[0] in names else "is of another network"
        raise FormatError(f"{path}: {shown(wrong[0])} {kind}, and {len(wrong) - 1} more")
    ordered = [key for key in names if key in given]
    return params.dumps([arrays[key] for key in ordered], [names[key] for key in ordered])


# Names ------------------------------------------------------------------------------------------

_NORM = {"weight": "gamma", "bias": "beta", "running_mean": "running_mean",
         "running_var": "running_var"}  # fmt: skip
# Of Inception: place in `features` -> timm's name, or the names of the convolutions of each branch.
_INCEPTION: dict[str, str | tuple[str, ...]] = {
    "0": "Conv2d_1a_3x3",
    "1": "Conv2d_2a_3x3",
    "2": "Conv2d_2b_3x3",
    "4": "Conv2d_3b_1x1",
    "5": "Conv2d_4a_3x3",
    **dict.fromkeys(
        ("7 Mixed_5b", "8 Mixed_5c", "9 Mixed_5d"),
        (
            "0.0 branch1x1",
            "1.0 branch5x5_1",
            "1.1 branch5x5_2",
            "2.0 branch3x3dbl_1",
            "2.1 branch3x3dbl_2",
            "2.2 branch3x3dbl_3",
            "3.1 branch_pool",
        ),
    ),
    "10 Mixed_6a": (
        "0.0 branch3x3",
        "1.0 branch3x3dbl_1",
        "1.1 branch3x3dbl_2",
        "1.2 branch3x3dbl_3",
    ),
    **dict.fromkeys(
        ("11 Mixed_6b", "12 Mixed_6c", "13 Mixed_6d", "14 Mixed_6e"),
        (
            "0.0 branch1x1",
            "1.0 branch7x7_1",
            "1.1 branch7x7_2",
            "1.2 branch7x7_3",
            "2.0 branch7x7dbl_1",
            "2.1 branch7x7dbl_2",
            "2.2 branch7x7dbl_3",
            "2.3 branch7x7dbl_4",
            "2.4 branch7x7dbl_5",
            "3.1 branch_pool",
        ),
    ),
    "15 Mixed_7a": (
        "0.0 branch3x3_1",
        "0.1 branch3x3_2",
        "1.0 branch7x7x3_1",
        "1.1 branch7x7x3_2",
        "1.2 branch7x7x3_3",
        "1.3 branch7x7x3_4",
    ),
    **dict.fromkeys(
        ("16 Mixed_7b", "17 Mixed_7c"),
        (
            "0.0 branch1x1",
            "1.0.0 branch3x3_1",
            "1.1.0.0 branch3x3_2a",
            "1.1.1.0 branch3x3_2b",
            "2.0.0 branch3x3dbl_1",
            "2.0.1 branch3x3dbl_2",
            "2.1.0.0 branch3x3dbl_3a",
            "2.1.1.0 branch3x3dbl_3b",
            "3.1 branch_pool",
        ),
    ),
}


def zoo_names(name: str) -> Iterator[tuple[str, str]]:
    """(timm's name, the zoo's) of each array of a network."""
    yield from _inception() if name == "inceptionv3" else _resnet(_BLOCKS[name])
    yield "fc.weight", "output.weight"
    yield "fc.bias", "output.bias"


def _resnet(stages: tuple[int, ...]) -> Iterator[tuple[str, str]]:
    yield from _convolution("conv1", "bn1", "features.0", "features.1")
    for stage, n_blocks in enumerate(stages, 1):
        for block in range(n_blocks):
            theirs, ours = f"layer{stage}.{block}.", f"features.{stage + 3}.{block}."
            for number, place in ((1, 0), (2, 3)):
                yield from _convolution(
                    f"{theirs}conv{number}",
                    f"{theirs}bn{number}",
                    f"{ours}body.{place}",
                    f"{ours}body.{place + 1}",
                )
            if stage > 1 and block == 0:
                down = "downsample"
                yield from _convolution(
                    f"{theirs}{down}.0", f"{theirs}{down}.1", f"{ours}{down}.0", f"{ours}{down}.1"
                )


def _inception() -> Iterator[tuple[str, str]]:
    for where, what in _INCEPTION.items():
        place, _, block = where.partition(" ")
        for branch in [what] if isinstance(what, str) else what:
            inner, _, convolution = branch.rpartition(" ")
            theirs = ".".join(filter(None, (block, convolution)))
            ours = ".".join(filter(None, ("features", place, inner)))
            yield from _convolution(f"{theirs}.conv", f"{theirs}.bn", f"{ours}.0", f"{ours}.1")


def _convolution(conv: str, norm: str, our_conv: str, our_norm: str) -> Iterator[tuple[str, str]]:
    """Names of a convolution without bias and of the BatchNorm behind it."""
    yield f"{conv}.weight", f"{our_conv}.weight"
    for theirs, ours in _NORM.items():
        yield f"{norm}.{theirs}", f"{our_norm}.{ours}"
