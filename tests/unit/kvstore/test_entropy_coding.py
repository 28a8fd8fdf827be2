# SPDX-License-Identifier: Apache-2.0
"""Uneven bytes in fewer."""

import pytest
import torch

from mxnova.kvstore.entropy_coding import lengthened, shortened


def _drawn(n, shares):
    generator = torch.Generator().manual_seed(n)
    return torch.multinomial(torch.tensor(shares), n, True, generator=generator).byte()


@pytest.mark.parametrize("shares", [[0.99, 0.01], [0.5, 0.25, 0.125, 0.125], [1.0]])
@pytest.mark.parametrize("n", [1024, 5000, 300_000])
def test_bytes_come_back(n, shares):
    data = _drawn(n, shares)
    code = shortened(data, n)
    entropy = -sum(share * torch.tensor(share).log2().item() for share in shares) / 8
    assert len(code) <= max(1.1 * entropy, 0.03) * n + 64
    room = torch.full((n,), 77, dtype=torch.uint8)  # what is left of it does not matter
    room[: len(code)] = code
    assert torch.equal(lengthened(room, n), data)


@pytest.mark.parametrize("n", [0, 1, 1000])
def test_few_bytes_stay(n):
    assert shortened(torch.zeros(n, dtype=torch.uint8), n) is None


def test_evenly_spread_bytes_stay():
    assert shortened(_drawn(10_000, [1 / 243] * 243), 10_000) is None


@pytest.mark.parametrize("n", [1999, 2001])
def test_another_length_is_an_error(n):
    code = shortened(_drawn(2000, [0.9, 0.1]), 2000)
    with pytest.raises(ValueError, match=f"no code of {n} bytes"):
        lengthened(code, n)


def test_what_is_no_code_is_an_error():
    with pytest.raises(ValueError, match="what is no code"):
        lengthened(torch.full((100,), 255, dtype=torch.uint8), 100)
