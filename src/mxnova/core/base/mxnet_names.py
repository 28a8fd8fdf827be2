# SPDX-License-Identifier: Apache-2.0
"""Names of MXNet 1.9.1: what mxnova may not have yet is no misspelling, and errors say so."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from .errors import candidates

__all__ = ["MODULES", "MissingName", "missing_name", "missing_text"]

MODULES = frozenset(
    """
    api attribute autograd base callback context contrib contrib.amp contrib.amp.amp
    contrib.amp.lists contrib.amp.lists.symbol_bf16 contrib.amp.lists.symbol_fp16
    contrib.amp.loss_scaler contrib.autograd contrib.io contrib.ndarray contrib.onnx
    contrib.onnx.onnx2mx contrib.onnx.onnx2mx.import_model contrib.onnx.onnx2mx.import_onnx
    contrib.onnx.onnx2mx.import_to_gluon contrib.quantization contrib.svrg_optimization
    contrib.svrg_optimization.svrg_module contrib.svrg_optimization.svrg_optimizer
    contrib.symbol contrib.tensorboard contrib.text contrib.text.embedding contrib.text.utils
    contrib.text.vocab engine error executor executor_manager gluon gluon.block gluon.contrib
    gluon.contrib.cnn gluon.contrib.cnn.conv_layers gluon.contrib.data
    gluon.contrib.data.sampler gluon.contrib.data.text gluon.contrib.estimator
    gluon.contrib.estimator.batch_processor gluon.contrib.estimator.estimator
    gluon.contrib.estimator.event_handler gluon.contrib.estimator.utils gluon.contrib.nn
    gluon.contrib.nn.basic_layers gluon.contrib.rnn gluon.contrib.rnn.conv_rnn_cell
    gluon.contrib.rnn.rnn_cell gluon.data gluon.data.dataloader gluon.data.dataset
    gluon.data.sampler gluon.data.vision gluon.data.vision.datasets gluon.data.vision.transforms
    gluon.loss gluon.model_zoo gluon.model_zoo.model_store gluon.model_zoo.vision
    gluon.model_zoo.vision.alexnet gluon.model_zoo.vision.densenet
    gluon.model_zoo.vision.inception gluon.model_zoo.vision.mobilenet
    gluon.model_zoo.vision.resnet gluon.model_zoo.vision.squeezenet gluon.model_zoo.vision.vgg
    gluon.nn gluon.nn.activations gluon.nn.basic_layers gluon.nn.conv_layers gluon.parameter
    gluon.rnn gluon.rnn.rnn_cell gluon.rnn.rnn_layer gluon.trainer gluon.utils image
    image.detection image.image initializer io io.io io.utils kvstore kvstore.base
    kvstore.kvstore kvstore.kvstore_server libinfo library log lr_scheduler metric misc model
    module module.base_module module.bucketing_module module.executor_group module.module
    module.python_module module.sequential_module monitor name ndarray ndarray.contrib
    ndarray.image ndarray.linalg ndarray.ndarray ndarray.numpy ndarray.numpy.linalg
    ndarray.numpy.random ndarray.numpy_extension ndarray.numpy_extension.image
    ndarray.numpy_extension.random ndarray.op ndarray.random ndarray.register ndarray.sparse
    ndarray.utils notebook notebook.callback numpy numpy.arrayprint numpy.fallback
    numpy.fallback_linalg numpy.function_base numpy.io numpy.linalg numpy.multiarray
    numpy.random numpy.stride_tricks numpy.utils numpy_dispatch_protocol numpy_extension
    numpy_extension.image numpy_extension.random numpy_extension.utils numpy_op_fallback
    numpy_op_signature onnx onnx.mx2onnx operator optimizer optimizer.contrib
    optimizer.optimizer profiler random recordio registry rnn rnn.io rnn.rnn rnn.rnn_cell rtc
    runtime space symbol symbol.contrib symbol.image symbol.linalg symbol.numpy
    symbol.numpy.linalg symbol.numpy.random symbol.numpy_extension symbol.numpy_extension.image
    symbol.numpy_extension.random symbol.op symbol.random symbol.register symbol.sparse
    symbol.symbol symbol_doc test_utils torch tvmop util visualization
    """.split()  # noqa: SIM905 - a table to read
)
_SHORT = {  # names of modules of `mxnet` -> modules
    "img": "image",
    "init": "initializer",
    "kv": "kvstore",
    "mod": "module",
    "mon": "monitor",
    "np": "numpy",
    "npx": "numpy_extension",
    "th": "torch",
    "viz": "visualization",
}
_FUNCTIONS = frozenset({"np_array", "use_np", "use_np_array"})


def missing_text(name: str) -> str | None:
    """Return the error text for MXNet's missing `name` (``gluon.nn``); None if MXNet lacks it."""
    first, dot, rest = name.partition(".")
    full = _SHORT.get(first, first) + dot + rest
    if full not in MODULES and full not in _FUNCTIONS:
        return None
    return f"mxnova does not have mxnet.{full} yet (see the table 'What works' in docs/evidence.md)"


class MissingName(AttributeError):  # noqa: N818 - as NotImplementedForSymbol
    """A name that a module does not have: not yet, or because it is misspelled.

    Args:
        module: name of the module.
        name: what was asked for.
        known: gives the names that there are.
    """

    def __init__(self, module: str, name: str, known: Callable[[], Iterable[str]]) -> None:
        # Without `obj` Python would add a suggestion of its own.
        super().__init__(f"module {module!r} has no attribute {name!r}", name=name, obj=None)
        self._path = f"{module}.{name}".partition(".")[2]
        self._known = known

    def __str__(self) -> str:  # made when shown: most who ask for a name only want to know
        text = missing_text(self._path)
        name = self.name or ""
        hint = "" if name.startswith("__") else candidates(name, self._known(), similarity=0.7)
        return text or str(self.args[0]) + hint

    def __reduce__(self) -> Any:
        return AttributeError, (str(self),)


def missing_name(
    module: str, name: str, known: Callable[[], Iterable[str]] | None = None
) -> MissingName:
    """The error for what a module does not have, among the names that are known or shown."""
    return MissingName(module, name, known or (lambda: dir(sys.modules[module])))
