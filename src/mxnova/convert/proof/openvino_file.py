# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Runner documents the methods
"""Models of OpenVINO."""

from __future__ import annotations

from collections.abc import Mapping

from ...core.base.errors import ArgumentError
from .runner import Array, Take
from .target_process import ProcessRunner

__all__ = ["OpenVINORunner"]


class OpenVINORunner(ProcessRunner):
    """A model of OpenVINO; its outputs and values of nodes are computed in float32."""

    drifts = True

    def __init__(self, path: str) -> None:
        super().__init__("openvino", path)
        self.arguments = {"precision": "f32"}

    def default_outputs(self, feed: Mapping[str, Array]) -> list[Array] | None:
        if self.process.facts["precision"] in ("f32", "float32"):
            return None
        values = self.process.values("outputs", self.prepare_feed(feed), precision="")
        return [value.values for value in values]

    def nodes(self, feed: Mapping[str, Array], take: Take) -> None:
        for name, array, _ in self.process.values("nodes", self.prepare_feed(feed)):
            take(name, array, None)

    def prepare_feed(self, feed: Mapping[str, Array]) -> Mapping[str, Array]:
        for names in self.process.facts["inputs"]:
            if not any(name in feed for name in names):
                raise ArgumentError(f"verify: {self.path}: no array for its input {names[0]!r}")
        return feed
