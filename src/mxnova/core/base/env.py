# SPDX-License-Identifier: Apache-2.0
"""Every environment variable mxnova reads: type, default, meaning."""

from __future__ import annotations

import math
import os
from typing import Any, Literal, NamedTuple

from .errors import argument_error
from .parameter_types import FloatKind, IntKind, Kind
from .params import PosInt, kind_of

__all__ = ["VARIABLES", "Variable", "describe_variables", "get"]


class Variable(NamedTuple):
    """One environment variable."""

    kind: Kind
    default: Any
    doc: str


class _SecondsKind(FloatKind):
    """A span of time: a number, which operators' parameters need not be."""

    def parse(self, value: Any) -> float:
        seconds = super().parse(value)
        if math.isnan(seconds):
            raise ValueError(f"must be a number from {self.low:g} to {self.high:g}")
        return seconds


# fmt: off
VARIABLES: dict[str, Variable] = {
    "MXNET_OPTIMIZER_AGGREGATION_SIZE": Variable(kind_of(int), 4,
        "Maximum number of weights that an optimizer updates in one fused call; 0: no fusion."),
    "MXNET_HOME": Variable(kind_of(str), "",
        "Directory of downloaded data sets and models; default: .mxnet in the home directory."),
    "MXNET_GLUON_REPO": Variable(kind_of(str),
        "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/",
        "Base URL from which Gluon downloads models and data sets."),
    "MXNOVA_MIRRORS": Variable(kind_of(str), "",
        "Places that are asked for pretrained weights and data sets before MXNET_GLUON_REPO, "
        "separated by blanks: base URLs, folders, or `hf` for Hugging Face's hub."),
    "MXNOVA_TUNE_PROCESS": Variable(kind_of(bool), False,
        "Whether importing mxnova tunes the whole process, as `mx.util.tune_process()` does; "
        "`mxnova run`, `predict`, `serve` and `launch` set it to 1 unless it is set."),
    "MXNOVA_IMAGE_MAX_PIXELS": Variable(kind_of(PosInt), 100_000_000,
        "Maximum width times height of an image that is decoded; larger images are refused. OpenCV "
        "gets the same limit when mxnova imports it, unless OPENCV_IO_MAX_IMAGE_PIXELS is set."),
    "MXNOVA_FUSE": Variable(kind_of(bool), True,
        "Whether graph passes run: for inference, folding BatchNorm and fusing activations; "
        "for training, keeping images in oneDNN's blocked layout."),
    "MXNOVA_PASSES": Variable(kind_of(str), "",
        "Which graph passes run, by name: `-a,-b` all but these two, `a,b` only these two; "
        "default: all."),
    "MXNOVA_LINT_PASSES": Variable(kind_of(bool), False,
        "Whether graphs are validated after each pass."),
    "MXNOVA_WINOGRAD": Variable(kind_of(bool), True,
        "Whether the passes use Winograd's algorithm for large 3x3 convolutions: a quarter of the "
        "multiplications, and weights of four times the memory."),
    "MXNOVA_SMALL_IN_ONE_THREAD": Variable(kind_of(bool), True,
        "Whether small graphs and updates of few weights run in the calling thread only, without "
        "OpenMP threads; read once."),
    "MXNOVA_AUTO_BACKENDS": Variable(kind_of(str),
        "onednn openvino openvino-streams onnxruntime cudagraph",
        "Backends that `auto` measures besides ATen, if they are installed; separated by blanks."),
    "MXNOVA_COMPILED": Variable(kind_of(bool), False,
        "Whether the C predict interface compiles models for ONNX Runtime and caches them; "
        "programs that use no other interface then start without PyTorch."),
    "MXNOVA_CACHE": Variable(kind_of(str), "",
        "Cache directory; default: mxnova in the user's cache directory."),
    "MXNOVA_PROGRESS": Variable(kind_of(bool), True,
        "Whether `fit` shows a progress bar on a terminal."),
    "MXNOVA_NUMPY_NAMES": Variable(kind_of(bool), True,
        "Whether `import mxnet` restores the names that NumPy removed, such as np.float."),
    "MXNOVA_NUMPY_COMPAT": Variable(kind_of(bool), False,
        "Whether `import mxnet` makes arrays of `asnumpy()` numbers where they have one element of "
        "any shape, and np.array(copy=False) copy where it must, as in NumPy's old versions."),
    "MXNOVA_SERVE_HOST": Variable(kind_of(str), "127.0.0.1",
        "Address that `mxnova serve` binds to unless `--host` says another; 0.0.0.0: all."),
    "MXNOVA_TRACEBACK": Variable(kind_of(Literal["short", "full"]), "short",
        "Which frames tracebacks of mxnova's errors show: short: those of the program; full: those "
        "inside mxnova, too."),
    "MXNOVA_CHECK": Variable(kind_of(bool), False,
        "Whether labels and indices are checked against their range by the operators that MXNet "
        "lets clip or ignore them, such as pick, Embedding and SoftmaxOutput, and take with its "
        "default mode='clip', too; it costs a pass over the indices."),
    "MXNET_RANDOM": Variable(kind_of(Literal["fast", "exact"]), "fast",
        "Random generators of CPU contexts: fast: PyTorch's; exact: MXNet's own, which reproduce "
        "its numbers for a seed."),
    "MXNET_ELIMINATE_COMMON_EXPR": Variable(kind_of(bool), True,
        "Whether common subexpressions of a graph are eliminated."),
    "MXNET_BACKWARD_DO_MIRROR": Variable(kind_of(bool), False,
        "Whether backward passes through convolutions recompute activations to save memory; read "
        "when a graph is bound."),
    "MXNET_SUBGRAPH_BACKEND": Variable(kind_of(str), "",
        "Backend of bound symbols; empty or NONE: the default one."),
    "MXNET_PROFILER_AUTOSTART": Variable(kind_of(bool), False,
        "Whether the profiler runs from the start; its trace is written at exit."),
    "MXNET_PROFILER_MODE": Variable(kind_of(int), 13,
        "What a profiler that starts by itself records, a sum of 1 (executors; 0 means the same), "
        "2 (eager operators), 4 (calls of the interface), 8 (memory)."),
    "MXNET_ENGINE_TYPE": Variable(
        kind_of(Literal["NaiveEngine", "ThreadedEngine", "ThreadedEnginePerDevice"]),
        "ThreadedEnginePerDevice",
        "Where pushed operations run: the calling thread, one thread pool, or one per device."),
    "MXNET_CPU_WORKER_NTHREADS": Variable(kind_of(PosInt), 1,
        "Threads that run the operations of one CPU context."),
    "MXNET_CPU_PRIORITY_NTHREADS": Variable(kind_of(PosInt), 4,
        "Threads that run urgent operations on the CPU."),
    "MXNET_GPU_WORKER_NTHREADS": Variable(kind_of(PosInt), 2,
        "Threads that start the kernels of one GPU."),
    "MXNET_GPU_PRIORITY_NTHREADS": Variable(kind_of(PosInt), 2,
        "Threads that start the urgent kernels of one GPU."),
    "MXNET_GPU_COPY_NTHREADS": Variable(kind_of(PosInt), 2,
        "Threads that copy to and from one GPU."),
    "MXNET_MP_WORKER_NTHREADS": Variable(kind_of(PosInt), 1,
        "MXNET_CPU_WORKER_NTHREADS of forked processes."),
    "MXNET_EXEC_BULK_EXEC_TRAIN": Variable(kind_of(bool), True,
        "Whether start_bulk of the engine gathers operations of training."),
    "MXNET_EXEC_BULK_EXEC_INFERENCE": Variable(kind_of(bool), True,
        "Whether start_bulk of the engine gathers operations of inference."),
    "MXNET_EXEC_BULK_EXEC_MAX_NODE_TRAIN": Variable(kind_of(PosInt), 15,
        "How many operations start_bulk of the engine gathers."),
    "MXNOVA_ENGINE_PATIENCE": Variable(kind_of(float), 60.0,
        "Seconds without a finished operation after which forks and the end of the process no "
        "longer wait for queued work."),
    "MXNOVA_CHECK_ENGINE_ACCESS": Variable(kind_of(bool), False,
        "Whether operations of the engine may touch only the arrays that they declared."),
    "MXNET_KVSTORE_BIGARRAY_BOUND": Variable(kind_of(PosInt), 1_000_000,
        "Number of elements from which a KVStore sums and copies in the background, and from which "
        "a value is sharded over all workers."),
    "MXNET_UPDATE_ON_KVSTORE": Variable(kind_of(bool), True,
        "Whether a Trainer with several contexts updates parameters on its KVStore."),
    "MXNOVA_DIST_TIMEOUT": Variable(_SecondsKind("double", 0.1, 1e6), 60.0,
        "Heartbeat timeout in seconds, after which a process of a distributed job counts as dead."),
    "MXNOVA_DIST_START_TIMEOUT": Variable(_SecondsKind("double", 0.1, 1e6), 300.0,
        "Seconds that the processes of a distributed job wait for each other at the start."),
    "MXNOVA_DIST_LISTEN": Variable(kind_of(str), "",
        "Address on which the rendezvous store of a distributed job listens; default: the one that "
        "the workers connect to."),
    "MXNOVA_JOB_SECRET": Variable(kind_of(str), "",
        "Secret of a distributed job, by which its processes know each other; the launcher draws "
        "one for each job."),
    "MXNOVA_REMOTE_REQUEST_SIZE": Variable(IntKind("long", 1 << 16, 1 << 30), 4 << 20,
        "Bytes of a remote file that one request asks for, where it is read in order."),
    "MXNOVA_REMOTE_READ_AHEAD": Variable(IntKind("long", 0, 1 << 40), 32 << 20,
        "Bytes of a remote file that are read before they are needed; 0: none."),
    "MXNOVA_REMOTE_REQUESTS": Variable(IntKind("int", 1, 256), 64,
        "Requests for parts of remote files that a process has under way at a time over HTTP, and "
        "as many to other stores."),
    "MXNOVA_REMOTE_CACHE": Variable(IntKind("long", 1 << 20, 1 << 40), 256 << 20,
        "Bytes of memory for what a process has read of remote files in ranges."),
    "MXNOVA_REMOTE_MAX_SIZE": Variable(IntKind("long", 1 << 10, 1 << 50), 64 << 30,
        "Largest remote file that is read into memory as a whole, in bytes."),
    "MXNOVA_REMOTE_RETRIES": Variable(IntKind("int", 0, 100), 5,
        "How often a request to a remote store is repeated after time-outs, broken connections and "
        "errors of the server; pauses double from 0.1 s, less a random part."),
    "MXNOVA_REMOTE_TIMEOUT": Variable(_SecondsKind("double", 0.1, 1e6), 60.0,
        "Seconds that one request for a part of a file over HTTP may take."),
    "MXNOVA_STEP_TIMES": Variable(kind_of(bool), False,
        "Whether a worker of a distributed job tells the launcher how long its steps take; "
        "`mxnova launch --report` sets it."),
    "MXNET_STORAGE_FALLBACK_LOG_VERBOSE": Variable(kind_of(bool), True,
        "Whether fallbacks of operators to dense copies of sparse arrays are logged, once each."),
    "MXNET_CPU_TEMP_COPY": Variable(kind_of(PosInt), 4,
        "Number of workspaces of a thread on the CPU, used round-robin."),
    "MXNET_GPU_TEMP_COPY": Variable(kind_of(PosInt), 1,
        "Number of workspaces of a thread on each GPU."),
    "MXNET_CPU_PARALLEL_RAND_COPY": Variable(kind_of(PosInt), 1,
        "Number of random streams of the CPU for parallel kernels, used round-robin."),
    "MXNET_GPU_PARALLEL_RAND_COPY": Variable(kind_of(PosInt), 4,
        "Number of random streams of each GPU for parallel kernels."),
}


