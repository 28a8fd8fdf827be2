# SPDX-License-Identifier: Apache-2.0
import json
import random

import pytest

from mxnova.core.base.errors import FormatError
from mxnova.formats import bounded_json

SMALL = 1 << 10
LARGE = 1 << 18  # characters, from which on memory is counted


@pytest.mark.parametrize("blanks", [SMALL, LARGE])
@pytest.mark.parametrize(
    "text",
    ['{"a": [1, [2.5]]}', '"[[[["', '"\\"[[["', '"12345678901234567890123"', "0." + 30 * "1"],
)
def test_small_and_large_texts_are_read_alike(text, blanks):
    assert bounded_json.loads(text + blanks * " ", max_depth=3) == json.loads(text)


@pytest.mark.parametrize("blanks", [SMALL, LARGE])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[[[[1]]]]", "brackets nest 4 deep, at most 3"),
        ('["]]", [[[1]]]]', "brackets nest 4 deep"),
        ("[12345678901234567890]", "a number starts with 12345678901234567890"),
        ('{"a": 1, "a": 2}', "the key 'a' stands there twice"),
        ("[NaN]", "NaN is no number of JSON"),
        ("\ufeff[]", "BOM"),
        ("[1", "line 1, column"),
    ],
)
def test_small_and_large_texts_are_refused_alike(text, reason, blanks):
    with pytest.raises(FormatError, match=reason):
        bounded_json.loads(text + blanks * " ", max_depth=3, unique=True, finite=True)


def test_options_of_one_call_are_not_those_of_the_next():
    assert bounded_json.loads('{"a": 1, "a": NaN, "b": 2}', max_depth=1)["b"] == 2
    with pytest.raises(FormatError):
        bounded_json.loads('{"a": 1, "a": 2}', max_depth=1, unique=True)
    with pytest.raises(FormatError):
        bounded_json.loads("NaN", max_depth=1, finite=True)
    with pytest.raises(FormatError):
        bounded_json.loads('"\t"', max_depth=1)
    assert bounded_json.loads('"\t"', max_depth=1, strict=False) == "\t"


def _document(rng, depth=0):
    kind = rng.random()
    if depth > 5 or kind < 0.35:
        return rng.choice([1, -2.5, True, None, "a,b", '[{\\"', 'q"x', "é€", "", 12345, 1e-7])
    if kind < 0.7:
        return [_document(rng, depth + 1) for _ in range(rng.randrange(9))]
    names = ("a", "b", "c,", "\\", '"', "é")
    return {rng.choice(names) + str(i): _document(rng, depth + 1) for i in range(rng.randrange(7))}


@pytest.mark.parametrize("size", [2, 5, 9, 17, 40])
def test_loads_in_pieces_equals_json(monkeypatch, size):
    monkeypatch.setattr(bounded_json, "_PIECE", size)
    rng = random.Random(size)
    for _ in range(200):
        value = _document(rng)
        text = json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 1]))
        assert bounded_json.loads(text, max_depth=40, unique=True) == value


@pytest.mark.parametrize("size", [2, 5, 1 << 16])
@pytest.mark.parametrize(
    "text",
    ["[1,2,]", "[,1,2]", "[1,,2]", '{"a":1,}', '{,"a":1}', "[1,2},3]", "1,2", "[1],[2]", '{"a":1,2}',
     '{"a":[1,2],"a":3}', '{"a":[1,2],"b":3,"a":[4,5]}', "[1,2", "[1,2]]", '["a,b', "[1,NaN,2]",
     '{"a":{"b":1,"b":2}}', "[[1,2],[3,4]", "[1 2,3]"],
)  # fmt: skip
def test_loads_in_pieces_refuses_what_is_no_json(monkeypatch, size, text):
    monkeypatch.setattr(bounded_json, "_PIECE", size)
    with pytest.raises(FormatError):
        bounded_json.loads(text, max_depth=40, unique=True, finite=True)


def test_errors_in_later_pieces_have_their_position():
    text = "[\n" + "1,\n" * 100_000 + "x]"
    with pytest.raises(FormatError, match="line 100002, column 1"):
        bounded_json.loads(text, max_depth=40, unique=True)
