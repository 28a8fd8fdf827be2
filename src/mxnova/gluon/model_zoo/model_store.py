# SPDX-License-Identifier: Apache-2.0
"""Files of weights: looked for in a folder, checked, and fetched where they are missing."""

from __future__ import annotations

import functools
import logging
import os
import shutil
import tempfile
import zipfile

from ...base import data_dir
from ...core.base.errors import ArgumentError, FormatError, candidates, shown
from ...formats.archives import unpacking
from ..places import first_that_has
from ..utils import check_sha1
from .hub import weights_of

__all__ = ["get_model_file", "purge", "short_hash"]

apache_repo_url = "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/"

_MOST_BYTES = 1 << 30  # of a file of weights; the largest published one has 575 MB

# The SHA-1 of each file as MXNet published it.
_model_sha1 = {
    "alexnet": "44335d1f0046b328243b32a26a4fbd62d9057b45",
    "densenet121": "f27dbf2dbd5ce9a80b102d89c7483342cd33cb31",
    "densenet161": "b6c8a95717e3e761bd88d145f4d0a214aaa515dc",
    "densenet169": "2603f878403c6aa5a71a124c4a3307143d6820e9",
    "densenet201": "1cdbc116bc3a1b65832b18cf53e1cb8e7da017eb",
    "inceptionv3": "ed47ec45a937b656fcc94dabde85495bbef5ba1f",
    "mobilenet0.25": "9f83e440996887baf91a6aff1cccc1c903a64274",
    "mobilenet0.5": "8e9d539cc66aa5efa71c4b6af983b936ab8701c3",
    "mobilenet0.75": "529b2c7f4934e6cb851155b22c96c9ab0a7c4dc2",
    "mobilenet1.0": "6b8c5106c730e8750bcd82ceb75220a3351157cd",
    "mobilenetv2_1.0": "36da4ff1867abccd32b29592d79fc753bca5a215",
    "mobilenetv2_0.75": "e2be7b72a79fe4a750d1dd415afedf01c3ea818d",
    "mobilenetv2_0.5": "aabd26cd335379fcb72ae6c8fac45a70eab11785",
    "mobilenetv2_0.25": "ae8f9392789b04822cbb1d98c27283fc5f8aa0a7",
    "resnet18_v1": "a0666292f0a30ff61f857b0b66efc0228eb6a54b",
    "resnet34_v1": "48216ba99a8b1005d75c0f3a0c422301a0473233",
    "resnet50_v1": "0aee57f96768c0a2d5b23a6ec91eb08dfb0a45ce",
    "resnet101_v1": "d988c13d6159779e907140a638c56f229634cb02",
    "resnet152_v1": "671c637a14387ab9e2654eafd0d493d86b1c8579",
    "resnet18_v2": "a81db45fd7b7a2d12ab97cd88ef0a5ac48b8f657",
    "resnet34_v2": "9d6b80bbc35169de6b6edecffdd6047c56fdd322",
    "resnet50_v2": "ecdde35339c1aadbec4f547857078e734a76fb49",
    "resnet101_v2": "18e93e4f48947e002547f50eabbcc9c83e516aa6",
    "resnet152_v2": "f2695542de38cf7e71ed58f02893d82bb409415e",
    "squeezenet1.0": "264ba4970a0cc87a4f15c96e25246a1307caf523",
    "squeezenet1.1": "33ba0f93753c83d86e1eb397f38a667eaf2e9376",
    "vgg11": "dd221b160977f36a53f464cb54648d227c707a05",
    "vgg11_bn": "ee79a8098a91fbe05b7a973fed2017a6117723a8",
    "vgg13": "6bc5de58a05a5e2e7f493e2d75a580d83efde38c",
    "vgg13_bn": "7d97a06c3c7a1aecc88b6e7385c2b373a249e95e",
    "vgg16": "e660d4569ccb679ec68f1fd3cce07a387252a90a",
    "vgg16_bn": "7f01cf050d357127a73826045c245041b0df7363",
    "vgg19": "ad2f660d101905472b83590b59708b71ea22b2e5",
    "vgg19_bn": "f360b758e856f1074a85abd5fd873ed1d98297c3",
}


def short_hash(name: str) -> str:
    """The first eight digits of the hash of model `name`, which its file is named by."""
    if name not in _model_sha1:
        raise ArgumentError(
            f"no weights of a model {shown(name)} were published{candidates(name, _model_sha1)}"
        )
    return _model_sha1[name][:8]


def get_model_file(name: str, root: str = os.path.join(data_dir(), "models")) -> str:
    """The path of the weights of model `name`, which are fetched if they are not in `root`.

    Args:
        name: of the model, such as 'resnet50_v1'.
        root: folder of files of weights, ``resnet50_v1-0aee57f9.params``. They may be put there by
            hand.

    Raises:
        ArgumentError: no weights of such a model were published.
        MissingFileError: the file is not there, or is another one, and can be fetched neither from
            the places in MXNOVA_MIRRORS nor from MXNet's repository or that of MXNET_GLUON_REPO.
    """
    file_name = f"{name}-{short_hash(name)}"
    folder = os.path.expanduser(root)
    path = os.path.join(folder, f"{file_name}.params")
    if os.path.exists(path):
        if check_sha1(path, _model_sha1[name]):
            return path
        logging.warning("%s: not the file that was published; it is fetched again", path)
    os.makedirs(folder, exist_ok=True)

    def accept(found: str) -> str:
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            os.replace(_published(found, name, file_name, scratch), path)
        return path

    return first_that_has(
        [f"gluon/models/{file_name}.zip", f"{file_name}.params"],
        accept,
        path,
        f"the file of weights of {name!r}, whose SHA-1 is {_model_sha1[name]},",
        functools.partial(weights_of, name, folder),
    )


def _published(found: str, name: str, file_name: str, scratch: str) -> str:
    """The path, in the folder `scratch`, of a file with the right hash, `found` or in that."""
    weights = os.path.join(scratch, "weights")
    if found.endswith(".params"):
        shutil.copyfile(found, weights)
    else:
        with (
            unpacking(f"{file_name}.zip"),
            zipfile.ZipFile(found) as files,
            files.open(_member(files, f"{file_name}.params")) as source,
            open(weights, "wb") as target,
        ):
            shutil.copyfileobj(source, target)
    if not check_sha1(weights, _model_sha1[name]):
        raise FormatError(f"its {file_name}.params is not the file that was published")
    return weights


def _member(files: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """File `name` of an archive, which says that it is no larger than weights are."""
    found = files.getinfo(name)
    if found.file_size > _MOST_BYTES:
        raise FormatError(f"{name} has {found.file_size} bytes, more than {_MOST_BYTES}")
    return found


def purge(root: str = os.path.join(data_dir(), "models")) -> None:
    """Removes all files of weights, ``*.params``, from the folder `root`."""
    folder = os.path.expanduser(root)
    for file in os.listdir(folder):
        if file.endswith(".params"):
            os.remove(os.path.join(folder, file))
