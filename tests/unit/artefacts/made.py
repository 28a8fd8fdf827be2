# SPDX-License-Identifier: Apache-2.0
"""Archives as SageMaker's algorithms, its script mode and Multi Model Server write them."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile

import numpy as np

import mxnova as mx
from mxnova.core.nd.files import record_of_array
from mxnova.formats import params


def tar_gz(files, *entries):
    """A tar archive of contents by name, and of other entries."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        for info in entries:
            tar.addfile(info)
    return made.getvalue()


def zipped(files, kind=zipfile.ZIP_DEFLATED):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", kind) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def text(value):
    return json.dumps(value).encode()


def checkpoint(symbol, prefix="model", epoch=0, **shapes):
    """The two files of a network with random parameters."""
    draw = np.random.default_rng(0)
    inferred, _, inferred_states = symbol.infer_shape(**shapes)
    arrays = {}
    for kind, names, sizes in (
        ("arg", symbol.list_arguments(), inferred),
        ("aux", symbol.list_auxiliary_states(), inferred_states),
    ):
        for name, size in zip(names, sizes):
            if name not in shapes and not name.endswith("label"):
                values = np.abs(draw.standard_normal(size)) if "var" in name else None
                values = draw.standard_normal(size) if values is None else values
                arrays[f"{kind}:{name}"] = mx.nd.array(values * 0.3)
    records = [record_of_array(array) for array in arrays.values()]
    return {
        f"{prefix}-symbol.json": symbol.tojson().encode(),
        f"{prefix}-{epoch:04d}.params": params.dumps(records, list(arrays)),
    }


def linear_network():
    data = mx.sym.var("data")
    out = mx.sym.FullyConnected(data, num_hidden=1, name="fc0")
    return mx.sym.LinearRegressionOutput(out, mx.sym.var("out_label"), name="out")


def linear_learner():
    inner = {
        "additional-params.json": text({"predictor_type": "regressor", "threshold": 0.5}),
        "manifest.json": text({"version": "1"}),
        **checkpoint(linear_network(), "mx-mod", data=(1, 13)),
    }
    return tar_gz({"model_algo-1": zipped(inner, zipfile.ZIP_STORED)})


def factorization_machines():
    data = mx.sym.var("data", stype="csr")
    w = mx.sym.var("w1_weight", shape=(20, 1))
    v = mx.sym.var("v", shape=(20, 4))
    crossed = mx.sym.square(mx.sym.dot(data, v))
    out = mx.sym.dot(data, w) + 0.5 * mx.sym.sum(crossed, axis=1, keepdims=True)
    out = mx.sym.LogisticRegressionOutput(out, mx.sym.var("out_label"), name="out")
    inner = {"manifest.json": text({}), **checkpoint(out, "mx-mod", data=(1, 20))}
    return tar_gz({"model_algo-1": zipped(inner)})


def small_images(n_classes=3):
    data = mx.sym.BatchNorm(mx.sym.var("data"), name="bn_data", fix_gamma=True)
    body = mx.sym.Convolution(data, num_filter=4, kernel=(3, 3), stride=(4, 4), name="conv0")
    body = mx.sym.FullyConnected(mx.sym.flatten(body), num_hidden=n_classes, name="fc1")
    return mx.sym.SoftmaxOutput(body, name="softmax")


def image_classification():
    shapes = [{"name": "data", "shape": [32, 3, 24, 32]}]
    files = checkpoint(small_images(), "image-classification", 10, data=(1, 3, 24, 32))
    return tar_gz({**files, "model-shapes.json": text(shapes)})


