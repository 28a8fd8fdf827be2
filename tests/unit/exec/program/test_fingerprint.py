# SPDX-License-Identifier: Apache-2.0
"""What tells programs apart."""

import pytest
import torch

from mxnova.core.exec.program import fingerprint

from ...fake_gpu import CUDA


@pytest.mark.parametrize("device, told", [(torch.device("cpu"), 0), (CUDA, 1)])
def test_a_card_is_told_where_the_program_runs_on_one(device, told, monkeypatch):
    """Else what was found on a processor alone would be measured again."""
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "a card")
    assert fingerprint._machine(device)[3:] == ("a card",) * told
