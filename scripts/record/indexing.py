# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet's arrays do when they are indexed; run it with an interpreter that has MXNet.

    OMP_NUM_THREADS=1 python scripts/record/indexing.py tests/data/indexing

Each case is one Python expression, `x[key]`, or one statement, `x[key] = value`, on an array that
counts up from 0. A case runs in a process of its own: MXNet does not survive all of them. Reading
beyond an array's memory gives what happens to be there, so each case runs twice, on differently
filled memory, and one that differs is recorded as harmful.
"""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from itertools import product
from pathlib import Path

os.environ["MXNET_ENGINE_TYPE"] = "NaiveEngine"  # errors where they arise; threads do not fork

import mxnet as mx
import numpy as np
from isolation import isolated

nd = mx.nd
NAMES = {"np": np, "nd": nd, "mx": mx}

# Keys for arrays of one, two and three axes -------------------------------------------------------

ROW = """
0 | -1 | 4 | -5 | 5 | -6 | np.int64(2) | np.int32(-1) | np.uint8(1) | True | False | 1.0
np.float32(1) | None | ... | () | : | 1:3 | :2 | 3: | -2: | :-1 | ::2 | 1::2 | ::-1 | ::-2
3:0:-1 | 4:1:-2 | 3:1 | 5: | 7: | :9 | -9:2 | -9:-7 | ::0 | 2:2 | 1:3:1 | 0:5 | 2:3:5 | 2:1:-1
::9 | 4::9 | np.int64(1):np.int64(3) | 1.0:3.0 | (0,) | (slice(1, 3),) | None, 0 | 0, None
..., 0 | 0, ... | (...,) | None, None | ..., ... | 0, 0 | None, slice(1, 3), None | None, ...
..., None, slice(3) | [0] | [0, 2] | [-1, 0] | [5] | [-6] | [] | [[0, 1], [2, 3]] | [0.5]
[1.7, 2.2] | [0, 0, 0] | ([0, 2],) | ((0, 2),) | [[0, 2], [1]] | [None] | ['a'] | [slice(0, 2)]
[[]] | [[0, 2]] | [np.int64(1)] | nd.array([0, 2]) | nd.array([0, 2], dtype='int32')
nd.array([0, 2], dtype='int64') | nd.array([0, 2], dtype='uint8')
nd.array([0, 2], dtype='float64') | nd.array([1.7]) | nd.array([-1]) | nd.array([7])
nd.array([-7]) | nd.array([[0, 1], [2, 3]]) | nd.array([2])
nd.array([1, 0, 1, 0, 1], dtype='bool') | nd.array([0, 0, 0, 0, 0], dtype='bool')
nd.array([1, 0, 1], dtype='bool') | nd.array([1, 0, 1, 0, 1]) | x > 2 | (x > 2).astype('bool')
np.array([0, 2]) | np.array([0, 2], 'int32') | np.array([1.5, 2.5]) | np.array(2) | np.array([2])
np.array([[4, 3], [2, -1]]) | np.array([5]) | np.array([], 'int64') | np.array([True, False] * 2)
np.array([True, False, True, False, True]) | np.array([False] * 5) | np.array(True)
[True, False, True, False, True] | [False] * 5 | [True, False] | [np.array(1), np.array(2)]
range(3) | range(4, 0, -2) | range(0) | range(7) | range(1, 5, 2) | 'a' | {0} | {} | 1j | object()
len | nd.array([1]), | None, nd.array([0, 2]) | nd.array([0, 2]), None | ..., [0, 2] | [0, 2], ...
None, [0, 2], None | 2**40 | slice(0, 2**40) | np.array([0, 2], 'uint8') | np.array(['a'])
"""
MATRIX = """
0 | -1 | 2 | -3 | 3 | -4 | None | ... | () | : | 1: | :2 | 1:2 | ::2 | ::-1 | 3: | 2:1 | -1: | 1:1
0, 1 | -1, -1 | 3, 0 | 0, 4 | 0, -5 | -4, 0 | 0, 0, 0 | np.int64(1), np.int32(2) | 0, : | :, 0
:, -1 | :, 1: | :, 1:2 | :, ::2 | :, ::-1 | ::-1, ::-1 | ::2, ::3 | 1:, 1: | 1:2, 1:3 | 1, 1:3
1, ::2 | 1, ::-1 | 1, 3:1 | 1:2, ::-1 | 0:1, 2:3 | 2:, :: | :, 5: | 5:, : | :, : | :3, :4 | 1:3, :
1:9, : | ::-1, 0 | ::3, : | 0:3:3, 1 | 2:0:-1, 3:0:-2 | :, 4 | :, -5 | ..., 0 | 0, ... | ..., 1:
1:, ... | ..., 0, 1 | 0, ..., 1 | ..., : | None, 0 | 0, None | None, : | :, None | :, None, :
:, :, None | None, 1, None, 2, None | ..., None | None, ... | 1:, None, 0 | 0, None, ::2 | 0, :, :
None, None | [0] | [0, 2] | [2, 0, 0] | [-1] | [3] | [-4] | [0, 2], : | :, [0, 2] | :, [3, 0, -1]
[0, 2], 1 | 1, [0, 2] | [0, 2], [1, 3] | [[0], [2]], [1, 3] | [0, 1], [0, 1, 2] | [0, 2], 1:3
1:3, [0, 2] | [0, 2], ::-1 | ::-1, [0, 2] | [0, 2], ::2 | ::2, [0, 2] | [0, 2], ... | ..., [0, 2]
None, [0, 2] | [0, 2], None | [0, 2], None, [1, 3] | None, [0, 2], [1, 3] | [0, 2], [1, 3], None
:, None, [1, 2] | [0, 2], None, 1 | [[0, 1], [1, 2]] | [[0, 1], [1, 2]], : | :, [[0, 1], [1, 2]]
[], : | :, [] | [] | [0], [0] | [0, 2], [4, 0] | [0, 2], [-5, 0] | 0, [0, 2], 0 | [0, 2], 3:
[0, 2], 5: | [0], 0 | nd.array([0, 2]) | nd.array([0, 2]), nd.array([1, 3]) | nd.array([0, 2]), 1
:, nd.array([0, 2]) | nd.array([[0], [2]]), nd.array([[1, 3]])
nd.array([0, 2], dtype='int32'), np.array([1, 3]) | nd.array([1]), : | nd.array([1])
nd.array([0, 2]), [1, 3] | nd.array([9]) | nd.array([0, 9]), 0 | np.array([0, 2])
np.array([[0, 2]]), 1 | np.array([0, 2]), np.array([1, 3]) | np.array(1) | np.array(1), 2
:, np.array([0, 2]) | np.array([0.9, 2.9]), : | np.array([1]), slice(None, None, -1)
np.array([True, False, True]) | np.array([True, False, True]), :
np.array([True, False, True]), 1 | :, np.array([True, False, True, False])
np.arange(12).reshape(3, 4) % 2 == 0 | [True, False, True]
np.array([True, False, True]), np.array([True, False, True, False])
:, [True, False, True, False] | np.array([True, False, True]), [0, 1] | np.array([False] * 3)
np.zeros((3, 4), bool) | np.array([True] * 4) | np.ones((4, 3), bool) | np.ones((3, 4, 1), bool)
np.array([True, False]) | nd.array([1, 0, 1], dtype='bool') | nd.array([1, 0, 1], dtype='bool'), :
x > 5 | :, nd.array([1, 0, 1, 0], dtype='bool') | (x > 5).astype('bool')
nd.array([1, 0, 1], dtype='bool'), 1 | (x < 0).astype('bool') | True | False | True, 0 | np.True_
True, [0, 1] | 0, True | np.array(True), 1 | range(2) | range(2), range(2) | :, range(3, 0, -1)
range(2), 1 | range(2), [1, 2] | range(1, 9) | ((0, 1),) | (0, 1), | ((0, 1), (1, 2))
[(0, 1), (1, 2)] | [slice(0, 2)] | [0, slice(0, 2)] | [[0, 1], [1, 2], [2, 3]]
[[0, 1], [1, 2]], [[0, 1], [2, 3]] | 1.5 | 0, 1.5 | 'a' | 0, 'a' | {1} | 0, None, 1 | 0, 1.0
[1.5], 0 | 'a', [0] | {}, [0] | 1j, 0 | ..., ..., 0 | ::0, 0 | :, ::0 | [0], ::0 | ..., 0, 0, 0
"""
CUBE = """
0 | 1, 2 | 1, 2, 3 | -1, -1, -1 | 0, 0, 0, 0 | 2 | 0, 3 | 0, 0, 4 | ... | 0, ... | ..., 0
0, ..., 0 | :, 1 | :, :, 1 | :, 1, : | 0, 1: | 0, 1:, : | 0, 1:, 1: | 1, 2, 1:3 | 1, 2, ::2
1, 1:2, 0:2 | 1, 1:2, 1:3 | 0:1, 1:2, 1:3 | 0:1, 1:3 | 0:1, 1:3, 1:3 | 0:1, :, 1 | 1:2, 2, 1
:, 0:0 | 0, 5:, 1 | ::-1 | ::-1, ::-1, ::-1 | :, ::-2 | 0, ::-1 | 0, ::-1, 0 | 1, 2:0:-1, 3:0:-2
..., ::-1 | ::2, ::2, ::2 | None, 0 | 0, None | 0, None, 1 | 0, None, 1, None, 2 | None, None, 0
:, None, 0 | ..., None | ..., None, 0 | None, 0, 1, 2 | 0, 1, 2, None | None, ..., None
1:, None, 0, None, ::2 | [1, 0] | [1, 0], 1 | [1, 0], [2, 0] | [1, 0], [2, 0], [3, 1]
[1, 0], :, [3, 1] | :, [2, 0], [3, 1] | :, [2, 0] | :, :, [3, 1] | [1, 0], 1:, 2 | 0, :, [3, 1]
0, [2, 0] | 0, [2, 0], : | 0, [2, 0], [3, 1] | 0, 1, [3, 1] | [1, 0], :, 2 | 1, :, [3, 1]
:, 1, [3, 1] | [[1], [0]], [2, 0] | [[1], [0]], :, [3, 1] | [1, 0], ..., [3, 1] | ..., [2, 0], 1
..., [3, 1] | [1, 0], ... | [1, 0], ::-1 | ::-1, [2, 0] | ::-1, [2, 0], ::-1
[1, 0], ::-1, [3, 1] | :, [2, 0], ::2 | [1, 0], 1:3, ::-2 | 1:, [2, 0], 0:2 | None, [1, 0]
[1, 0], None | [1, 0], None, [2, 0] | [1, 0], None, :, [3, 1] | :, None, [2, 0] | :, [2, 0], None
:, [2, 0], None, [3, 1] | None, [1, 0], :, [3, 1] | :, None, [2, 0], [3, 1], None
[1, 0], :, None, 1 | [1, 0], 1, None | 0, None, [2, 0] | [[1, 0]], :, None | ..., None, [3, 1]
[1, 0], [2, 0, 1] | [1, 0], 0, [3, 1] | [2], 0 | :, [3] | :, :, [-5] | 0, [0, 5] | [], [], []
:, [] | [1, 0], [], 0 | [], :, 0 | [[0, 1]], [[0], [2]], [[[3]]] | 0, 0, [[0, 1], [2, 3]]
nd.array([1, 0]) | nd.array([1, 0]), :, nd.array([3, 1]) | :, nd.array([2, 0]), 1
nd.array([1, 0], dtype='int64'), np.array([2, 0]), [3, 1] | nd.array([[1, 0]]), 2
0, nd.array([[2, 0]]) | np.array([[1, 0]]), :, np.array([[3], [1]]) | np.array(1), :, [0, 1]
np.array(1), 0, 2 | np.array([True, False]) | np.array([True, False]), 1
:, np.array([True, False, True]) | np.arange(6).reshape(2, 3) % 2 == 0
np.arange(6).reshape(2, 3) % 2 == 0, 1 | :, np.arange(12).reshape(3, 4) % 5 == 0
0, np.arange(12).reshape(3, 4) % 5 == 0 | np.arange(24).reshape(2, 3, 4) % 5 == 0
np.arange(6).reshape(2, 3) % 2 == 0, [0, 1, 2] | None, np.arange(6).reshape(2, 3) % 2 == 0
np.array([True, False]), :, np.array([True, False, True, False])
..., np.array([True, False, True, False]) | (x % 2).astype('bool')
nd.array([[1, 0, 1], [0, 1, 0]], dtype='bool') | 0, nd.array([1, 0, 1], dtype='bool') | range(2)
:, range(2) | range(2), :, range(2) | range(1, -1, -1), 0
"""
SINGLE = "0 | -1 | 1 | : | ... | () | None | ::-1 | [0] | 0:1 | 0:0 | 0, None | [0, 0] | True"
COLUMN = """
0 | :, 0 | 0, 0 | 1, :, 1 | :, 0, : | :, :, 0 | :, 0, 1:2 | 1, 0 | :, ::-1 | 0, :, 0 | ..., 1:
0:1, :, 1:2 | :, [0] | :, [0, 0], 1 | 1:, 0 | 1:, 0, 1: | :, 0:1, : | 0, ::-1, : | 0:2, :, ::2
"""
SCALAR = "() | : | ... | None | 0 | -1 | True | [0] | (None, None) | ..., | np.array([0]) | (...,)"
EMPTY = """
() | : | ... | 0 | None | :, 0 | :, 1: | 0:0 | [] | :, [0, 1] | :, ::-1 | 0, 0 | ..., 0 | 1:
"""

# Values to write ----------------------------------------------------------------------------------

NUMBERS = (
    "7 | -1 | 7.9 | -7.9 | True | np.float64(7.5) | np.int32(3) | np.bool_(True) | 300 | 2**31"
)
LIKE_MATRIX = """
[7, 8, 9, 10] | [[7], [8], [9]] | [7] | [[7]] | [[[7]]] | (7, 8, 9, 10) | [7, 8]
[7.9, 8.9, -9.9, 0] | np.arange(12).reshape(3, 4) + 50 | np.arange(4) + 50 | np.array(7)
np.array([7]) | np.array([[7]]) | np.arange(12.5, 24.5).reshape(3, 4)
np.arange(12).reshape(1, 3, 4) + 50 | np.arange(3) | np.arange(12) | np.arange(12).reshape(4, 3)
np.arange(3).reshape(3, 1) | np.ones((1, 1, 1, 4), 'uint8') | nd.arange(12).reshape(3, 4) + 50
nd.arange(4) | nd.array([7]) | nd.ones((1, 1, 4)) | nd.arange(3)
nd.arange(12).reshape(3, 4).astype('int32') | nd.array([7.9]) | nd.arange(12)
nd.array([[7], [8], [9]]) | nd.ones((3, 4), dtype='float64') | nd.ones((2, 3, 4))
nd.ones((3, 4, 1)) | x | x + 1 | 2 * x.T.T | None | 'a' | [] | [[]] | {} | object() | [1, 'a']
[[1], [2, 3]] | 1j | range(4) | (x > 5) | np.bool_(False) | np.arange(4)[::-1] | np.arange(8)[::2]
np.asfortranarray(np.arange(12).reshape(3, 4)) | ['1', '2', '3', '4']
"""
TARGETS = """
: | ... | () | 1 | 1, 2 | :, 1 | 1: | ::2 | ::-1 | :, ::2 | :, ::-1 | ::-1, ::-1 | 1:2, 1:3 | 0:0
:, 4: | None | None, 1 | :, None, 1 | 1, None | 1, None, 2 | ..., None | [0, 2] | [0, 0]
[0, 2], 1 | :, [0, 2] | [0, 2], [1, 3] | [0, 0], [1, 1] | ::-1, [0, 2] | [[0], [2]], [1, 3]
[0, 2], None | nd.array([0, 2]) | np.array([True, False, True])
np.arange(12).reshape(3, 4) % 2 == 0 | nd.array([1, 0, 1], dtype='bool') | 0, [1, 3] | range(2)
2:0:-1, 1
"""
PAIRS = """
1 = [7, 8, 9, 10] | 1 = [7] | 1 = [7, 8] | 1 = [[7, 8, 9, 10]] | 1 = nd.arange(4)
1 = nd.ones((1, 1, 4)) | 1, 2 = [7] | 1, 2 = [[7]] | 1, 2 = nd.array([7]) | 1, 2 = np.array(7)
1, 2 = [7, 8] | -1, -1 = 7 | 1, 2 = nd.ones((1, 1)) | :, 1 = [7, 8, 9] | :, 1 = nd.arange(3)
:, 1 = np.arange(3) | :, 1 = [[7], [8], [9]] | :, 1 = np.arange(4) | :, 1 = [[7, 8, 9]]
:, 1:3 = [[7, 8]] * 3 | :, 1:3 = [7, 8] | :, 1:3 = [[7], [8], [9]] | :, ::2 = [7, 8]
:, ::-1 = [7, 8, 9, 10] | ::-1 = np.arange(12).reshape(3, 4) | ::-1 = [[7], [8], [9]]
::-1, ::-1 = nd.arange(12).reshape(3, 4) | ::-2 = nd.ones((2, 4)) | 1:2, 1:3 = [[7, 8]]
1:2, 1:3 = nd.array([7, 8]) | 1, 1:3 = [7, 8] | 1:, 1 = [7, 8] | 0:0 = 7 | 0:0 = [7]
3: = nd.ones((1, 4)) | [0, 2] = [7, 8, 9, 10] | [0, 2] = [[7], [8]]
[0, 2] = np.arange(8).reshape(2, 4) | [0, 0] = np.arange(8).reshape(2, 4) | [0, 2] = np.arange(3)
[0, 2], [1, 3] = [7, 8] | [0, 2], [1, 3] = nd.array([7, 8]) | [0, 2], [1, 3] = [7]
[0, 2], [1, 3] = [7, 8, 9] | [0, 0], [1, 1] = [7, 8] | :, [0, 2] = [7, 8]
:, [0, 2] = [[7], [8], [9]] | :, [0, 0] = np.arange(6).reshape(3, 2) | 0, [1, 3] = [7, 8]
[0, 2], 1 = [7, 8] | [0, 2], 1:3 = [[7, 8], [9, 10]] | ::-1, [0, 2] = [[7], [8], [9]]
[[0], [2]], [1, 3] = [[7, 8], [9, 10]] | None = [7, 8, 9, 10] | None, 1 = [7, 8, 9, 10]
:, None, 1 = [[7], [8], [9]] | :, None = np.ones((3, 1, 4)) | None = nd.ones((1, 3, 4))
None, 1 = [[7, 8, 9, 10]] | 1, None = nd.ones((1, 4)) | [0, 2], None = np.ones((2, 1, 4))
None, [0, 2] = np.ones((1, 2, 4)) | 1, None, 2 = [[7]] | np.array([True, False, True]) = 7
np.array([True, False, True]) = [7, 8, 9, 10] | np.array([True, False, True]) = [[7], [8]]
np.arange(12).reshape(3, 4) % 2 == 0 = 7
np.arange(12).reshape(3, 4) % 2 == 0 = [7, 8, 9, 10, 11, 12] | np.array([False] * 3) = 7
np.array([False] * 3) = [7, 8, 9, 10] | nd.array([1, 0, 1], dtype='bool') = 7
(x > 5).astype('bool') = 0 | x > 5 = 0 | [True, False, True] = 7 | 3 = 7 | -4 = 7 | 0, 4 = 7
:, 4 = 7 | :, -5 = 7 | 0, 0, 0 = 7 | [3] = 7 | [-4] = 7 | [-1] = 7 | :, [4] = 7
[0, 1], [0, 1, 2] = 7 | nd.array([9]) = 7 | 1.5 = 7 | 'a' = 7 | 0, 'a' = 7 | {} = 7 | ..., ... = 7
::0 = 7 | True = 7 | False = 7 | [] = 7 | :, [] = 7 | 1j = 7 | [1.7] = 7 | range(2) = 7
range(2), 1 = [7, 8] | np.int64(1) = 7 | np.int64(1), np.int32(2) = 7 | np.array(1) = 7
np.array([1]) = [7] | None, None = 7 | 1: = x[:2] + 0 | 0 = x[1] | 0 = x[2] * 2 | :, 0 = x[:, 1]
0:2 = x[1:3] | ::-1 = x + 0 | 1 = x[0:1] | :, 0 = x[0, :3] | 1 = x[1] | 1 = 'a' | 1 = None
1 = [1, 'a'] | 1 = object() | 1, 2 = 'a' | [0] = 'a' | [0] = None | :, 1 = {} | 1 = 7.9
1 = 2**40 | 1 = float('nan') | 1 = np.array(['1', '2', '3', '4']) | : = np.array(['a'] * 4)
: = np.array([None] * 4) | : = np.ones((5, 5)) | : = nd.ones((5, 5)) | : = [[1] * 5] * 5
"""
ROW_PAIRS = """
0 = 7 | -1 = 7 | 5 = 7 | 0 = [7] | 0 = np.float32(7) | 0 = nd.array([7]) | 0 = [7, 8]
1:3 = [7, 8] | 1:3 = 7 | ::2 = [7, 8, 9] | ::-1 = [7, 8, 9, 10, 11] | ::-2 = nd.array([7, 8, 9])
3:0:-1 = [7, 8, 9] | : = np.arange(5) + 7 | : = nd.arange(5) + 7 | : = [7] | 1:1 = 7
3:1 = [7, 8] | 7: = 7 | ... = 7 | [0, 2] = [7, 8] | [0, 0] = [7, 8]
[2, 0, 2, 0] = nd.array([7, 8, 9, 10]) | [[0, 1], [2, 3]] = [[7, 8], [9, 10]]
[[0, 1], [2, 3]] = [7, 8] | nd.array([0, 2]) = nd.array([7, 8]) | np.array([0, 2]) = 7
np.array([True, False, True, False, True]) = [7, 8, 9] | x > 2 = 0 | (x > 2).astype('bool') = 0
None, 0 = 7 | 0, None = [7] | None = np.ones((1, 5)) | :, None = np.ones((5, 1))
..., None = [[7]] * 5 | () = 7 | () = [7, 8, 9, 10, 11]
"""
CUBE_PAIRS = """
0 = np.ones((3, 4)) | 0 = [[7]] | 0, 1 = [7, 8, 9, 10] | 0, 1, 2 = 7
:, 1 = np.arange(8).reshape(2, 4) | :, 1 = [7, 8, 9, 10] | :, :, 1 = np.arange(6).reshape(2, 3)
:, :, 1 = [7, 8, 9] | :, 1, 2 = [7, 8] | 0, ::-1 = np.arange(12).reshape(3, 4)
..., 0 = [[7], [8]] | ..., 1:3 = [7, 8] | ::-1, :, ::-2 = np.arange(12).reshape(2, 3, 2)
[1, 0], :, [3, 1] = [[7, 8, 9], [10, 11, 12]] | :, [2, 0], [3, 1] = [[7, 8], [9, 10]]
0, [2, 0], 1 = [7, 8] | [1, 0] = np.arange(12).reshape(3, 4)
[1, 0], None, [2, 0] = np.ones((2, 1, 4)) | np.arange(6).reshape(2, 3) % 2 == 0 = [7, 8, 9, 10]
:, np.array([True, False, True]) = 7 | 0, None, 1 = [7, 8, 9, 10] | 0, None = np.ones((1, 3, 4))
:, None, 1 = np.ones((2, 1, 4)) | 0, :, 1 = nd.array([7, 8, 9])
0:1, 1:3, 1:3 = [[7, 8], [9, 10]] | 1, 2, ::2 = nd.array([7, 8])
[1, 0], 1:, 2 = [[7, 8], [9, 10]] | [[1], [0]], [2, 0] = 7 | :, None, :, 1 = np.ones((2, 1, 3))
"""
FEW = """
0 | 1: | ::-1 | :, 1 | 1, 2 | [2, 0] | :, [0, 2] | None, 1 | nd.array([0, 2])
np.array([True, False, True])
"""
DTYPES = ["float64", "float16", "uint8", "int8", "int32", "int64", "bool"]


def keys(text: str) -> list[str]:
    """The entries of a table."""
    return [k.strip() for line in text.strip().splitlines() for k in line.split(" | ")]


def pairs(text: str) -> list[tuple[str, str]]:
    """The assignments of a table: (key, value)."""
    return [tuple(p.strip() for p in entry.rsplit(" = ", 1)) for entry in keys(text)]


def cases() -> list[dict]:
    """All cases, without their results."""
    made = []

    def add(key, value=None, shape=(3, 4), dtype="float32", np_shape=False):
        made.append({"shape": shape, "dtype": dtype, "np_shape": np_shape, "key": key})
        if value is not None:
            made[-1]["value"] = value

    for table, shape in [(ROW, (5,)), (MATRIX, (3, 4)), (CUBE, (2, 3, 4))]:
        for key in keys(table):
            add(key, shape=shape)
            add(key, shape=shape, np_shape=True)
    for table, shape in [(SINGLE, (1,)), (SINGLE, (1, 1)), (COLUMN, (2, 1, 3))]:
        for key in keys(table):
            add(key, shape=shape)
    for table, shape in [(SCALAR, ()), (EMPTY, (0, 3)), (EMPTY, (3, 0))]:
        for key in keys(table):
            add(key, shape=shape, np_shape=True)
            add(key, "7", shape=shape, np_shape=True)
            add(key, "[7]", shape=shape, np_shape=True)
    for key, dtype in product(keys(FEW), DTYPES):
        add(key, dtype=dtype)
        add(key, "7.9", dtype=dtype)
        add(key, "[7]", dtype=dtype)
    for dtype, number in product(["float32", *DTYPES], keys(NUMBERS)):
        for key in (":", "1", ":, 1", "[0, 2]"):
            add(key, number, dtype=dtype)
    for key in keys(TARGETS):
        for value in ("7", "[7]", "nd.array([7])", "np.array(7)"):
            add(key, value)
    for key, dtype in product((":", "1:", ":, ::-1", "[0, 1, 2]"), ("float32", "int32")):
        for value in keys(LIKE_MATRIX):
            add(key, value, dtype=dtype)
    for table, shape in [(ROW_PAIRS, (5,)), (PAIRS, (3, 4)), (CUBE_PAIRS, (2, 3, 4))]:
        for key, value in pairs(table):
            add(key, value, shape=shape)
            add(key, value, shape=shape, np_shape=True)
    return made


# Running ------------------------------------------------------------------------------------------


def base(case: dict) -> nd.NDArray:
    """The array of a case."""
    values = np.arange(int(np.prod(case["shape"]))).reshape(case["shape"])
    made = nd.empty(values.shape, dtype=case["dtype"])
    if values.size:
        made[:] = nd.array(values).astype(case["dtype"]) if values.ndim else 0
    return made


def described(array: nd.NDArray) -> dict:
    """Shape, type and values of an array."""
    values = array.asnumpy().astype("float64").ravel().tolist() if array.size else []
    name = np.dtype(array.dtype).name
    return {"shape": list(array.shape), "dtype": name, "values": [plain(v) for v in values]}


def plain(value: float) -> object:
    """A number as JSON has it: whole ones short, NaN as text."""
    if value != value or abs(value) == np.inf:
        return str(value)
    return int(value) if value == int(value) else value


def error_of(function) -> str | None:
    """The name of the exception's class, or None."""
    try:
        function()
    except Exception as error:  # noqa: BLE001 - which one is the question
        return type(error).__name__
    return None


