# SPDX-License-Identifier: Apache-2.0
"""The blocks of the page "SageMaker artefacts" run, in their order."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from .test_leaving import run_blocks

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", (ROOT / "docs/sagemaker.md").read_text(), re.S | re.M)


def test_the_page_runs(tmp_path):
    for package in ("cv2", "safetensors"):
        pytest.importorskip(package)
    np.save(tmp_path / "rows.npy", np.ones((2, 3), np.float32))
    assert {language for language, _ in BLOCKS} == {"python", "sh"}
    run_blocks(tmp_path, BLOCKS)
    written = {path.name for path in (tmp_path / "opened").iterdir()}
    assert written == {"prices-symbol.json", "prices-0000.params", "prices-shapes.json"}
