# SPDX-License-Identifier: Apache-2.0
"""What a quantization came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..convert.proof import Verification
from .options import Options

__all__ = ["Quantization", "Trial"]


class Trial(NamedTuple):
    """A model that was made and measured.

    Attributes:
        in_float: layers that were left in float, besides those excluded from the beginning.
        value: its accuracy or agreement, from 0 to 1, or None.
    """

    in_float: tuple[str, ...]
    value: float | None


@dataclass(frozen=True)
class Quantization:
    """What was written, and how it compares with the model in float.

    Attributes:
        kind: of the files: mxnet, onnx, openvino or compiled.
        files: their paths.
        options: how it was made.
        measure: accuracy, agreement (with the classes that the model in float finds), or None
            where the first output has no scores of classes.
        before: the accuracy or agreement of the model in float, from 0 to 1.
        after: of the quantized one.
        trials: models that were made for `max_drop`, in order.
        in_float: layers that stayed in float for it.
        n_layers: layers with weights.
        excluded: nodes that were asked to stay in float.
        float_bytes: of the files of the model in float, of the same kind.
        bytes: of the files that were written.
        samples: how many ranges were found on.
        measured: how many accuracy was measured on; none of `samples` where there were others.
        failures: why items could not be used, by name: the first ones.
        n_failed: how many there were.
        proof: the outputs and nodes of both models.
    """

    kind: str
    files: Sequence[str]
    options: Options
    measure: str | None
    before: float | None
    after: float | None
    trials: Sequence[Trial]
    in_float: tuple[str, ...]
    n_layers: int
    excluded: Sequence[str]
    float_bytes: int
    bytes: int
    samples: int
    measured: int
    failures: Mapping[str, str]
    n_failed: int
    proof: Verification

    @property
    def drop(self) -> float | None:
        """Percentage points that are lost."""
        if self.before is None or self.after is None:
            return None
        return 100 * (self.before - self.after)

    @property
    def seconds(self) -> Sequence[tuple[str, float, float]]:
        """What the inputs are, and the seconds that both models take for them at best."""
        found: dict[str, tuple[float, float]] = {}
        for row in self.proof.outputs:
            first, second = row.seconds
            if first is not None and second is not None:
                count = row.shape.strip("()").partition(",")[0]
                found.setdefault(f"batch {count}", (first, second))
        return [(name, *times) for name, times in found.items()]

    @property
    def line(self) -> str:
        """All of it in a line."""
        parts = []
        if self.drop is not None:
            parts.append(
                f"{self.measure} {self.before:.2%} before, {self.after:.2%} after on "
                f"{self.measured:,} samples"
            )
        parts.append(f"{self.bytes / self.float_bytes:.2f} of the size")
        parts += [f"{b / a:.2f} of the time ({name})" for name, a, b in self.seconds]
        if self.in_float:
            parts.append(f"{len(self.in_float)} of {self.n_layers} layers in float")
        return "; ".join(parts)

    @property
    def facts(self) -> list[tuple[str, str]]:
        """All but values of nodes, as names and texts."""
        options = self.options
        found = [
            ("Method", f"{options.method}, calibration {options.calibration}"),
            ("Weights", "by channel" if options.per_channel else "by tensor"),
            ("Activations", "asymmetric" if options.asymmetric else "symmetric"),
            ("Samples for ranges", f"{self.samples:,}"),
        ]
        if self.drop is not None:
            found += [
                ("Samples for accuracy", f"{self.measured:,}"),
                (f"{str(self.measure).capitalize()} in float", f"{self.before:.2%}"),
                (f"{str(self.measure).capitalize()} on integers", f"{self.after:.2%}"),
            ]
        found += [
            ("Bytes", f"{self.float_bytes:,} in float, {self.bytes:,} on integers"),
            *(
                (f"Time of {name}", f"{a * 1e3:.3g} ms in float, {b * 1e3:.3g} ms on integers")
                for name, a, b in self.seconds
            ),
            ("Layers in float", ", ".join((*self.excluded, *self.in_float)) or "none"),
        ]
        if self.n_failed:
            found.append(("Items that could not be used", f"{self.n_failed:,}"))
        return found

    @property
    def document(self) -> dict[str, Any]:
        """All but values of nodes, as JSON has it."""
        names = ("kind", "measure", "before", "after", "drop", "n_layers", "float_bytes", "bytes")
        further = ("samples", "measured", "n_failed", "line")
        return {
            "files": list(self.files),
            **{name: getattr(self, name) for name in (*names, *further)},
            "options": vars(self.options),
            "excluded": list(self.excluded),
            "in_float": list(self.in_float),
            "trials": [trial._asdict() for trial in self.trials],
            "seconds": [{"inputs": name, "float": a, "integers": b} for name, a, b in self.seconds],
            "failures": dict(self.failures),
        }
