# SPDX-License-Identifier: Apache-2.0
"""What torch.export of older releases cannot do."""

import contextlib

import pytest
import torch

from mxnova.base import MXNetError

OLD = tuple(map(int, torch.__version__.split(".")[:2])) < (2, 8)


@contextlib.contextmanager
def exporting():
    """A block that exports: where an older torch refuses or bounds sizes, the test is skipped."""
    try:
        yield
    except (RuntimeError, MXNetError, Warning) as reason:
        if not OLD:
            raise
        pytest.skip(f"torch {torch.__version__}: {str(reason).splitlines()[0]}")
