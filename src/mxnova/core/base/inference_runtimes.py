# SPDX-License-Identifier: Apache-2.0
"""How ONNX Runtime and OpenVINO are asked to run models on the CPU."""

from __future__ import annotations

from typing import Any

from .cpu_flags import has_vnni
from .machine_load import is_busy

__all__ = ["DISABLED_PASSES", "onnxruntime_options", "openvino_settings", "with_exact_integers"]

# SkipLayerNormFusion: 512 x 256 sums normalized take 0.84 ms on one core with AVX2, but 0.13 ms
# without.
# WeightBiasQuantization: quantizes layers that a model keeps in float between integers.
DISABLED_PASSES = ("SkipLayerNormFusion", "WeightBiasQuantization")


def with_exact_integers(options: Any) -> Any:
    """Options of a session that computes with 8-bit integers as other processors do.

    Without VNNI, products of 8-bit integers are cut to 16 bits otherwise; with it, asking for exact
    ones made an int8 ResNet-50 take 84 ms instead of 48.
    """
    if not has_vnni():
        options.add_session_config_entry("session.x64quantprecision", "1")
    return options


def onnxruntime_options(threads: int) -> Any:
    """Of a session with some threads, 0: one for each core, which wait awake inside a run only.

    Between runs others have work, such as ATen's threads: 3 to 6 ms of each 20 ms of rest went into
    waiting. Beside other programs a thread waits awake for one that is not running: SqueezeNet on
    two cores that fifteen others use takes 74 to 111 ms so, 14 to 39 ms with threads that sleep.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3  # errors
    options.add_session_config_entry("session.force_spinning_stop", "1")
    options.add_session_config_entry("session.intra_op.allow_spinning", str(int(not is_busy())))
    return with_exact_integers(options)


def openvino_settings(
    threads: int, precision: str, is_quantized: bool, streams: int = 1
) -> dict[str, Any]:
    """Of a compiled model.

    Args:
        threads: that take part in runs.
        precision: float32 or bfloat16.
        is_quantized: whether it computes with 8-bit integers.
        streams: how many runs share the threads at a time.
    """
    settings: dict[str, Any] = {
        "PERFORMANCE_HINT": "LATENCY",
        "NUM_STREAMS": streams,
        "INFERENCE_NUM_THREADS": threads,
        "INFERENCE_PRECISION_HINT": "bf16" if precision == "bfloat16" else "f32",
    }
    if threads == streams or is_quantized:
        # OpenVINO 2026.4 ends the process over chains of products that it compiles for one thread.
        # It takes the sum of a residual block for such a chain where an int8 convolution, which it
        # would be part of, is not rounded before: ResNet-50 of 8 images takes 0.93 of the time.
        settings["SNIPPETS_MODE"] = "DISABLE"
    if is_quantized and not has_vnni():
        # OpenVINO's integer kernels saturate sums of two products to 16 bits without VNNI: a small
        # network was wrong by 39 % of its largest output. Without these passes it runs in float32.
        settings["LP_TRANSFORMS_MODE"] = "NO"
    return settings
