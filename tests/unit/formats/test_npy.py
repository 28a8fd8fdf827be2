# SPDX-License-Identifier: Apache-2.0
import io

import numpy as np
import pytest

from mxnova.core.base.errors import FormatError
from mxnova.formats import npy


def dumps(values, **options):
    file = io.BytesIO()
    np.lib.format.write_array(file, values, **options)
    return file.getvalue()


@pytest.mark.parametrize("values", [np.arange(6).reshape(2, 3), np.float32(5), np.zeros((0, 3)), np.arange(6.0).reshape(2, 3).T], ids=str)  # fmt: skip
def test_arrays_are_read(values):
    read = npy.loads(dumps(np.asarray(values)))
    assert read.dtype == values.dtype
    np.testing.assert_array_equal(read, values)
    assert read.flags.writeable


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"", "no .npy file"),
        (b"\x93NUMPY\1\0\xff\xff", "no .npy file"),
        (dumps(np.arange(3.0))[:-1], "takes 24 bytes, and there are 23"),
        (dumps(np.arange(3.0)) + b"\0", "takes 24 bytes, and there are 25"),
        (dumps(np.array([None])), "Python objects"),
        (dumps(np.array(["x"])), "real numbers"),
        (dumps(np.zeros(2, complex)), "real numbers"),
    ],
)
def test_what_is_no_array_of_numbers(content, reason):
    with pytest.raises(FormatError, match=reason):
        npy.loads(content)


def test_threads_that_meet_in_pythons_parser_read_again(monkeypatch):
    read, calls = npy._HEADERS[1, 0], []

    def meets(file):
        calls.append(read(file))
        if len(calls) < 3:
            raise SystemError("AST constructor recursion depth mismatch (before=39, after=36)")
        return calls[-1]

    monkeypatch.setitem(npy._HEADERS, (1, 0), meets)
    np.testing.assert_array_equal(npy.loads(dumps(np.arange(3.0))), np.arange(3.0))
    assert len(calls) == 3
