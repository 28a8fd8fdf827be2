# SPDX-License-Identifier: Apache-2.0
"""The order of equal elements in MXNet's CPU sorts: that of C++'s std::sort.

MXNet sorts a row as a whole by introsort, or, where few of many are wanted, by a heap of those few;
neither keeps equal elements in order, but both move them in a way that the lengths determine.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["order"]

_SHORT = 16  # parts of this length are left to a final insertion sort, which is stable


def order(keys: Sequence[float], wanted: int) -> list[int]:
    """Indices of the `wanted` smallest of `keys`, in order."""
    indices = list(range(len(keys)))
    if 8 * wanted > len(keys):
        _partition(indices, keys, 0, len(keys), 2 * (len(keys).bit_length() - 1))
        return sorted(indices, key=keys.__getitem__)[:wanted]
    return _smallest(indices, keys, wanted)


def _partition(a: list[int], keys: Sequence[float], low: int, high: int, depth: int) -> None:
    """Brings a[low:high] into parts of at most `_SHORT`, each below the next."""
    while high - low > _SHORT:
        if not depth:
            a[low:high] = _smallest(a[low:high], keys, high - low)
            return
        depth -= 1
        middle = _median(a, keys, low + 1, low + (high - low) // 2, high - 1)
        a[low], a[middle] = a[middle], a[low]
        cut = _cut(a, keys, low + 1, high, keys[a[low]])
        _partition(a, keys, cut, high, depth)
        high = cut


def _median(a: list[int], keys: Sequence[float], i: int, j: int, k: int) -> int:
    """Which of three places holds the middle key; of equal ones as comparisons by < find it."""
    x, y, z = keys[a[i]], keys[a[j]], keys[a[k]]
    if x < y:
        return j if y < z else k if x < z else i
    return i if x < z else k if y < z else j


def _cut(a: list[int], keys: Sequence[float], low: int, high: int, pivot: float) -> int:
    """Exchanges elements around `pivot`; where the upper part begins."""
    while True:
        while keys[a[low]] < pivot:
            low += 1
        high -= 1
        while pivot < keys[a[high]]:
            high -= 1
        if low >= high:
            return low
        a[low], a[high] = a[high], a[low]
        low += 1


def _smallest(a: list[int], keys: Sequence[float], wanted: int) -> list[int]:
    """The first `wanted` of `a` in order, by a heap with the largest on top."""
    heap = a[:wanted]
    for parent in range(wanted // 2 - 1, -1, -1):
        _sift(heap, keys, parent, wanted, heap[parent])
    for index in a[wanted:]:
        if keys[index] < keys[heap[0]]:
            _sift(heap, keys, 0, wanted, index)
    for last in range(wanted - 1, 0, -1):
        index, heap[last] = heap[last], heap[0]
        _sift(heap, keys, 0, last, index)
    return heap


def _sift(heap: list[int], keys: Sequence[float], hole: int, size: int, index: int) -> None:
    """Fills `hole` by the larger children all the way down, then lets `index` rise to its place."""
    top = hole
    child = 2 * hole + 2
    while child < size:
        if keys[heap[child]] < keys[heap[child - 1]]:
            child -= 1
        heap[hole], hole = heap[child], child
        child = 2 * hole + 2
    if child == size:
        heap[hole], hole = heap[size - 1], size - 1
    parent = (hole - 1) // 2
    while hole > top and keys[heap[parent]] < keys[index]:
        heap[hole], hole = heap[parent], parent
        parent = (hole - 1) // 2
    heap[hole] = index
