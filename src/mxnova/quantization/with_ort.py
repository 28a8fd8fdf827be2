# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's static quantization of a model's ONNX file."""

from __future__ import annotations

import io
import logging
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout

from ..batch_inference.reading import Array
from ..convert.proof.onnx_file import ONNXRunner
from ..convert.proof.runner import Runner, Take
from ..convert.writers import WRITERS
from ..core.base.errors import MXNetError
from ..core.base.packages import require_package
from ..onnx.package import require_onnx
from .method import Advance, Method, Task, beside, comes_from
from .onnx_float_layers import keep_in_float

__all__ = ["OnnxRuntimeMethod"]

_READ = "_DequantizeLinear_Output"
_LARGEST = 1 << 31  # bytes of an ONNX file that holds its numbers itself


class OnnxRuntimeMethod(Method):
    """QuantizeLinear and DequantizeLinear around layers, as ``quantize_static`` puts them."""

    def __init__(self, task: Task) -> None:
        require_onnx("quantize --with ort")
        require_package("onnxruntime", "quantize --with ort")
        from onnxruntime.quantization.shape_inference import quant_pre_process

        self._task = task
        self._float = os.path.join(task.folder, "float.onnx")
        self._prepared = os.path.join(task.folder, "prepared.onnx")
        WRITERS["onnx"].write(task.request, self._float)
        self._is_large = self.float_bytes() > _LARGEST // 2
        with refusing("ONNX Runtime"):
            quant_pre_process(
                self._float,
                self._prepared,
                skip_symbolic_shape=True,
                save_as_external_data=self._is_large,
            )
        self.reference = ONNXRunner(self._float)
        self._n_batches = sum(1 for _ in task.samples.batches())

    def quantize(self, excluded: Collection[str], path: str, advance: Advance) -> Runner:
        """Finds ranges and writes the ONNX file."""
        from onnxruntime import quantization as ort

        options, in_float = self._task.options, self._nodes_of(excluded)
        methods = {"naive": ort.CalibrationMethod.MinMax, "entropy": ort.CalibrationMethod.Entropy}
        with refusing("ONNX Runtime"), _quiet():
            ort.quantize_static(
                self._prepared,
                path,
                _Reader(self._task, self._n_batches, advance),
                per_channel=options.per_channel,
                # Without VNNI, ONNX Runtime saturates sums of products with int8 weights.
                activation_type=ort.QuantType.QUInt8,
                weight_type=ort.QuantType.QUInt8,
                nodes_to_exclude=in_float,
                use_external_data_format=self._is_large,
                calibrate_method=methods[options.calibration],
                extra_options={
                    "ActivationSymmetric": not options.asymmetric,
                    "WeightSymmetric": True,
                    "CalibStridedMinMax": 1,  # of any method: a batch at a time is held
                },
            )
        keep_in_float(path, in_float)
        return _QuantizedRunner(path)

    def _nodes_of(self, excluded: Collection[str]) -> list[str]:
        """Nodes of the ONNX file that come from these of the network."""
        import onnx

        nodes = onnx.load(self._prepared, load_external_data=False).graph.node
        return [
            node.name
            for node in nodes
            # A change of shape loses nothing, and what it reads is told from what layers read.
            if comes_from(node.name, excluded) and node.op_type not in ("Reshape", "Transpose")
        ]

    def float_bytes(self) -> int:
        """Of the ONNX file."""
        return sum(map(os.path.getsize, beside(self._float)))


class _QuantizedRunner(ONNXRunner):
    """A quantized ONNX file that tells of values as they are read: behind DequantizeLinear.

    A Relu in front of integers that cannot be negative is left out of the file, so that a value
    under its name is not what the Relu gave.
    """

    def nodes(self, feed: Mapping[str, Array], take: Take) -> None:
        """Tells of the values; that behind DequantizeLinear comes last, and replaces others."""
        super().nodes(feed, lambda name, v, s: take(name.removesuffix(_READ), v, s))


class _Reader:
    """Samples as ``quantize_static`` asks for them: parts of one batch each, in order."""

    def __init__(self, task: Task, n_batches: int, advance: Advance) -> None:
        self._fed: Iterator[dict[str, Array]] = task.fed(advance)
        self._n_batches, self._left = n_batches, 0

    def __len__(self) -> int:
        return self._n_batches

    def set_range(self, start_index: int, end_index: int) -> None:
        self._left = end_index - start_index

    def get_next(self) -> dict[str, Array] | None:
        if not self._left:
            return None
        self._left -= 1
        return next(self._fed, None)


@contextmanager
def refusing(program: str) -> Iterator[None]:
    """Errors of another program as ours."""
    try:
        yield
    except (MXNetError, MemoryError):
        raise
    except Exception as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise MXNetError(f"quantize: {program} refuses the model: {reason}") from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what the package prints, and its advice, which was followed."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with redirect_stdout(io.StringIO()):
            yield
    finally:
        logging.disable(before)
