# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.core.base import protobuf


@pytest.mark.parametrize(
    "value, written",
    [
        (0, "0800"),
        (127, "087f"),
        (128, "088001"),
        (300, "08ac02"),
        (1 << 63, "08" + "80" * 9 + "01"),
    ],
)
def test_numbers(value, written):
    assert protobuf.number(1, value).hex() == written


def test_messages():
    assert protobuf.message(2, b"testing").hex() == "120774657374696e67"
    assert protobuf.message(16, b"") == protobuf.delimited(16, 0) == b"\x82\x01\x00"