def got(case: dict) -> dict:
    """What `x[key]` gives, and whether it is a view; what gradients reach x through it."""
    x = base(case)
    y = eval(f"x[{case['key']}]", {**NAMES, "x": x})
    result = described(y)
    result["is_x"] = y is x
    if y.size:
        result["view"] = shares(x, y)
    return result


def shares(x: nd.NDArray, y: nd.NDArray) -> bool:
    """Whether writes to either are seen in the other."""
    x[:] = 0
    y[:] = 1
    there = bool(x.asnumpy().any())
    x[:] = 0
    back = not y.asnumpy().any()
    if there != back:
        raise SystemExit("a view in one direction only")
    return there


def gradient(case: dict) -> dict:
    """The gradient of x when that of `x[key]` counts up from 1."""
    x = base(case)
    x.attach_grad()
    with mx.autograd.record():
        y = eval(f"x[{case['key']}]", {**NAMES, "x": x})
        z = y * nd.array(np.arange(1, y.size + 1).reshape(y.shape))
    z.backward()
    return {"grad": described(x.grad)["values"]}


def written(case: dict) -> dict:
    """What `x[key] = value` leaves in x; whether it raises for a leaf and a result of recording."""
    x = base(case)
    statement = f"x[{case['key']}] = {case['value']}"
    exec(statement, {**NAMES, "x": x})
    result = {"values": described(x)["values"]}
    if case["dtype"] == "float32":
        leaf = base(case)
        leaf.attach_grad()
        with mx.autograd.record():
            result["leaf"] = error_of(lambda: exec(statement, {**NAMES, "x": leaf}))
            made = leaf * 1
            result["recorded"] = error_of(lambda: exec(statement, {**NAMES, "x": made}))
    return result


