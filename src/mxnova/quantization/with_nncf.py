# SPDX-License-Identifier: Apache-2.0
"""NNCF's post-training quantization of a model for OpenVINO."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Collection, Iterator
from typing import Any

from ..batch_inference.reading import Array
from ..convert.proof.runner import Runner
from ..convert.proof.runners import runner_of
from ..convert.writers import WRITERS
from ..core.base.errors import MXNetError
from ..core.base.packages import missing_package, require_package
from .layers import layer_of
from .method import Advance, Method, Task, comes_from
from .with_ort import refusing

__all__ = ["NNCFMethod"]


class NNCFMethod(Method):
    """FakeQuantize before layers, weights as 8-bit integers, biases corrected."""

    def __init__(self, task: Task) -> None:
        self._openvino = require_package("openvino", "quantize --with nncf")
        self._task = task
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                import nncf
        except ImportError:
            raise MXNetError(f"quantize --with nncf: {missing_package('nncf')}") from None
        self._nncf = nncf
        self.onnx = onnx = os.path.join(task.folder, "float.onnx")
        self._float = os.path.join(task.folder, "float.xml")
        WRITERS["onnx"].write(task.request, onnx)
        with refusing("OpenVINO"):
            model = self._openvino.convert_model(onnx)
            self._openvino.save_model(model, self._float, compress_to_fp16=False)
        self.reference = runner_of(self._float)

    def quantize(self, excluded: Collection[str], path: str, advance: Advance) -> Runner:
        """Finds ranges and writes OpenVINO's two files."""
        nncf, options = self._nncf, self._task.options
        model = self._openvino.Core().read_model(self._float)
        preset = nncf.QuantizationPreset
        with refusing("NNCF"), _quiet(nncf):
            made = nncf.quantize(
                model,
                nncf.Dataset(_Rows(self._task, advance)),
                preset=preset.MIXED if options.asymmetric else preset.PERFORMANCE,
                subset_size=len(self._task.samples),
                ignored_scope=nncf.IgnoredScope(names=self._names(model, excluded)),
                advanced_parameters=self._advanced(),
            )
            self._openvino.save_model(made, path, compress_to_fp16=False)
        return runner_of(path)

    def _advanced(self) -> Any:
        """Parameters that have no argument of their own."""
        from nncf.quantization import advanced_parameters as advanced
        from nncf.quantization.range_estimator import RangeEstimatorParametersSet

        options = self._task.options
        # Weights of 7 bits: without VNNI, OpenVINO saturates sums of products with weights of 8.
        overflow_fix = advanced.OverflowFix.ENABLE
        found = advanced.AdvancedQuantizationParameters(overflow_fix=overflow_fix)
        if options.calibration == "naive":
            found.activations_range_estimator_params = RangeEstimatorParametersSet.MINMAX
        if not options.per_channel:
            weights = advanced.QuantizationParameters(per_channel=False)
            found.weights_quantization_params = weights
        return found

    def _names(self, model: Any, excluded: Collection[str]) -> list[str]:
        """Operations of OpenVINO's model that come from these nodes of the network.

        Layers lose their names where a BatchNorm was folded into them; what is behind has one.
        """
        graph = self._task.request.graph
        found = []
        for node in model.get_ordered_ops():
            if node.get_type_name() in ("Constant", "Parameter", "Result"):
                continue
            name = node.get_friendly_name()
            if comes_from(name, excluded) or layer_of(graph, _name_behind(node)) in excluded:
                found.append(name)
        return found

    def float_bytes(self) -> int:
        """Of OpenVINO's two files."""
        stem = os.path.splitext(self._float)[0]
        return sum(os.path.getsize(f"{stem}{ending}") for ending in (".xml", ".bin"))


def _name_behind(node: Any) -> str:
    """The name of the first value with one: an operation's own, or that of its only readers."""
    while True:
        names = sorted(node.output(0).get_names())
        if names:
            return str(names[0])
        readers = list(node.output(0).get_target_inputs())
        if len(readers) != 1:
            return ""
        node = readers[0].get_node()


class _Rows:
    """Samples one by one, as often as they are asked for."""

    def __init__(self, task: Task, advance: Advance) -> None:
        self._task, self._advance = task, advance

    def __iter__(self) -> Iterator[dict[str, Array]]:
        for fed in self._task.fed(self._advance):
            ((name, values),) = fed.items()
            for place in range(len(values)):
                yield {name: values[place : place + 1]}


@contextlib.contextmanager
def _quiet(nncf: Any) -> Iterator[None]:
    """Without the bars and notes that NNCF prints."""
    nncf.set_log_level(40)
    with contextlib.redirect_stdout(io.StringIO()):
        yield