def detector(n_classes=2):
    """A single-shot detector as it is trained: losses, targets of labels, and detections."""
    data, label = mx.sym.var("data"), mx.sym.var("label")
    body = mx.sym.Convolution(data, num_filter=4, kernel=(3, 3), stride=(8, 8), name="conv0")
    body = mx.sym.Activation(body, act_type="relu", name="relu0")
    size = {"kernel": (3, 3), "pad": (1, 1)}
    scores = mx.sym.Convolution(body, num_filter=4 * (n_classes + 1), name="cls", **size)
    places = mx.sym.Convolution(body, num_filter=4 * 4, name="loc", **size)
    anchors = mx.sym.contrib.MultiBoxPrior(
        body, sizes=(0.3, 0.5), ratios=(1, 2, 0.5), name="anchors"
    )
    scores = mx.sym.transpose(scores, axes=(0, 2, 3, 1))
    scores = mx.sym.reshape(scores, shape=(0, -1, n_classes + 1))
    scores = mx.sym.transpose(scores, axes=(0, 2, 1), name="multibox_cls_pred")
    places = mx.sym.flatten(mx.sym.transpose(places, axes=(0, 2, 3, 1)), name="multibox_loc_pred")
    target = mx.sym.contrib.MultiBoxTarget(anchors, label, scores, name="multibox_target")
    prob = mx.sym.SoftmaxOutput(
        scores, target[2], ignore_label=-1, use_ignore=True, multi_output=True,
        normalization="valid", name="cls_prob",
    )  # fmt: skip
    loss = mx.sym.smooth_l1(target[1] * (places - target[0]), scalar=1.0, name="loc_loss_")
    found = mx.sym.contrib.MultiBoxDetection(
        prob, places, anchors, nms_threshold=0.45, nms_topk=400, name="detection"
    )
    return mx.sym.Group(
        [
            prob,
            mx.sym.MakeLoss(loss, grad_scale=1.0, normalization="valid", name="loc_loss"),
            mx.sym.MakeLoss(target[2], grad_scale=0, name="cls_label"),
            mx.sym.MakeLoss(found, grad_scale=0, name="det_out"),
        ]
    )


def object_detection():
    settings = {
        "base_network": "resnet-50", "image_shape": "32", "num_classes": "2", "epochs": "30",
        "nms_threshold": "0.45", "overlap_threshold": "0.5", "mini_batch_size": "16",
    }  # fmt: skip
    files = checkpoint(detector(), "model_algo_1", data=(1, 3, 32, 32), label=(1, 5, 5))
    return tar_gz({"hyperparams.json": text(settings), **files})


def semantic_segmentation():
    settings = {
        "algorithm": "fcn",
        "backbone": "resnet-50",
        "num_classes": "21",
        "crop_size": "240",
    }
    weights = params.dumps([record_of_array(mx.nd.ones((2, 2)))], ["conv1.weight"])
    return tar_gz({"hyperparams.json": text(settings), "model_best.params": weights})


def script_mode():
    shapes = [{"shape": [100, 13], "name": "data"}]
    files = checkpoint(linear_network(), data=(1, 13))
    code = {"code/inference.py": b"raise SystemExit('run')"}
    return tar_gz({"model-shapes.json": text(shapes), **files, **code})


def arrays(**named):
    """As PCA and k-means leave their arrays."""
    records = [record_of_array(mx.nd.array(values)) for values in named.values()]
    return params.dumps(records, list(named))


SIGNATURE = {
    "inputs": [{"data_name": "data", "data_shape": [0, 3, 24, 32]}],
    "input_type": "image/jpeg",
    "outputs": [{"data_name": "softmax", "data_shape": [0, 3]}],
    "output_type": "application/json",
}
SYNSET = b"n01440764 tench, Tinca tinca\nn01443537 goldfish\nn01484850 great white shark\n"


def mar():
    """Version 1.0."""
    manifest = {
        "specificationVersion": "1.0", "modelServerVersion": "1.0", "runtime": "python",
        "model": {"modelName": "squeeze", "handler": "mxnet_vision_service:handle"},
    }  # fmt: skip
    files = checkpoint(small_images(), "squeeze", data=(1, 3, 24, 32))
    side = {"signature.json": text(SIGNATURE), "synset.txt": SYNSET}
    code = {"mxnet_vision_service.py": b"raise SystemExit('run')"}
    return zipped({"MAR-INF/MANIFEST.json": text(manifest), **files, **side, **code})


def old_mar():
    """Version 0.x."""
    manifest = {
        "Engine": {"MXNet": 0.12}, "Model-Archive-Version": 0.1, "Model-Server": 0.4,
        "Model": {
            "Service": "service.py", "Symbol": "a.json", "Parameters": "b.params",
            "Signature": "signature.json", "Model-Name": "old", "Model-Format": "MXNet-Symbolic",
        },
    }  # fmt: skip
    symbol, weights = checkpoint(small_images(), data=(1, 3, 24, 32)).values()
    signature = {"inputs": [{"data_name": "data", "shape": [0, 3, 24, 32]}]}
    files = {"a.json": symbol, "b.params": weights, "signature.json": text(signature)}
    return zipped({"MANIFEST.json": text(manifest), **files})


# Names of files and what they hold; all open to a network.
NETWORKS = {
    "linear/model.tar.gz": linear_learner,
    "fm/model.tar.gz": factorization_machines,
    "images/model.tar.gz": image_classification,
    "objects/model.tar.gz": object_detection,
    "script/model.tar.gz": script_mode,
    "squeeze.mar": mar,
    "old.model": old_mar,
}
