# SPDX-License-Identifier: Apache-2.0
"""The blocks of the page "Checkpoints of training" run, in their order."""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path

import pytest

from mxnova.cli import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/checkpoints.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.S | re.M)


def test_the_page_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("safetensors")
    dcp = pytest.importorskip("torch.distributed.checkpoint")
    if not hasattr(dcp, "HuggingFaceStorageReader"):
        pytest.skip("this PyTorch has no HuggingFaceStorageReader")
    monkeypatch.chdir(tmp_path)
    names = {}
    for language, block in [BLOCKS[0], *BLOCKS]:  # a program that is started again
        if language == "sh":
            monkeypatch.setattr(sys, "argv", block.split())
            main()
            continue
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "torch.distributed is", UserWarning)
            exec(compile(block, "docs/checkpoints.md", "exec"), names)
    assert names["begin"] == 8
    assert "((2, 3), 'float32') (1, 3) {'lr': 0.001}" in capsys.readouterr().out
    weight = names["net"].weight.data().asnumpy()
    assert (names["tensors"]["weight"].numpy() == weight).all()
