# SPDX-License-Identifier: Apache-2.0
"""A few thousand damaged inputs for every parser (`scripts/fuzz` has more), and the harness."""

from __future__ import annotations

import os
import sys

import pytest

from mxnova.core.base.errors import FormatError

from . import harness
from .parsers import PARSERS, Parser

each_parser = pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)


def findings_of(parser, n_inputs, seed=0):
    return [x for x in harness.run(parser, n_inputs, seed) if isinstance(x, harness.Finding)]


@each_parser
def test_parser_only_raises_its_own_errors_within_its_limits(parser):
    assert findings_of(parser, parser.n_inputs) == []


@each_parser
def test_seeds_are_good_inputs(parser):
    for data in parser.seeds():
        parser.parse(data)


def test_inputs_are_reproducible_and_cut_every_seed_at_every_byte():
    seeds = [b"abcdef", b"0123456789"]
    numbers = range(harness.Mutator.PERIOD * 16)
    inputs = [harness.Mutator(seeds, 5).input(number) for number in numbers]
    assert inputs == [harness.Mutator(seeds, 5).input(number) for number in numbers]
    assert inputs != [harness.Mutator(seeds, 6).input(number) for number in numbers]
    assert set(inputs[:: harness.Mutator.PERIOD]) == {
        seed[:end] for seed in seeds for end in range(len(seed))
    }


def test_check_passes_what_refuses_politely():
    def refuse(data):
        raise FormatError("no")

    assert harness.check(refuse, b"x") is None
    assert harness.check(bytes, b"x") is None


def test_check_finds_other_exceptions():
    assert "KeyError: 1" in harness.check(lambda data: {}[1], b"")


def test_check_finds_slowness(monkeypatch):
    monkeypatch.setattr(harness, "TIME_LIMIT", 0.0)
    assert harness.check(lambda data: sum(range(100_000)), b"") == "0.0 s"


def two_seeds():
    return [b"abc", b"defg"]


def die_of_an_empty_input(data):
    if not data:
        os._exit(3)


def hang_on_an_empty_input(data):
    while not data:
        pass


def take_memory(data):
    return bytearray(len(data) * (8 << 20))


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS")
def test_run_finds_memory_beyond_the_allowance():
    inputs = [harness.Mutator(two_seeds(), 0).input(number) for number in range(70)]
    findings = findings_of(Parser("greedy", take_memory, two_seeds), 70)
    greedy = {number for number, data in enumerate(inputs) if len(data) >= 3}
    modest = {number for number, data in enumerate(inputs) if len(data) <= 1}
    found = {finding.number for finding in findings}
    assert greedy <= found
    assert not found & modest
    assert "more memory than" in findings[0].reason


def test_run_goes_on_after_a_worker_that_died(tmp_path):
    parser = Parser("dies", die_of_an_empty_input, two_seeds)
    mutator = harness.Mutator(two_seeds(), 0)
    deadly = [number for number in range(50) if not mutator.input(number)]
    findings = findings_of(parser, 50)
    assert [finding.number for finding in findings] == deadly
    path = findings[0].save(tmp_path)
    assert path.read_bytes() == b""
    assert f"scripts/fuzz dies --replay {path}" in path.with_suffix(".txt").read_text()


def test_run_finds_a_worker_that_hangs(monkeypatch):
    monkeypatch.setattr(harness, "HANG_LIMIT", 1.0)
    parser = Parser("hangs", hang_on_an_empty_input, two_seeds)
    first = next(
        number for number in range(50) if not harness.Mutator(two_seeds(), 0).input(number)
    )
    (finding,) = findings_of(parser, first + 1)
    assert finding.number == first
    assert finding.reason.startswith("not done after")
