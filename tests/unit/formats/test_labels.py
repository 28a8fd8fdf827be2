# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.formats.labels import label_lines


@pytest.mark.parametrize(
    "text, most, labels",
    [
        ("cat\ndog\n", -1, ["cat", "dog"]),
        ("cat\r\n dog ", -1, ["cat", "dog"]),
        ("cat\n\n", -1, ["cat", ""]),
        ("a\nb\nc", 1, ["a", "b\nc"]),
    ],
)
def test_lines(text, most, labels):
    assert label_lines(text, most) == labels
