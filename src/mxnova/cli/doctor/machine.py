# SPDX-License-Identifier: Apache-2.0
"""Processor, threads, GPUs, and the backends that load."""

from __future__ import annotations

import importlib
import os
import platform
import shutil
from typing import Any

from ...core.base.cores import usable_cores
from ...core.base.cpu_flags import cpu_flags, cpu_name
from ..report import Rows
from .finding import Finding

__all__ = ["backends", "devices", "processor", "threads"]

_FLAGS = (  # that kernels are chosen by
    "avx2", "fma", "f16c", "avx512f", "avx_vnni", "avx512_vnni", "avx512_bf16", "avx512_fp16",
    "amx_tile", "amx_int8", "amx_bf16", "asimd", "asimddp", "i8mm", "bf16", "sve", "sve2",
)  # fmt: skip
_LOADING = (ImportError, OSError, RuntimeError, AttributeError, ValueError)


def processor() -> tuple[dict[str, Any], list[Finding]]:
    """Name, architecture and instructions of the processor."""
    flags = cpu_flags()
    name = cpu_name() or platform.processor() or "unknown"
    found = [flag for flag in _FLAGS if flag in flags]
    return {
        "name": name,
        "architecture": platform.machine(),
        "system": platform.platform(),
        "flags": found if flags else ["unknown"],
    }, []


def threads() -> tuple[dict[str, Any], list[Finding]]:
    """Cores, those that this process may use, and threads of PyTorch's kernels."""
    usable = usable_cores()
    facts: dict[str, Any] = {"cores": os.cpu_count() or 1, "usable": usable}
    torch, _ = _loaded("torch")
    findings = []
    if torch is not None:
        facts["torch"] = torch.get_num_threads()
        if facts["torch"] > usable:
            text = f"PyTorch uses {facts['torch']} threads on {usable} cores"
            findings = [Finding(text, f"export OMP_NUM_THREADS={usable}")]
    return facts, findings


def devices() -> tuple[Rows, list[Finding]]:
    """A row for each GPU that PyTorch can drive."""
    torch, error = _loaded("torch")
    if torch is None:
        return [], [Finding(f"torch does not load: {error}", "pip install --force-reinstall torch")]
    if not torch.cuda.is_available():
        driver = shutil.which("nvidia-smi") or os.path.exists("/dev/nvidia0")
        if not driver or os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1"):
            return [], []
        text = f"there is an NVIDIA GPU, which torch {torch.__version__} cannot drive"
        return [], [Finding(text, "install a torch for CUDA: https://pytorch.org/get-started")]
    rows = []
    for number in range(torch.cuda.device_count()):
        facts = torch.cuda.get_device_properties(number)
        rows.append(
            {
                "device": f"gpu({number})",
                "name": facts.name,
                "memory": facts.total_memory,
                "capability": f"{facts.major}.{facts.minor}",
                "cuda": torch.version.cuda or torch.version.hip,
            }
        )
    return rows, []


def backends() -> tuple[Rows, list[Finding]]:
    """A row for each backend of graphs: whether it is there, and whether it loads."""
    torch, _ = _loaded("torch")
    has_gpu = torch is not None and torch.cuda.is_available()
    has_onednn = torch is not None and torch.backends.mkldnn.is_available()
    compiler = os.environ.get("CXX") or next(filter(shutil.which, ("g++", "clang++", "cl")), None)
    rows = [
        _row("aten", torch is not None, f"torch {torch.__version__}" if torch else "no torch"),
        _row("onednn", has_onednn, "part of torch" if has_onednn else "not in this torch"),
        _row("inductor", bool(torch and compiler), compiler or "needs a C++ compiler"),
        _row("cudagraph", has_gpu, "" if has_gpu else "needs a GPU"),
    ]
    findings = []
    for package in ("onnxruntime", "openvino"):
        module, error = _loaded(package)
        is_missing = isinstance(error, ModuleNotFoundError) and error.name == package
        note = f"pip install 'mxnova[{package}]'" if is_missing else str(error or "")
        rows.append(_row(package, module is not None, getattr(module, "__version__", note)))
        if module is None and not is_missing:
            text = f"{package} is installed and does not load: {error}"
            findings.append(Finding(text, f"pip install --force-reinstall {package}"))
    return rows, findings


def _row(name: str, is_usable: bool, note: str) -> dict[str, str]:
    return {"backend": name, "usable": "yes" if is_usable else "no", "note": note}


def _loaded(package: str) -> tuple[Any, Exception | None]:
    """The package, or why there is none."""
    try:
        return importlib.import_module(package), None
    except _LOADING as error:
        return None, error
