# SPDX-License-Identifier: Apache-2.0
import io

import numpy as np
import pytest

pytest.importorskip("uvicorn")

from mxnova.serve import payloads
from mxnova.serve.errors import Refused

CSV = [
    b"1,2,3\n4,5,6",
    b"1,2\r\n3,4\r\n",
    b"\n\n1,2\n\n3,4\n\n",
    b'"1","2"\n 3 ,"4"\n',
    b"1e3,-inf,nan\n.5,+7,1e-400\n",
    b"7",
    b"\n".join(b"%d,%d" % (i, -i) for i in range(20_000)),
    b",".join(b"%d" % i for i in range(50_000)),
]


@pytest.mark.parametrize("body", CSV)
def test_parse_csv_reads_as_numpy(body):
    expected = np.loadtxt(
        io.StringIO(body.decode()), float, delimiter=",", comments=None, quotechar='"', ndmin=2
    )
    np.testing.assert_array_equal(payloads._parse_csv(body), expected)


@pytest.mark.parametrize("body", [b"1,2\r3,4\r", b"1,2\n  \n\t\n3,4", b'1, "2" \n\n3,4'])
def test_parse_csv_skips_blank_lines_and_spaces(body):
    assert payloads._parse_csv(body).tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "body",
    [b"", b" \n", b"1,2\n3", b"1,,2", b"1,2,", b"one", b"1_0", b'"1,2"', b'1"2"', b'"1', b"\xff", b"1;2", b"0x10",
     b"1,2\n" * 9000 + b"x,2", "\u0661,\u0662".encode()],
)  # fmt: skip
def test_parse_csv_refuses_other_texts(body):
    with pytest.raises(ValueError, match="."):
        payloads._parse_csv(body)


def test_many_ranges_of_accept_are_not_looked_at():
    with pytest.raises(Refused, match="known are"):
        payloads.choose_content_type(",".join(["text/html"] * 9000 + ["application/json"]))
    assert payloads.choose_content_type("text/html, */*") == "application/json"


@pytest.mark.parametrize("rows", [1, 20_000])
def test_csv_holds_a_line_for_each_row(rows):
    values = np.arange(2 * rows).reshape(rows, 2)
    text = b"".join(
        payloads.encode_body("text/csv", {"a": values, "b": -values}, (), lambda n_bytes: None)
    )
    np.testing.assert_array_equal(
        np.loadtxt(io.BytesIO(text), int, delimiter=",", ndmin=2), np.hstack([values, -values])
    )
