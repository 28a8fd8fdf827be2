# SPDX-License-Identifier: Apache-2.0
"""Keys and arrays as calls of a store give them: one, lists for a key, lists of keys."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..core.base.errors import ArgumentTypeError, AssertedError, shown
from ..core.nd.array import NDArray

__all__ = ["Groups", "Key", "grouped"]

Key: TypeAlias = "int | str"
Groups: TypeAlias = "dict[Key, list[NDArray]]"


def grouped(call: str, keys: Any, arrays: Any, argument: str = "value") -> Groups:
    """The arrays of each key, in the order of the keys.

    Args:
        call: which method of a store was called.
        keys: an int or a str; or a list of such, which may stand in it several times.
        arrays: an array or a list of arrays; for a list of keys, a list with such for each.
        argument: what the call names `arrays`.

    Raises:
        AssertedError: keys of other kinds or of both, or lists of different lengths.
    """
    if isinstance(arrays, NDArray) and isinstance(keys, (int, str)):
        return {keys: [arrays]}
    groups: Groups = {}
    _collect(groups, call, keys, arrays, argument)
    if len({isinstance(key, str) for key in groups}) > 1:
        raise AssertedError(f"KVStore.{call}: key={shown(keys)}: must be all int or all str")
    return groups


def _collect(groups: Groups, call: str, keys: Any, arrays: Any, argument: str) -> None:
    if isinstance(keys, (list, tuple)):
        if not isinstance(arrays, (list, tuple)) or len(arrays) != len(keys):
            have = len(arrays) if isinstance(arrays, (list, tuple)) else type(arrays).__name__
            raise AssertedError(
                f"KVStore.{call}: {argument}: must be a list for {len(keys)} keys, not {have}"
            )
        for key, of_key in zip(keys, arrays, strict=True):
            _collect(groups, call, key, of_key, argument)
        return
    if not isinstance(keys, (int, str)):
        raise AssertedError(f"KVStore.{call}: key={shown(keys)}: must be an int or a str")
    listed = arrays if isinstance(arrays, (list, tuple)) else (arrays,)
    for array in listed:
        if not isinstance(array, NDArray):
            raise _NoArrayError(
                f"KVStore.{call}: {argument} of key {keys!r}: must be an NDArray or a list of "
                f"such, not {type(array).__name__}"
            )
    groups.setdefault(keys, []).extend(listed)


class _NoArrayError(AssertedError, ArgumentTypeError):
    """What is no array: MXNet asserts it of most things, and raises a TypeError for None."""
