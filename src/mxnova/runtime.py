# SPDX-License-Identifier: Apache-2.0
"""What this installation can do, by the names of MXNet's build options."""

from __future__ import annotations

import importlib.util
import platform
from collections import OrderedDict
from typing import Any, NamedTuple

import torch

from .core.base.doors import facade
from .core.base.errors import MXNetError, candidates
from .core.runtime.torch_api import has_lapack

__all__ = ["Feature", "Features", "feature_list"]


class Feature(NamedTuple):
    """A build option of MXNet, and whether the feature is available here."""

    name: str
    enabled: bool

    def __repr__(self) -> str:
        return f"{'✔' if self.enabled else '✖'} {self.name}"


def _has(backend: str) -> bool:
    return bool(getattr(torch.backends, backend).is_available())


def feature_list() -> list[Feature]:
    """All features, in MXNet's order."""
    return [Feature(name, enabled) for name, enabled in _found().items()]


def _found() -> dict[str, bool]:
    cuda = torch.version.cuda is not None and torch.cuda.is_available()
    capability = torch.backends.cpu.get_cpu_capability()
    x86 = platform.machine().lower() in ("x86_64", "amd64", "x86")
    avx = x86 and capability.startswith("AVX")
    mkl = _has("mkl")
    return {
        "CUDA": cuda,
        "CUDNN": cuda and _has("cudnn"),
        "NCCL": cuda and torch.distributed.is_available() and torch.distributed.is_nccl_available(),
        "CUDA_RTC": cuda and _has_bindings(),
        "TENSORRT": False,
        **dict.fromkeys(("CPU_SSE", "CPU_SSE2", "CPU_SSE3"), x86),
        **dict.fromkeys(("CPU_SSE4_1", "CPU_SSE4_2"), avx),
        "CPU_SSE4A": False,
        "CPU_AVX": avx,
        "CPU_AVX2": avx,
        "OPENMP": _has("openmp"),
        "SSE": x86,
        "F16C": avx,
        "JEMALLOC": False,
        "BLAS_OPEN": not mkl and platform.system() != "Darwin",
        "BLAS_ATLAS": False,
        "BLAS_MKL": mkl,
        "BLAS_APPLE": not mkl and platform.system() == "Darwin",
        "LAPACK": has_lapack(),
        "MKLDNN": _has("mkldnn"),
        "OPENCV": importlib.util.find_spec("cv2") is not None,
        "CAFFE": False,
        "PROFILER": True,
        "DIST_KVSTORE": torch.distributed.is_available(),
        "CXX14": False,
        "INT64_TENSOR_SIZE": True,
        "SIGNAL_HANDLER": False,
        "DEBUG": False,
        "TVM_OP": False,
    }


def _has_bindings() -> bool:
    try:
        return importlib.util.find_spec("cuda.bindings.nvrtc") is not None
    except ModuleNotFoundError:  # of the package around it
        return False


class Features(OrderedDict[str, Feature]):
    """All features by name; there is one such dictionary."""

    instance: Features | None = None

    def __new__(cls) -> Features:
        """The one instance."""
        if cls.instance is None:
            cls.instance = super().__new__(cls)
            OrderedDict.__init__(cls.instance, ((f.name, f) for f in feature_list()))
        return cls.instance

    def __init__(self) -> None:
        """Filled when it was made."""

    def __repr__(self) -> str:
        return repr(list(self.values()))

    def __reduce__(self) -> Any:
        return Features, ()

    def is_enabled(self, feature_name: str) -> bool:
        """Whether a feature is there; upper and lower case are one.

        Raises:
            MXNetError: there is no feature of that name.
        """
        name = feature_name.upper()
        if name not in self:
            raise MXNetError(
                f"is_enabled: no feature is named {name!r}{candidates(name, self)} "
                f"(there are {', '.join(self)})"
            )
        return self[name].enabled


facade(__name__)
