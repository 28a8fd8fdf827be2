# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.core.base import inference_runtimes
from mxnova.core.base.inference_runtimes import openvino_settings, with_exact_integers


class Options:
    def __init__(self):
        self.entries = {}

    def add_session_config_entry(self, key, value):
        self.entries[key] = value


@pytest.mark.parametrize(
    ("has_vnni", "is_quantized", "expected"),
    [(False, True, "NO"), (False, False, None), (True, True, None)],
)
def test_openvino_settings_disable_saturating_kernels(
    has_vnni, is_quantized, expected, monkeypatch
):
    monkeypatch.setattr(inference_runtimes, "has_vnni", lambda: has_vnni)
    settings = openvino_settings(2, "float32", is_quantized)
    assert settings.get("LP_TRANSFORMS_MODE") == expected


@pytest.mark.parametrize(("has_vnni", "expected"), [(False, "1"), (True, None)])
def test_with_exact_integers_asks_for_exact_products_without_vnni(has_vnni, expected, monkeypatch):
    monkeypatch.setattr(inference_runtimes, "has_vnni", lambda: has_vnni)
    entries = with_exact_integers(Options()).entries
    assert entries.get("session.x64quantprecision") == expected