def sure(function, case: dict) -> dict:
    """What a function gives of a case, where it does not depend on what was in memory."""

    def run(fill: float) -> dict:
        junk = [nd.full((n,), fill) for n in (1, 4, 16, 64, 256, 1024, 4096)]
        del junk
        mx.util.set_np_shape(case["np_shape"])
        return function(case)

    first, second = isolated(partial(run, 1234.0)), isolated(partial(run, -4321.0))
    return first if first == second else {"error": "harmful"}


def result_of(case: dict) -> dict:
    """All that is recorded of a case."""
    if "value" in case:
        return sure(written, case)
    result = sure(got, case)
    if result.get("view") is not None and case["dtype"] == "float32":
        gradients = sure(gradient, case)
        result["grad"] = gradients.get("grad", gradients.get("error"))
    return result


def record(folder: Path) -> None:
    """Runs all cases and writes get.json and set.json."""
    lines: dict[str, dict[str, None]] = {"get": {}, "set": {}}
    for case in cases():
        line = json.dumps({**case, "result": result_of(case)})
        lines["set" if "value" in case else "get"][line] = None
    for name, found in lines.items():
        (folder / f"{name}.json").write_text("[\n" + ",\n".join(found) + "\n]\n")
        print(name, len(found))


if __name__ == "__main__":
    record(Path(sys.argv[1]))
