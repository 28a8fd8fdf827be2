# SPDX-License-Identifier: Apache-2.0
"""A graph that was trained to detect is cut down to its detections."""

from __future__ import annotations

from mxnova.artefacts.detector import detecting
from mxnova.formats import symbol_json

from . import made


def test_losses_and_targets_are_cut_off():
    graph = symbol_json.loads(made.detector().tojson())
    before = symbol_json.dumps(graph)
    detector = detecting(graph)
    assert symbol_json.dumps(graph) == before
    operators = {node.op for node in detector.nodes}
    assert "_contrib_MultiBoxTarget" not in operators
    assert "_contrib_MultiBoxDetection" in operators
    assert len(detector.heads) == 1
    names = [node.name for node in detector.nodes if node.op == "null"]
    assert "label" not in names
    assert "cls_prob_label" in names


def test_detecting_returns_none_for_a_network_that_only_detects():
    detector = detecting(symbol_json.loads(made.detector().tojson()))
    assert detecting(detector) is None


def test_detecting_returns_none_for_other_networks():
    assert detecting(symbol_json.loads(made.small_images().tojson())) is None
