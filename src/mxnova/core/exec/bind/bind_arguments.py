# SPDX-License-Identifier: Apache-2.0
"""What callers give to `bind` for each variable, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ...base.errors import ArgumentError, ArgumentTypeError, MXNetError, candidates, shown
from ...base.mismatches import Mismatches
from ...nd.array import NDArray
from ...runtime.context import Context, context_of

__all__ = ["Arrays", "by_name", "groups_of", "requests_of"]

GRAD_REQS = ("null", "write", "add")
Arrays = Sequence[NDArray | None] | Mapping[str, NDArray | None]


def groups_of(group2ctx: Mapping[str, Any] | None) -> dict[str, Context] | None:
    """Contexts of groups of nodes, by name."""
    if group2ctx is None:
        return None
    if not isinstance(group2ctx, Mapping):
        raise ArgumentTypeError(f"bind: group2ctx is a {type(group2ctx).__name__}, not a dict")
    return {name: context_of(context) for name, context in group2ctx.items()}


def by_name(
    what: str, names: Sequence[str], given: Arrays, *, required: bool
) -> dict[str, NDArray]:
    """Arrays given by name or in order, by name; names that are not in `names` are left out.

    Args:
        what: the argument of `bind` that they come from.
        names: of the variables.
        given: the arrays.
        required: whether each variable needs one.

    Raises:
        ArgumentError: one is missing, or there are too many or too few.
        ArgumentTypeError: one is no array.
    """
    if not isinstance(given, Mapping):
        if not isinstance(given, Sequence):
            raise ArgumentTypeError(
                f"bind: {what} is a {type(given).__name__}, neither a list nor a dict of arrays"
            )
        if len(given) != len(names):
            raise ArgumentError(
                f"bind: {what} holds {len(given)} arrays; {len(names)} are needed: "
                f"{', '.join(names)}"
            )
        given = dict(zip(names, given, strict=True))
    found: dict[str, NDArray] = {}
    told = Mismatches()
    for name in names:
        array = given.get(name)
        if array is None and required:
            told.add("missing", repr(name), partial(_missing, what, name, given))
        if array is not None and not isinstance(array, NDArray):
            raise ArgumentTypeError(
                f"bind: {what}[{name!r}] is a {type(array).__name__}, not an NDArray"
            )
        if array is not None:
            found[name] = array
    told.check()
    return found


def _missing(what: str, name: str, given: Mapping[str, Any]) -> MXNetError:
    return ArgumentError(f"bind: {what} lacks {name!r}{candidates(name, given)}")


def requests_of(names: Sequence[str], grad_req: Any) -> dict[str, str]:
    """null, write or add for each of `names`; a dict leaves out those that are null.

    Raises:
        MXNetError: a request is none of these, or there are too many or too few.
    """
    if isinstance(grad_req, str):
        requests = dict.fromkeys(names, grad_req)
    elif isinstance(grad_req, Mapping):
        requests = {n: grad_req.get(n, "null") for n in names}
    elif isinstance(grad_req, (list, tuple)):
        if len(grad_req) != len(names):
            raise ArgumentError(f"bind: grad_req holds {len(grad_req)}, {len(names)} are needed")
        requests = dict(zip(names, grad_req, strict=True))
    else:
        raise ArgumentTypeError(f"bind: grad_req={shown(grad_req)}: must be a text, list or dict")
    for name, request in requests.items():
        if not isinstance(request, str) or request not in GRAD_REQS:
            raise ArgumentError(
                f"bind: grad_req of {name}={shown(request)}: must be one of {GRAD_REQS}"
            )
    return requests
