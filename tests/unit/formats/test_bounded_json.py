# SPDX-License-Identifier: Apache-2.0
import json

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
