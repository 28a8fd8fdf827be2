# SPDX-License-Identifier: Apache-2.0
"""Whether arrays are equal, nearly equal, or the same memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.base.dtypes import BFLOAT16
from .tolerances import get_etol, get_tols

__all__ = [
    "almost_equal",
    "assert_allclose",
    "assert_almost_equal",
    "assert_almost_equal_ignore_nan",
    "assert_almost_equal_with_err",
    "assert_exception",
    "checkShapes",
    "compare_ndarray_tuple",
    "locationError",
    "same",
    "same_array",
]

Names = Sequence[str]


def same(a: Any, b: Any) -> bool:
    """Whether two arrays have the same shape and the same values."""
    return bool(np.array_equal(_values(a), _values(b)))


def same_array(array1: Any, array2: Any) -> bool:
    """Whether two arrays share memory: a write to one is read from the other."""
    if not same(array1, array2):
        return False
    array1[:] = array1 + 1
    shared = same(array1, array2)
    array1[:] = array1 - 1
    return shared


def almost_equal(
    a: Any,
    b: Any,
    rtol: Any = None,
    atol: Any = None,
    equal_nan: bool = False,
    use_broadcast: bool = True,
) -> bool:
    """Whether two arrays are equal up to a tolerance; `assert_almost_equal` says more.

    Raises:
        AssertionError: shapes differ, and `use_broadcast` is off.
    """
    if not use_broadcast:
        checkShapes(a, b)
    rtol, atol = get_tols(a, b, rtol, atol)
    return bool(_isclose(_values(a), _values(b), rtol, atol, equal_nan).all())


def assert_almost_equal(
    a: Any,
    b: Any,
    rtol: Any = None,
    atol: Any = None,
    names: Names = ("a", "b"),
    equal_nan: bool = False,
    use_broadcast: bool = True,
    mismatches: tuple[int, int] = (10, 10),
) -> None:
    """Asserts that ``|a - b| <= atol + rtol * |b|`` everywhere.

    Args:
        a: an array or a number.
        b: another.
        rtol: relative tolerance, also by element type; default: of the less exact of the two.
        atol: absolute tolerance, likewise.
        names: what the error calls the two.
        equal_nan: whether NaN equals NaN.
        use_broadcast: whether shapes may differ as long as one broadcasts to the other.
        mismatches: how many wrong elements the error lists, and how many of them it looks for.

    Raises:
        AssertionError: they differ; the message lists the worst elements.
    """
    if not use_broadcast:
        checkShapes(a, b)
    _assert_close(a, b, rtol, atol, names, equal_nan, mismatches, etol=0)


def assert_allclose(
    a: Any, b: Any, rtol: Any = 1e-07, atol: Any = 0, equal_nan: bool = True
) -> None:
    """`assert_almost_equal` with NumPy's tolerances."""
    assert_almost_equal(a, b, rtol, atol, equal_nan=equal_nan)


def assert_almost_equal_with_err(
    a: Any,
    b: Any,
    rtol: Any = None,
    atol: Any = None,
    etol: float | None = None,
    names: Names = ("a", "b"),
    equal_nan: bool = False,
    mismatches: tuple[int, int] = (10, 10),
) -> None:
    """`assert_almost_equal` that lets a share of `etol` of the elements be wrong."""
    _assert_close(a, b, rtol, atol, names, equal_nan, mismatches, get_etol(etol))


def assert_almost_equal_ignore_nan(
    a: Any, b: Any, rtol: Any = None, atol: Any = None, names: Names = ("a", "b")
) -> None:
    """`assert_almost_equal` of the elements that are NaN in neither array."""
    a, b = np.copy(_values(a)), np.copy(_values(b))
    nan = np.isnan(a) | np.isnan(b)
    a[nan] = b[nan] = 0
    assert_almost_equal(a, b, rtol, atol, names)


def _assert_close(
    a: Any,
    b: Any,
    rtol: Any,
    atol: Any,
    names: Names,
    equal_nan: bool,
    mismatches: tuple[int, int],
    etol: float,
) -> None:
    rtol, atol = get_tols(a, b, rtol, atol)
    a, b = _broadcast(_values(a), _values(b), names)
    wrong = ~_isclose(a, b, rtol, atol, equal_nan)
    if wrong.mean() > etol if wrong.size else False:
        raise AssertionError(_report(a, b, wrong, rtol, atol, names, mismatches[0]))


