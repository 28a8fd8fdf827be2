# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.core.base.aligned import aligned_memory


@pytest.mark.parametrize("alignment", [1, 64, 4096])
@pytest.mark.parametrize("n", [0, 1, 1000, 1 << 20])
def test_memory_begins_at_a_multiple(n, alignment):
    memory = aligned_memory(n, alignment)
    assert (memory.nbytes, memory.ctypes.data % alignment if n else 0) == (n, 0)
    memory[:] = 1
