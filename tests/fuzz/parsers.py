# SPDX-License-Identifier: Apache-2.0
"""The parsers that are fuzzed: one row each in `PARSERS`."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import random
import struct
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import mxnova as mx
from mxnova.core.base.dtypes import DTYPES, dtype_of
from mxnova.core.base.errors import MXNetError
from mxnova.formats import (
    idx,
    params,
    recordio,
    safetensors,
    safetensors_params,
    states,
    symbol_json,
    text_tables,
)
from mxnova.formats.images import check_image

ALLOWANCE = 16 << 20
DATA = Path(__file__).parents[1] / "data"


@dataclass(frozen=True)
class Parser:
    """A function of bytes, and good inputs to damage: small ones, of every kind it knows.

    Where inputs must be well formed to come to what can be attacked, `make` makes them of random
    numbers. All are functions of a module, not lambdas: they go to another process by name.
    """

    name: str
    parse: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]
    factor: int = 1  # how many times the size of the input it may take, beside the allowance
    make: Callable[[random.Random], bytes] | None = None
    n_inputs: int = 2000  # of a run of the tests
    allowance: int = ALLOWANCE


# -- .params


def read_params(data: bytes) -> None:
    """Reads with and without NumPy shapes."""
    for np_shape in (False, True):
        with contextlib.suppress(MXNetError):
            params.read(data, np_shape=np_shape)


def params_seeds() -> list[bytes]:
    """Files of every version, dtype and storage type."""
    dense = [_dense((2, 3), dtype.name) for dtype in DTYPES]
    names = [f"arg:{dtype.name}" for dtype in DTYPES]
    numpy_shapes = [_dense((), "int32"), _dense((0, 3), "float32"), _dense((2,), "float64")]
    return [
        params.dumps([]),
        params.dumps(dense, names),
        params.dumps([_dense((1, 2, 1, 3, 2), "float32"), None, _csr(), _row_sparse()]),
        params.dumps([_csr(), _row_sparse()], ["arg:poids_é", "aux:в"]),
        _never_written_csr(),
        params.dumps(numpy_shapes, ["a", "b", "c"], np_shape=True),
        _old_list(struct.pack("<III", 2, 2, 3)),
        _old_list(struct.pack("<IIqq", 0xF993FAC8, 2, 2, 3)),
    ]


def _dense(shape: tuple[int, ...], dtype: str) -> params.ArrayRecord:
    kind = dtype_of(dtype)
    return params.ArrayRecord("default", shape, kind, np.zeros(shape, kind.numpy))


def _csr() -> params.ArrayRecord:
    data = np.arange(1, 4, dtype=np.float32)
    aux = (np.array([0, 2, 2, 3]), np.array([0, 2, 1]))
    return params.ArrayRecord("csr", (3, 4), dtype_of("float32"), data, aux)


def _row_sparse() -> params.ArrayRecord:
    data = np.ones((2, 3), np.float64)
    return params.ArrayRecord("row_sparse", (5, 3), dtype_of("float64"), data, (np.array([1, 4]),))


def _never_written_csr() -> bytes:
    """As MXNet writes it: without row pointers."""
    shapes = struct.pack("<iqiqq", 1, 0, 2, 2, 3)
    array = struct.pack("<Ii", 0xF993FAC9, 2) + shapes + struct.pack("<iii", 1, 0, 0)
    indices = struct.pack("<iiq", 6, 1, 0)
    return struct.pack("<QQQ", 0x112, 0, 1) + array + indices * 2 + struct.pack("<Q", 0)


def _old_list(shape: bytes) -> bytes:
    array = shape + struct.pack("<iii", 1, 0, 0) + bytes(24)
    names = struct.pack("<QQ3sQ1s", 2, 3, b"a:w", 1, b"b")
    return struct.pack("<QQQ", 0x112, 0, 2) + array + array + names


# -- .states


def states_seeds() -> list[bytes]:
    """Pickles by MXNet and by Python 2, and ours."""
    ours = {0: None, 1: (_dense((2,), "float32"), _row_sparse()), "2": _csr()}
    files = sorted((DATA / "files").glob("*.states"))
    progress = {"num_update": 3, "_index_update_count": {0: 3, 1: 3}}
    with_progress = states.dumps_states(ours, progress=progress)
    return [states.dumps_states(ours), with_progress, *(file.read_bytes() for file in files)]


# -- .safetensors


def read_safetensors(data: bytes) -> None:
    """Reads, and makes a file of parameters of it."""
    safetensors_params.to_params(safetensors.read(data))


def safetensors_seeds() -> list[bytes]:
    """Arrays of all dtypes, sparse ones, and what other programs write."""
    dense = [_dense((2, 3), dtype.name) for dtype in DTYPES]
    files = [
        params.ParamsFile(dense, [f"arg:{dtype.name}" for dtype in DTYPES]),
        params.ParamsFile([_csr(), _row_sparse()], ["arg:c", "aux:r"]),
    ]
    made = [safetensors_params.from_params(file) for file in files]
    foreign = safetensors.SafetensorsFile({"w": dense[0], "n": _dense((), "int64")}, {})
    return [safetensors.dumps(file.arrays, file.metadata) for file in (*made, foreign)]


# -- symbol JSON


def read_symbol(data: bytes) -> None:
    """Reads, and checks that what was read survives writing."""
    graph = symbol_json.loads(data, _inputs_of)
    assert symbol_json.loads(symbol_json.dumps(graph)) == graph


def _inputs_of(op: str, _attrs: Mapping[str, str]) -> Mapping[str, str]:
    names = {"BatchNorm": ("data", "gamma", "moving_mean"), "FullyConnected": ("data", "weight")}
    return {name: "zeros" if name == "moving_mean" else "" for name in names.get(op, ())}


def symbol_seeds() -> list[bytes]:
    """Files of many versions, and what MXNet 1.9.1 makes of them."""
    cases = json.loads((DATA / "symbols/upgrades.json").read_text(encoding="utf-8"))
    recorded = [text.encode() for case in cases.values() for text in case.values()]
    counted = b'{"op":"Concat","name":"c","attrs":{"num_args":"2000000000"},"inputs":[[0,0,0]]}'
    variable = b'{"op":"null","name":"a","inputs":[]}'
    lying = b'{"nodes":[%b,%b],"arg_nodes":[0],"heads":[[1,0,0]]}' % (variable, counted)
    return [*recorded, lying]


def infer_symbol(data: bytes) -> None:
    """Makes a symbol, infers shapes and types over it, and writes it down."""
    symbol = mx.sym.load_json(data)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "infer_.*not enough is known")
        for infer in (symbol.infer_shape, symbol.infer_shape_partial):
            with contextlib.suppress(MXNetError):
                infer(data=(2, 4, 8, 8))
        with contextlib.suppress(MXNetError):
            symbol.infer_type(data="float32")
    symbol.tojson()
    symbol.debug_str()


def inferred_seeds() -> list[bytes]:
    """Operators whose parameters are sizes, alone and in a loop."""
    x, sym = mx.sym.var("data"), mx.sym
    images = [
        sym.Convolution(x, kernel=(3, 3), num_filter=8, pad=(1, 1), stride=(2, 2), dilate=(1, 1)),
        sym.Deconvolution(x, kernel=(2, 2), num_filter=8, adj=(1, 1), target_shape=(9, 9)),
        sym.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max"),
        sym.pad(x, mode="constant", pad_width=(0, 0, 0, 0, 1, 1, 2, 2)),
        sym.UpSampling(x, scale=2, sample_type="nearest"),
        sym.contrib.MultiBoxPrior(x, sizes=(0.5, 0.2), ratios=(1, 2), steps=(0.1, 0.1)),
        sym.Correlation(x, x, kernel_size=1, max_displacement=2, pad_size=2),
        sym.im2col(x, kernel=(3, 3), pad=(1, 1)),
    ]
    shapes = [
        sym.Reshape(x, shape=(0, -4, 2, -1, -2)),
        sym.tile(x, reps=(2, 1, 3)),
        sym.repeat(x, repeats=3, axis=1),
        sym.slice(x, begin=(0, 1), end=(2, 3), step=(1, 2)),
        sym.concat(*sym.split_v2(x, (1, 3), axis=1), dim=1),
        sym.Group(list(sym.SliceChannel(x, num_outputs=4, axis=1))),
        sym.broadcast_axis(sym.sum(x, axis=(0,), keepdims=True), axis=(0,), size=5),
        sym.one_hot(sym.argmax(x, axis=1), depth=7),
        sym.topk(x, k=3, axis=2, ret_typ="both"),
        sym.Embedding(x, input_dim=9, output_dim=5),
        sym.FullyConnected(x, num_hidden=6),
        sym.RNN(sym.Reshape(x, shape=(8, 8, -1)), state_size=4, num_layers=2, mode="lstm"),
        sym.zeros((2, 3)) + sym.arange(0, 10, 1, repeat=2).sum() + sym.eye(3, M=4).sum(),
        sym.random.uniform(0, 1, shape=(2, 3)),
    ]
    loops = [
        sym.contrib.foreach(lambda data, state: (data + state, state), x, sym.var("state"))[0],
        sym.contrib.cond(x.sum() > 0, lambda: x * 2, lambda: sym.tile(x, reps=(1,))),
    ]
    return [symbol.tojson().encode() for symbol in [*images, *shapes, *loops]]


# -- .rec and .idx


def read_recordio(data: bytes) -> None:
    """Reads and summarizes the same records, and takes off their headers."""
    sizes = [summary.size for summary in recordio.scan(data)]
    records = list(recordio.read_records(data))
    assert [len(record) for record in records] == sizes
    for record in records:
        if len(record) < 1 << 16:  # writing is not bounded: a part for every magic in the payload
            assert recordio.read_record(recordio.encode(record), 0)[0] == record
        with contextlib.suppress(MXNetError):
            recordio.unpack(record)


def recordio_seeds() -> list[bytes]:
    """Records in one part and in several, with and without headers."""
    labelled = [recordio.pack((0, label, 1, 0), b"\xff\xd8\xff\xe0") for label in (1.5, [1, 2])]
    payloads = [b"", b"abc", b"abcd" + recordio.MAGIC * 2 + b"x", *labelled]
    return [b"", *map(recordio.encode, payloads), b"".join(map(recordio.encode, payloads))]


def read_index(data: bytes) -> None:
    """Reads with keys of both common types."""
    for key_type in (int, str):
        with contextlib.suppress(MXNetError):
            recordio.parse_index(data, key_type)


def index_seeds() -> list[bytes]:
    """Lines with line ends of both kinds, blanks and a third column."""
    return [b"0\t0\n10\t12\n-3\t2400000\n", b" 1 \t 0 \tmore\r\n2\t16", "é\t0\n".encode()]


# -- images


def check_header(data: bytes) -> None:
    """Check the header of an image."""
    check_image("fuzz", memoryview(data), 100_000_000)


def image_seeds() -> list[bytes]:
    """Return headers of every format."""
    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">IIBB", 9, 9, 8, 2)
    texts = png + bytes(7) + b"\0\0\0\4zTXtk\0\0\0" + bytes(4) + b"\0\0\0\2IDATxx"
    jpeg = b"\xff\xd8\xff\xe0\0\4ab\xff%b\0\x11\x08" + struct.pack(">HHB", 9, 9, 1)
    scans = jpeg % b"\xc2" + b"\1\x11\0" * 3 + b"\xff\xda\0\x08\1\1\0\0\x3f\0\x12\xff\0\x34" * 3
    tags = struct.pack("<HHIIHHIIHHII", 256, 4, 1, 9, 257, 3, 1, 9, 322, 3, 1, 16)
    tiff = b"II*\0" + struct.pack("<IH", 8, 3) + tags
    big = b"II+\0\x08\0\0\0" + struct.pack("<QQHHQQHHQQ", 16, 2, 256, 16, 1, 9, 257, 4, 1, 9)
    bmp = b"BM" + bytes(12) + struct.pack("<Iii", 40, 9, -9)
    webp = b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + b"\1\0\0\1\0\0"
    others = [bmp, webp, b"GIF89a\1\0\1\0", b"P6\n# made up\n3 3\n255\n"]
    return [png, texts, jpeg % b"\xc0", scans, tiff, big, *others]


# -- tables of iterators


def read_csv(data: bytes) -> None:
    """Reads floats and integers."""
    for dtype in ("float32", "int64"):
        with contextlib.suppress(MXNetError):
            text_tables.parse_csv(data, dtype)


def csv_seeds() -> list[bytes]:
    """Numbers of every form, with line ends of both kinds."""
    return [b"1,2\n3,4\n", b"1.5,-2e3\r\n\r\nnan,inf\r\n", b"7\n"]


def read_libsvm(data: bytes) -> None:
    """Reads ten columns."""
    text_tables.parse_libsvm(data, 10)


def libsvm_seeds() -> list[bytes]:
    """Rows with and without entries, and comments."""
    return [b"0 0:1 2:2.5\n1\n# no row\n-1.5 9:1e3 # end\r\n"]


def image_list_seeds() -> list[bytes]:
    """Lines with one label and several."""
    return [b"0\t1.0\ta.jpg\n7\t2\t3.5\tb c.png\r\n\n", "1\t0\té.png".encode()]


def read_idx_file(data: bytes) -> None:
    """Reads images and labels."""
    for n_axes in (1, 3):
        with contextlib.suppress(MXNetError):
            idx.parse_idx(data, n_axes)


def idx_file_seeds() -> list[bytes]:
    """Images and labels."""
    return [struct.pack(">4I", 2051, 2, 1, 3) + bytes(6), struct.pack(">2I", 2049, 4) + bytes(4)]


def find_records(data: bytes) -> None:
    """Looks for records from every part's beginning, and goes on from there."""
    for cut in (1, len(data) // 2):
        offset = recordio.find_record(data, cut)
        while offset < len(data):
            offset = recordio.offset_after(data, offset)


@dataclass(frozen=True)
class Later:
    """A function of a module beside this one, which is imported when it is called.

    Some import PyTorch, whose heap would hide what other parsers take.
    """

    module: str
    name: str

    def __call__(self, *arguments: Any) -> Any:
        module = importlib.import_module(f".{self.module}", __package__)
        return getattr(module, self.name)(*arguments)


def _attack(
    name: str, module: str, factor: int, n_inputs: int, allowance: int = ALLOWANCE
) -> Parser:
    """A row of what is attacked by well-formed inputs: those that `make` of a module makes."""
    parse, seeds, make = (Later(module, function) for function in ("attack", "seeds", "make"))
    return Parser(name, parse, seeds, factor, make, n_inputs, allowance)


HAS_ONNX = importlib.util.find_spec("onnx") is not None
HAS_OPENCV = importlib.util.find_spec("cv2") is not None
HAS_RUNTIME = HAS_ONNX and importlib.util.find_spec("onnxruntime") is not None
ATTACKS: tuple[tuple[Any, ...], ...] = (  # name, module, factor, inputs of a test, allowance
    ("state_attacks", "states_files", 64, 150),
    ("archive_attacks", "archives", 64, 60, 256 << 20),
    ("artefact_attacks", "artefacts", 64, 200, 384 << 20),
    ("argument_attacks", "arguments", 64, 120, 1 << 30),
    ("file_attacks", "files", 64, 300),
    ("checkpoint_attacks", "checkpoints", 64, 100, 96 << 20),
    ("python_attacks", "python_files", 256, 20, 1 << 30),
    *([("image_attacks", "images", 64, 300, 256 << 20)] if HAS_OPENCV else []),
    ("name_attacks", "names", 256, 40, 8 << 30),
    *([("onnx_attacks", "onnx_graphs", 128, 100)] if HAS_ONNX else []),
    *(
        [
            ("conversion_attacks", "conversions", 64, 60, 1 << 30),
            ("compiled_attacks", "compiled_models", 64, 120, 256 << 20),
        ]
        if HAS_RUNTIME
        else []
    ),
)


# fmt: off
PARSERS: tuple[Parser, ...] = (
    Parser("params",      read_params,        params_seeds, params.FACTOR),
    Parser("states",      states.read_states, states_seeds),
    Parser("safetensors", read_safetensors,   safetensors_seeds, safetensors.FACTOR),
    Parser("symbol_json", read_symbol,        symbol_seeds, symbol_json.FACTOR),
    Parser("symbol",      infer_symbol,       inferred_seeds, 2 * symbol_json.FACTOR),
    Parser("recordio",    read_recordio,      recordio_seeds),
    Parser("idx",         read_index,         index_seeds),
    Parser("images",      check_header,       image_seeds),
    Parser("csv",         read_csv,           csv_seeds, 16),
    Parser("libsvm",      read_libsvm,        libsvm_seeds, 16),
    Parser("image_list",  text_tables.parse_image_list, image_list_seeds, 64),
    Parser("idx_file",    read_idx_file,      idx_file_seeds),
    Parser("record_parts", find_records,      recordio_seeds),
    Parser("artefacts",   Later("artefacts", "attack"), Later("artefacts", "seeds"), 64, None, 200,
           384 << 20),
    *([
        Parser("onnx",    Later("onnx_models", "import_onnx"), Later("onnx_models", "onnx_seeds"), 128),
    ] if HAS_ONNX else []),
    *(_attack(*row) for row in ATTACKS),
)
# fmt: on
