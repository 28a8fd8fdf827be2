# SPDX-License-Identifier: Apache-2.0
"""Writes the `.params` and `.states` files of this folder with MXNet 1.9.1, and runs with it only.

Values are counted up from 0 in every array, so that the tests know them.
"""

import pickle
from pathlib import Path

import mxnet as mx
import numpy as np
from mxnet.ndarray import sparse

FOLDER = Path(__file__).parent
DTYPES = ["float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool", "bfloat16"]
BFLOAT16 = np.dtype([("bfloat16", np.uint16)])
SHAPE = (2, 3)


def counted(shape, dtype="float32"):
    values = mx.nd.array(np.arange(np.prod(shape)).reshape(shape))
    return values.astype(BFLOAT16 if dtype == "bfloat16" else np.dtype(dtype))


def csr(dtype="float32"):
    data = np.arange(3, dtype=dtype)
    return sparse.csr_matrix((data, [0, 2, 1], [0, 2, 2, 3]), shape=(3, 4), dtype=dtype)


def row_sparse(rows, shape, dtype="float32"):
    data = np.arange(len(rows) * np.prod(shape[1:], dtype=int), dtype=dtype)
    data = data.reshape(len(rows), *shape[1:])
    return sparse.row_sparse_array((data, rows), shape=shape, dtype=dtype)


def record_params():
    save("dense", {dtype: counted(SHAPE, dtype) for dtype in DTYPES})
    save("list", [counted((4,)), counted((1, 2, 1, 3, 2), "float64"), counted((1,), "int64")])
    save("single", counted(SHAPE))
    save("empty", [])
    save(
        "names", {"arg:poids_é": counted((2,)), "aux:вес a/b.c": counted((1, 2)), "": counted((3,))}
    )
    rows = {"r": row_sparse([1, 4], (5, 2)), "r3": row_sparse([2], (3, 2, 2), "float64")}
    save("sparse", {"c": csr(), "c64": csr("float64"), **rows})
    zeros = {"c": sparse.zeros("csr", (3, 4)), "r": sparse.zeros("row_sparse", (5, 2))}
    save("sparse_zero", zeros)
    save("sparse_tostype", [csr().tostype("default").tostype("csr")])
    with mx.util.np_shape(True):
        scalar = mx.np.zeros((), dtype="int32").as_nd_ndarray()
        nothing = mx.np.zeros((0, 3)).as_nd_ndarray()
        save("numpy_shapes", {"scalar": scalar, "nothing": nothing, "x": counted(SHAPE)})


def save(name, arrays):
    mx.nd.save(str(FOLDER / f"{name}.params"), arrays)


def record_states():
    scheduler = mx.lr_scheduler.MultiFactorScheduler([2, 5], 0.5)
    sgd = {"momentum": 0.9, "lr_scheduler": scheduler, "param_idx2name": {0: "w"}}
    updater = updated("sgd", sgd)
    write("sgd", updater.get_states(dump_optimizer=True))
    for protocol in range(6):
        value = updater.states, updater.optimizer
        write(f"sgd_protocol{protocol}", pickle.dumps(value, protocol))
    write("sgd_module", updater.get_states(dump_optimizer=False))
    write("sgd_no_state", updated("sgd", {}).get_states(dump_optimizer=True))
    write("adam", updated("adam", {}).get_states(dump_optimizer=True))
    write("ftml", updated("ftml", {}).get_states(dump_optimizer=False))
    mixed = {"momentum": 0.9, "multi_precision": True}
    write("sgd_fp16", updated("sgd", mixed, "float16").get_states(dump_optimizer=True))
    mixed = {"multi_precision": True}
    write("adam_fp16", updated("adam", mixed, "float16").get_states(dump_optimizer=True))
    rows = updated("adam", {}, stype="row_sparse")
    write("adam_row_sparse", rows.get_states(dump_optimizer=True))
    numpy_numbers = {"learning_rate": np.float64(0.25), "momentum": np.float32(0.5)}
    write("sgd_numpy_numbers", updated("sgd", numpy_numbers).get_states(dump_optimizer=True))
    with mx.util.np_shape(True):
        write("adam_numpy_shapes", updated("adam", {}).get_states(dump_optimizer=True))


def updated(optimizer, options, dtype="float32", stype="default"):
    updater = mx.optimizer.get_updater(mx.optimizer.create(optimizer, **options))
    weight = mx.nd.ones(SHAPE, dtype=dtype).tostype(stype)
    updater(0, weight.copy(), weight)
    count_up(updater.states[0], stype)
    return updater


def count_up(state, stype):
    if isinstance(state, tuple):
        for part in state:
            count_up(part, stype)
    elif state is not None:
        counted(state.shape, state.dtype).tostype(stype).copyto(state)


def write(name, content):
    (FOLDER / f"{name}.states").write_bytes(content)


record_params()
record_states()
