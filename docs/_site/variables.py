# SPDX-License-Identifier: Apache-2.0
"""The page of environment variables, from the table of mxnova.core.base.env."""

from __future__ import annotations

from mxnova.core.base.env import VARIABLES, Variable

from .docstrings import prose

__all__ = ["page"]

INTRODUCTION = """\
# Environment variables

This page lists every variable that mxnova reads. Names of MXNet's variables begin with `MXNET_` or
`DMLC_`; those that only mxnova has begin with `MXNOVA_`. A value that cannot be read raises an
`ArgumentError` that names the variable. Variables that MXNet knows and this page does not list have
no effect. Most are read when the setting is used; a program can therefore set them in `os.environ`
before the first array is made.
"""
GROUPS = {
    "Files, downloads and start": ("MXNET_HOME", "MXNET_GLUON_REPO", "MXNOVA_MIRRORS", "MXNOVA_CACHE", "MXNOVA_TUNE",
                                   "MXNOVA_IMAGE", "MXNOVA_NUMPY", "MXNOVA_SERVE"),
    "Finding faults": ("MXNOVA_TRACEBACK", "MXNOVA_CHECK"),
    "Remote files": ("MXNOVA_REMOTE",),
    "Graphs, backends and passes": ("MXNOVA_FUSE", "MXNOVA_PASSES", "MXNOVA_LINT", "MXNOVA_WINO",
                                    "MXNOVA_SMALL", "MXNOVA_AUTO", "MXNOVA_COMPILED", "MXNET_ELIM",
                                    "MXNET_BACKWARD", "MXNET_SUBGRAPH"),
    "Random numbers and profiler": ("MXNET_RANDOM", "MXNET_PROFILER"),
    "Training and distributed jobs": ("MXNET_OPTIMIZER", "MXNET_KVSTORE", "MXNET_UPDATE",
                                      "MXNOVA_DIST", "MXNOVA_JOB", "MXNOVA_PROGRESS", "MXNOVA_STEP"),
    "Engine": ("MXNET_ENGINE", "MXNET_CPU_W", "MXNET_CPU_PRIO", "MXNET_GPU_W", "MXNET_GPU_PRIO",
               "MXNET_GPU_COPY", "MXNET_MP", "MXNET_EXEC", "MXNOVA_ENGINE"),
    "Memory": ("MXNET_",),
}  # fmt: skip
OTHERS = """\
## Variables of other programs

| variable | set by | effect |
|---|---|---|
| `RANK`, `WORLD_SIZE`, `LOCAL_RANK`, `MASTER_ADDR`, `MASTER_PORT` | torchrun, `mxnova launch`, Kubernetes | the place of a process in a distributed job |
| `DMLC_ROLE`, `DMLC_NUM_WORKER`, `DMLC_NUM_SERVER`, `DMLC_PS_ROOT_URI`, `DMLC_PS_ROOT_PORT`, `DMLC_WORKER_ID`, `DMLC_SERVER_ID`, `DMLC_NUM_ATTEMPT`, `DMLC_NODE_HOST`, `DMLC_INTERFACE` | MXNet's clusters | the same; processes with the roles `server` and `scheduler` serve and end with the job |
| `SLURM_PROCID`, `SLURM_STEP_NUM_TASKS`, `SLURM_STEP_NODELIST`, `SLURM_JOB_ID`, `SLURM_STEP_ID`, `SLURM_RESTART_COUNT` | Slurm | the same |
| `OMPI_COMM_WORLD_RANK`, `OMPI_COMM_WORLD_SIZE`, `PMI_RANK`, `PMI_SIZE`, `PMIX_NAMESPACE` | mpirun | the same |
| `SAGEMAKER_…`, `SM_MODEL_DIR` | SageMaker | options of `mxnova serve`: see [serving](../serving.md#in-a-container) |
| `PROMETHEUS_MULTIPROC_DIR` | `mxnova serve --workers` | folder in which processes share metrics |
| `OMP_NUM_THREADS` | users | threads of a kernel; `mxnova launch` sets it to 1 for several processes on one machine |
| `CUDA_VISIBLE_DEVICES` | users | GPUs that PyTorch, and so `mx.gpu(i)`, sees |
| `XDG_CACHE_HOME` | users | parent of the cache folder, unless `MXNOVA_CACHE` is set |
| `CC`, `CXX` | users | compilers of `mxnova capi build` and of the backend `inductor` |
| `NO_COLOR` | users | output of the command line without colors |
"""


def page() -> str:
    """The whole page."""
    left = dict(VARIABLES)
    blocks = [INTRODUCTION]
    for title, beginnings in GROUPS.items():
        names = sorted(name for name in left if name.startswith(beginnings))
        rows = [row(name, left.pop(name)) for name in names]
        head = ["| variable | type | default | effect |", "|---|---|---|---|"]
        blocks.append("\n".join([f"## {title}", "", *head, *rows, ""]))
    if left:
        raise ValueError(f"no group has {', '.join(left)}")
    return "\n".join([*blocks, OTHERS])


def row(name: str, variable: Variable) -> str:
    """A row of the table."""
    default = {True: "1", False: "0", "": "none"}.get(variable.default, f"`{variable.default}`")
    label = variable.kind.label.replace("|", r"\|")
    return f"| `{name}` | {prose(label)} | {default} | {prose(variable.doc)} |"
