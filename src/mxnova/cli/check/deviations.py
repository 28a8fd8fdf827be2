# SPDX-License-Identifier: Apache-2.0
"""Names whose use a row of docs/deviations.md is about, and what to do."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DEVIATIONS", "Deviation"]


class Deviation(NamedTuple):
    """A row.

    Attributes:
        row: how its first column begins.
        remedy: what to do.
    """

    row: str
    remedy: str


_IMPORT_ONNX = Deviation(
    "`mx.contrib.onnx.import_model`: element types",
    "element types are those of the file, where MXNet made float32; cast where you need that",
)
_BULK = Deviation(
    "`engine.bulk`, `set_bulk_size`", "eager operators run at once: leave it out, or hybridize"
)
_EMBEDDING = Deviation(
    "`contrib.text.embedding`: downloads", "put the file where the error message says"
)
_LIBRARY = Deviation(
    "`mx.libinfo.find_lib_path`, `find_include_path`",
    "there is no compiled library; `mxnova capi build` makes one",
)
_PYTHON_OPS = Deviation(
    "`NumpyOp`, `NDArrayOp` in symbol JSON", "use CustomOp in models that are saved"
)
DEVIATIONS = {  # name below mxnet -> row
    "random.seed": Deviation(
        "Random numbers for a seed", "for MXNet's numbers: mx.random.seed(s, exact=True)"
    ),
    "library.load": Deviation("`mx.library.load`", "write the operator in Python: mx.operator"),
    "ndarray.imdecode": Deviation("`mx.nd.imdecode`", "mx.image.imdecode"),
    "libinfo.find_lib_path": _LIBRARY,
    "libinfo.find_include_path": _LIBRARY,
    "base._LIB": Deviation("`mx.base._LIB`", "call functions of mxnova instead"),
    "runtime.Features": Deviation("`mx.runtime.Features`", "ask for features that PyTorch has"),
    "gluon.contrib.nn.SyncBatchNorm": Deviation(
        "`gluon.contrib.nn.SyncBatchNorm` on more than one device",
        "statistics are those of each device: use larger batches, or GroupNorm",
    ),
    "contrib.text.embedding.create": _EMBEDDING,
    "contrib.text.embedding.GloVe": _EMBEDDING,
    "contrib.text.embedding.FastText": _EMBEDDING,
    "operator.NumpyOp": _PYTHON_OPS,
    "operator.NDArrayOp": _PYTHON_OPS,
    "engine.bulk": _BULK,
    "engine.set_bulk_size": _BULK,
    "contrib.onnx.import_model": _IMPORT_ONNX,
    "contrib.onnx.onnx2mx.import_model.import_model": _IMPORT_ONNX,
    "contrib.onnx.import_to_gluon": _IMPORT_ONNX,
    "contrib.svrg_optimization.SVRGModule": Deviation(
        "`SVRGModule`: second and later snapshots", "results differ from MXNet's, which were wrong"
    ),
    "rnn.encode_sentences": Deviation(
        "`mx.rnn.encode_sentences`: tokens beyond `vocab`", "`unknown_token` has one number"
    ),
    "notebook.callback.PandasLogger": Deviation(
        "`notebook.callback.PandasLogger`: `batches_per_sec`", "the two columns are not exchanged"
    ),
}
