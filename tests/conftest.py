# SPDX-License-Identifier: Apache-2.0
"""What all tests have in common."""

import pytest
import torch
from hypothesis import HealthCheck, settings

# A machine that is busy is no mistake of what is tested.
settings.register_profile("mxnova", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("mxnova")


@pytest.fixture
def two_threads():
    """Operators compute in two threads, however many cores there are."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)
