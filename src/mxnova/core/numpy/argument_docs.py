# SPDX-License-Identifier: Apache-2.0
"""What arguments of NumPy's functions are, by their names, which mean the same everywhere."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["listing"]

_ARRAY = "an array of any shape."
_DOCS = {
    "A": _ARRAY, "a": _ARRAY, "ar": _ARRAY, "arr": _ARRAY, "array": _ARRAY, "ary": _ARRAY,
    "arrays": "a sequence of arrays.", "arys": "arrays.", "args": "arrays.",
    "m": _ARRAY, "x": "an array, or a number.", "x1": "an array, or a number.",
    "x2": "an array, or a number; the shapes of both broadcast.",
    "b": "an array.", "object": "numbers: an array, a number, or nested lists.",
    "prototype": "an array whose shape is taken.",
    "seq": "a sequence of arrays.", "tup": "a sequence of arrays.", "xi": "vectors.",
    "operands": "the subscripts, such as ``\"ij,jk->ik\"``, then the arrays.",
    "arr1": "an array.", "arr2": "an array.",
    "out": "an array to write the result into, of its shape and type; None: a new one.",
    "axis": "an axis, or a tuple of them where that makes sense; negative ones count from the end.",
    "axis1": "an axis.", "axis2": "another axis.", "axisa": "the axis of vectors in `a`.",
    "axisb": "the axis of vectors in `b`.", "axisc": "the axis of vectors in the result.",
    "axes": "axes, in an order or in pairs.", "source": "axes to move.",
    "destination": "their new places.",
    "start": "the first number; the end, where it is the only one.",
    "stop": "the end.", "step": "the distance of two numbers.", "num": "how many numbers.",
    "endpoint": "whether `stop` is the last number.", "retstep": "return the distance, too.",
    "base": "the base of the powers.",
    "dtype": "the element type of the result; None: the usual one.",
    "ctx": "the context of the result; None: the current one.", "order": "only ``\"C\"``.",
    "keepdims": "keep reduced axes, with length 1.", "initial": "where to start from.",
    "where": "only True.", "ddof": "is subtracted from the divisor.",
    "decimals": "how many digits after the point.", "a_min": "the lower bound, or None.",
    "a_max": "the upper bound, or None.", "copy": "False writes into `x`.",
    "nan": "in place of NaN.", "posinf": "in place of infinity; None: the largest number.",
    "neginf": "in place of minus infinity; None: the smallest number.",
    "condition": "truth values.", "y": "an array, or a number.",
    "weights": "a weight for each element, or None.", "returned": "return the sum of weights, too.",
    "q": "percentages from 0 to 100; quantiles from 0 to 1.", "overwrite_input": "without effect.",
    "interpolation": "what stands between two elements.",
    "minlength": "the least length of the result.",
    "bins": "how many, or their edges.", "range": "(lowest, highest); None: those of the data.",
    "normed": "only None.", "density": "only None.", "indices": "integers.",
    "mode": "what is done at the borders.", "kind": "without effect.",
    "return_index": "return where each value first occurs.",
    "return_inverse": "return the number of each element's value.",
    "return_counts": "return how often each value occurs.",
    "obj": "an index, a slice, or several indices.", "values": "what is put in.",
    "shape": "the shape: an integer, or a tuple of them.",
    "newshape": "the new shape; -1 is what is left.",
    "new_shape": "the new shape.",
    "shift": "by how many places.",
    "k": "how often, or which diagonal.",
    "reps": "how often along each axis.", "repeats": "how often.",
    "pad_width": "(before, after) for each axis.", "offset": "which diagonal.",
    "indices_or_sections": "how many parts, or where they begin.", "fill_value": "the number.",
    "N": "the number of rows.", "M": "the number of columns, or of points; None: as rows.",
    "n": "the number of rows, or how often.", "subok": "without effect.",
    "dimensions": "the shape of the grid.", "ndim": "the number of axes.", "p": "the coefficients.",
    "prepend": "numbers before the array.", "append": "numbers behind the array.",
    "to_end": "numbers behind the differences.", "to_begin": "numbers before the differences.",
    "max_work": "without effect.", "precision": "digits after the point.",
    "threshold": "the number of elements from which arrays are abbreviated.",
    "kwargs": "other options of NumPy's function, at their defaults only.",
    "low": "the lower bound, which is included.", "high": "the upper bound, which is excluded.",
    "size": "the shape of the result; None: that of the parameters.",
    "loc": "the mean, or the place.",
    "scale": "the standard deviation, or the scale.", "pvals": "probabilities, which add up to 1.",
    "lam": "the rate.", "alpha": "the shape of the distribution.", "beta": "the scale.",
    "replace": "whether a value may be drawn again.", "device": "the context of the result.",
    "varname": "an array.",
    "bias": "an array.",
    "file": "the name of a file.",
    "rowvar": "rows are variables.",
    "dim": "a length.", "row": "rows.", "col": "columns.", "r": "a number.", "v": "a vector.",
    "UPLO": "which triangle is read.",
    "rcond": "singular values below this share of the largest are 0.",
    "hermitian": "whether `a` is symmetric.",
    "full_matrices": "only False.",
    "compute_uv": "only True.",
    "ord": "which norm; None: the Euclidean one.", "tol": "values below are 0.",
}  # fmt: skip


def listing(names: Iterable[str], doc: str) -> str:
    """A docstring with a list of the arguments that it does not describe yet."""
    if "\nArgs:\n" in doc:
        return doc
    lines = [f"    {name}: {_DOCS[name]}" for name in names if name in _DOCS]
    if not lines:
        return doc
    summary, *rest = doc.split("\n\n")
    return "\n\n".join([summary, *rest, "\n".join(["Args:", *lines])])
