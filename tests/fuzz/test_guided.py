# SPDX-License-Identifier: Apache-2.0
"""The harness for Atheris: what it takes for a finding, and numbers made of the fuzzer's bytes."""

from __future__ import annotations

import random

import pytest

from mxnova.core.base.errors import FormatError

from .guided import Choices, target
from .parsers import PARSERS, Parser


def test_numbers_are_the_bytes_then_those_of_a_seed():
    choices = Choices(b"\x05\x01\x02")
    assert [choices.getrandbits(3), choices.getrandbits(16)] == [5 >> 5, 0x0201]
    rest = random.Random(0)
    assert [choices.getrandbits(32) for _ in range(3)] == [rest.getrandbits(32) for _ in range(3)]
    assert all(0 <= Choices(bytes([n] * 8)).random() < 1 for n in (0, 127, 255))


@pytest.mark.parametrize("error", [FormatError, OverflowError])
def test_all_errors_but_mxnets_are_findings(error):
    def parse(data):
        raise error("text")

    run = target(Parser("name", parse, list))
    if error is FormatError:
        run(b"x")
    else:
        with pytest.raises(OverflowError):
            run(b"x")


@pytest.mark.parametrize("name", ["file_attacks", "state_attacks"])
def test_made_inputs_follow_from_bytes(name):
    (parser,) = (parser for parser in PARSERS if parser.name == name)
    assert parser.make(Choices(b"abc" * 40)) == parser.make(Choices(b"abc" * 40))