def _isclose(a: Any, b: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    """`np.isclose`; float16 in float32, in which NumPy is ten times as fast."""
    if a.dtype == b.dtype == np.float16:
        a, b = a.astype(np.float32), b.astype(np.float32)
    return np.isclose(a, b, rtol, atol, equal_nan=equal_nan)


def _broadcast(a: Any, b: Any, names: Names) -> list[Any]:
    try:
        return list(np.broadcast_arrays(a, b))
    except ValueError:
        raise AssertionError(_shapes_differ(a, b, names)) from None


def _report(a: Any, b: Any, wrong: Any, rtol: float, atol: float, names: Names, limit: int) -> str:
    errors = _violation(a, b, rtol, atol)
    places = np.argwhere(wrong)
    sizes = np.nan_to_num(errors[wrong], nan=np.inf)
    worst = [tuple(map(int, places[i])) for i in np.argsort(-sizes, kind="stable")[:limit]]
    first, second = names
    lines = [
        f"{first} and {second} are not equal: {wrong.sum()} of {wrong.size} elements "
        f"({wrong.mean():.4%}) differ by more than the tolerance (rtol={rtol:g}, atol={atol:g})",
        *(f"  {errors[at]:.6f} times the tolerance, {_place(a, b, at, names)}" for at in worst),
        f"{first}: {_excerpt(a)}",
        f"{second}: {_excerpt(b)}",
    ]
    return "\n".join(lines)


def _violation(a: Any, b: Any, rtol: float, atol: float) -> Any:
    """By how many times the tolerance elements differ; equal infinities do not."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        difference = np.where(a == b, 0, np.abs(a - b))
        return difference / (atol + rtol * np.abs(b) + np.finfo(np.float64).tiny)


def _excerpt(values: Any) -> str:
    return np.array2string(values, threshold=40, edgeitems=3)


def _place(a: Any, b: Any, index: tuple[int, ...], names: Names) -> str:
    return f"at {index}: {names[0]}={a[index]:.8g}, {names[1]}={b[index]:.8g}"


def locationError(  # noqa: N802 - MXNet's name
    a: Any,
    b: Any,
    index: tuple[int, ...],
    names: Names,
    maxError: bool = False,  # noqa: N803 - MXNet's name
) -> str:
    """Text that says where two arrays differ, and how.

    Args:
        a: an array.
        b: another.
        index: the place.
        names: what to call the two.
        maxError: whether to call it the greatest difference.
    """
    what = "Greatest difference" if maxError else "Difference"
    return f"{what} {_place(a, b, index, names)}"


def checkShapes(a: Any, b: Any) -> None:  # noqa: N802 - MXNet's name
    """Asserts that two arrays have the same shape."""
    if np.shape(a) != np.shape(b):
        raise AssertionError(_shapes_differ(a, b, ("a", "b")))


def _shapes_differ(a: Any, b: Any, names: Names) -> str:
    shapes = zip(names, map(np.shape, (a, b)), strict=True)
    return " and ".join(f"{name}.shape = {shape}" for name, shape in shapes) + " are not equal"


def compare_ndarray_tuple(t1: Any, t2: Any, rtol: Any = None, atol: Any = None) -> None:
    """`assert_almost_equal` of arrays in nested tuples; None on either side is passed over."""
    if t1 is None or t2 is None:
        return
    if isinstance(t1, tuple):
        for first, second in zip(t1, t2, strict=True):
            compare_ndarray_tuple(first, second, rtol, atol)
    else:
        assert_almost_equal(t1, t2, rtol, atol)


def assert_exception(
    f: Callable[..., Any], exception_type: type[BaseException], *args: Any, **kwargs: Any
) -> None:
    """Asserts that `f`, called with the arguments, raises `exception_type`."""
    try:
        f(*args, **kwargs)
    except exception_type:
        return
    raise AssertionError(f"{f!r} raised no {exception_type.__name__}")


def _values(array: Any) -> Any:
    if not hasattr(array, "asnumpy"):
        return np.asarray(array)
    return (array.astype("float32") if array.dtype == BFLOAT16 else array).asnumpy()
