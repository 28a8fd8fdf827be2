# SPDX-License-Identifier: Apache-2.0
"""Small numbers in bytes."""

import pytest
import torch

from mxnova.kvstore.bit_packing import Digits


@pytest.mark.parametrize(
    "base, bits", [(2, 1), (3, 8 / 5), (5, 8 / 3), (9, 16 / 5), (17, 16 / 3), (256, 8), (257, 16)]
)
@pytest.mark.parametrize("n", [0, 1, 4, 5, 6, 1000])
def test_numbers_are_read_as_they_were_packed(base, bits, n):
    digits = Digits(base)
    numbers = torch.randint(0, base, (n,), generator=torch.Generator().manual_seed(n))
    code = digits.packed(numbers.to(torch.int16))
    assert digits.bits == pytest.approx(bits)
    assert code.dtype is torch.uint8
    assert len(code) == digits.n_bytes(n) <= n * bits / 8 + 2
    assert torch.equal(digits.unpacked(code, n).long(), numbers)


def test_bytes_of_strangers_are_numbers():
    code = torch.arange(256, dtype=torch.uint8)
    assert set(Digits(3).unpacked(code, 1280).tolist()) == {0, 1, 2}
