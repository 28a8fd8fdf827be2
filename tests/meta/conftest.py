# SPDX-License-Identifier: Apache-2.0
"""What tests of the sources have in common."""

import gc

import pytest


@pytest.fixture(scope="module")
def no_collector():
    """Trees of all sources are made five times as fast where nobody looks for garbage in them."""
    gc.disable()
    yield
    gc.enable()