def _pool_variables(device: str, where: str) -> dict[str, Variable]:
    pool = f"MXNET_{device}_MEM_POOL"
    return {
        f"{pool}_TYPE": Variable(kind_of(Literal["Naive", "Round", "Unpooled"]), "Naive",
            f"How freed {where} is kept: rounded up to pages, to powers of two, or not at all."),
        f"{pool}_RESERVE": Variable(IntKind("int", 0, 100), 5,
            f"Percentage of {where} that is left to others: pools are emptied before."),
        f"{pool}_PAGE_SIZE": Variable(kind_of(PosInt), 4096,
            f"Pools round requests for {where} up to multiples of this."),
        f"{pool}_ROUND_LINEAR_CUTOFF": Variable(IntKind("int", 1, 62), 24,
            "Rounding pools round up to powers of two up to two to this, then to multiples of it."),
        f"MXNET_{device}_MEM_LARGE_ALLOC_ROUND_SIZE": Variable(kind_of(PosInt), 2 << 20,
            f"Naive pools round larger requests for {where} up to multiples of this."),
    }


VARIABLES |= {
    "MXNET_GPU_MEM_POOL_TYPE": Variable(kind_of(Literal["Naive", "Round", "Unpooled"]), "Naive",
        "How ATen keeps freed GPU memory: as it does by itself, rounded to powers of two, not."),
    "MXNET_GPU_MEM_POOL_RESERVE": Variable(IntKind("int", 0, 100), 0,
        "Percentage of a GPU's memory that ATen does not take."),
}
VARIABLES |= _pool_variables("CPU", "CPU memory")
VARIABLES |= _pool_variables("CPU_PINNED", "page-locked memory")
# fmt: on


def get(name: str) -> Any:
    """The typed value of variable `name`: as set in the environment, or its default.

    Raises:
        ArgumentError: it is set to something that cannot be read.
    """
    variable = VARIABLES[name]
    text = os.environ.get(name)
    if text is None:
        return variable.default
    try:
        return variable.kind.parse(text)
    except ValueError as error:
        raise argument_error("environment", name, text, str(error)) from None


def describe_variables() -> str:
    """A printable list of all variables."""
    return "\n".join(
        f"{name} ({v.kind.label}, default {v.default}): {v.doc}" for name, v in VARIABLES.items()
    )
