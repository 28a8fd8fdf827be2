# SPDX-License-Identifier: Apache-2.0
"""Pooling of one, two and three dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..block import HybridBlock
from .sizes import Size, check_layout, checked_size, each

__all__ = [
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalAvgPool3D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPool3D",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
]

_LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


class _Pooling(HybridBlock):
    """Any of the poolings.

    Args:
        pool_size: of the window; a number for each dimension.
        strides: a number, or one for each dimension; None: as `pool_size`.
        padding: a number, or one for each dimension.
        ceil_mode: whether a window that is not whole at the end counts.
        global_pool: whether the window is the whole input.
        pool_type: 'max' or 'avg'.
        layout: of input and output.
        count_include_pad: whether averages count padding.
    """

    def __init__(
        self,
        pool_size: Sequence[int],
        strides: Size | None,
        padding: Size,
        ceil_mode: bool,
        global_pool: bool,
        pool_type: str,
        layout: str,
        count_include_pad: bool | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        dimensions = len(pool_size)
        self._kwargs = {
            "kernel": pool_size,
            "stride": each(pool_size if strides is None else strides, dimensions),
            "pad": each(padding, dimensions),
            "global_pool": global_pool,
            "pool_type": pool_type,
            "layout": layout,
            "pooling_convention": "full" if ceil_mode else "valid",
        }
        if count_include_pad is not None:
            self._kwargs["count_include_pad"] = count_include_pad

    def _pool(self, dimensions: int, pool_size: Any, *args: Any, **kwargs: Any) -> None:
        """`_Pooling.__init__` for so many dimensions, with the checks of the public classes."""
        check_layout(self, args[5], _LAYOUTS[dimensions])
        pool_size = checked_size(self, "pool_size", pool_size, dimensions)
        _Pooling.__init__(self, pool_size, *args, **kwargs)

    def _alias(self) -> str:
        return "pool"

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Pooling(x, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        return (
            "{0}(size={kernel}, stride={stride}, padding={pad}, ceil_mode={1}, "
            "global_pool={global_pool}, pool_type={pool_type}, layout={layout})"
        ).format(type(self).__name__, self._kwargs["pooling_convention"] == "full", **self._kwargs)


class MaxPool1D(_Pooling):
    """Max pooling of sequences: ``(n, c, w)`` → ``(n, c, w')``.

    `w'` is `(w + 2 padding - pool_size) // strides + 1`, rounded up in `ceil_mode`.

    Args:
        pool_size: size of the window: a number, or one for each dimension; so are the next two.
        strides: distance of windows; None: as `pool_size`.
        padding: what is put to both ends.
        layout: 'NCW' or 'NWC'.
        ceil_mode: whether a window that is not whole at the end counts.

    Example:
        >>> mx.gluon.nn.MaxPool1D()(mx.nd.array([[[1, 2, 3, 5]]])).asnumpy()
        array([[[2., 5.]]], dtype=float32)
    """

    def __init__(
        self,
        pool_size: Size = 2,
        strides: Size | None = None,
        padding: Size = 0,
        layout: str = "NCW",
        ceil_mode: bool = False,
        **kwargs: Any,
    ) -> None:
        self._pool(1, pool_size, strides, padding, ceil_mode, False, "max", layout, **kwargs)


class MaxPool2D(_Pooling):
    """The largest of each window of images: as MaxPool1D, layout 'NCHW' or 'NHWC'.

    Args:
        pool_size: the size of the window: an integer, or one for each axis.
        strides: the distance of two windows; None: `pool_size`.
        padding: how many zeros are added at both ends of each axis.
        layout: the order of the axes, such as ``"NCHW"``; C is the channels.
        ceil_mode: round the size of the output up.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> mx.gluon.nn.MaxPool2D()(mx.nd.ones((1, 3, 8, 8))).shape
        (1, 3, 4, 4)
    """

    def __init__(
        self,
        pool_size: Size = (2, 2),
        strides: Size | None = None,
        padding: Size = 0,
        layout: str = "NCHW",
        ceil_mode: bool = False,
        **kwargs: Any,
    ) -> None:
        self._pool(2, pool_size, strides, padding, ceil_mode, False, "max", layout, **kwargs)


class MaxPool3D(_Pooling):
    """The largest of each window of volumes: as MaxPool1D, layout 'NCDHW' or 'NDHWC'.

    Args:
        pool_size: the size of the window: an integer, or one for each axis.
        strides: the distance of two windows; None: `pool_size`.
        padding: how many zeros are added at both ends of each axis.
        ceil_mode: round the size of the output up.
        layout: the order of the axes, such as ``"NCHW"``; C is the channels.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> mx.gluon.nn.MaxPool3D()(mx.nd.ones((1, 3, 4, 8, 8))).shape
        (1, 3, 2, 4, 4)
    """

    def __init__(
        self,
        pool_size: Size = (2, 2, 2),
        strides: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        layout: str = "NCDHW",
        **kwargs: Any,
    ) -> None:
        self._pool(3, pool_size, strides, padding, ceil_mode, False, "max", layout, **kwargs)


class AvgPool1D(_Pooling):
    """Average pooling of sequences: ``(n, c, w)`` → ``(n, c, w')``, as MaxPool1D.

    Args:
        pool_size: size of the window: a number, or one for each dimension; so are the next two.
        strides: distance of windows; None: as `pool_size`.
        padding: zeros put to both ends.
        layout: 'NCW' or 'NWC'.
        ceil_mode: whether a window that is not whole at the end counts.
        count_include_pad: whether padding counts as elements.

    Example:
        >>> mx.gluon.nn.AvgPool1D()(mx.nd.array([[[1, 2, 3, 5]]])).asnumpy()
        array([[[1.5, 4. ]]], dtype=float32)
    """

    def __init__(
        self,
        pool_size: Size = 2,
        strides: Size | None = None,
        padding: Size = 0,
        layout: str = "NCW",
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        **kwargs: Any,
    ) -> None:
        kwargs["count_include_pad"] = count_include_pad
        self._pool(1, pool_size, strides, padding, ceil_mode, False, "avg", layout, **kwargs)


class AvgPool2D(_Pooling):
    """The mean of each window of images: as AvgPool1D, layout 'NCHW' or 'NHWC'.

    Args:
        pool_size: the size of the window: an integer, or one for each axis.
        strides: the distance of two windows; None: `pool_size`.
        padding: how many zeros are added at both ends of each axis.
        ceil_mode: round the size of the output up.
        layout: the order of the axes, such as ``"NCHW"``; C is the channels.
        count_include_pad: count the added zeros in the mean.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> mx.gluon.nn.AvgPool2D()(mx.nd.ones((1, 3, 8, 8))).shape
        (1, 3, 4, 4)
    """

    def __init__(
        self,
        pool_size: Size = (2, 2),
        strides: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        layout: str = "NCHW",
        count_include_pad: bool = True,
        **kwargs: Any,
    ) -> None:
        kwargs["count_include_pad"] = count_include_pad
        self._pool(2, pool_size, strides, padding, ceil_mode, False, "avg", layout, **kwargs)


class AvgPool3D(_Pooling):
    """The mean of each window of volumes: as AvgPool1D, layout 'NCDHW' or 'NDHWC'.

    Args:
        pool_size: the size of the window: an integer, or one for each axis.
        strides: the distance of two windows; None: `pool_size`.
        padding: how many zeros are added at both ends of each axis.
        ceil_mode: round the size of the output up.
        layout: the order of the axes, such as ``"NCHW"``; C is the channels.
        count_include_pad: count the added zeros in the mean.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> mx.gluon.nn.AvgPool3D()(mx.nd.ones((1, 3, 4, 8, 8))).shape
        (1, 3, 2, 4, 4)
    """

    def __init__(
        self,
        pool_size: Size = (2, 2, 2),
        strides: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        layout: str = "NCDHW",
        count_include_pad: bool = True,
        **kwargs: Any,
    ) -> None:
        kwargs["count_include_pad"] = count_include_pad
        self._pool(3, pool_size, strides, padding, ceil_mode, False, "avg", layout, **kwargs)


def _global(dimensions: int, pool_type: str) -> Any:
    """The `__init__` of a pooling whose window is the whole input of so many dimensions."""
    layouts = _LAYOUTS[dimensions]

    def __init__(self: _Pooling, layout: str = layouts[0], **kwargs: Any) -> None:  # noqa: N807
        self._pool(dimensions, 1, None, 0, True, True, pool_type, layout, **kwargs)

    __init__.__qualname__ = f"Global{pool_type.title()}Pool{dimensions}D.__init__"
    return __init__


class GlobalMaxPool1D(_Pooling):
    """Global max pooling: ``(n, c, w)`` → ``(n, c, 1)``; layout 'NCW' or 'NWC'.

    Args:
        layout: the order of the axes, such as ``"NCHW"``; C is the channels.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> mx.gluon.nn.GlobalMaxPool1D()(mx.nd.ones((1, 3, 8))).shape
        (1, 3, 1)
    """

    __init__ = _global(1, "max")


class GlobalMaxPool2D(_Pooling):
    """The largest of each channel of images; layout 'NCHW' or 'NHWC'.

    Args:
        layout: the order of the axes, such as ``"NCHW"``; C is the channels.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> mx.gluon.nn.GlobalMaxPool2D()(mx.nd.ones((1, 3, 8, 8))).shape
        (1, 3, 1, 1)
    """

    __init__ = _global(2, "max")


class GlobalMaxPool3D(_Pooling):
    """The largest of each channel of volumes; layout 'NCDHW' or 'NDHWC'.

    Args:
        layout: the order of the axes, such as ``"NCHW"``; C is the channels.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> mx.gluon.nn.GlobalMaxPool3D()(mx.nd.ones((1, 3, 4, 8, 8))).shape
        (1, 3, 1, 1, 1)
    """

    __init__ = _global(3, "max")


class GlobalAvgPool1D(_Pooling):
    """Global average pooling: ``(n, c, w)`` → ``(n, c, 1)``; layout 'NCW' or 'NWC'.

    Args:
        layout: the order of the axes, such as ``"NCHW"``; C is the channels.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> mx.gluon.nn.GlobalAvgPool1D()(mx.nd.ones((1, 3, 8))).shape
        (1, 3, 1)
    """

    __init__ = _global(1, "avg")


class GlobalAvgPool2D(_Pooling):
    """The mean of each channel of images; layout 'NCHW' or 'NHWC'.

    Args:
        layout: the order of the axes, such as ``"NCHW"``; C is the channels.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> mx.gluon.nn.GlobalAvgPool2D()(mx.nd.ones((1, 3, 8, 8))).shape
        (1, 3, 1, 1)
    """

    __init__ = _global(2, "avg")


class GlobalAvgPool3D(_Pooling):
    """The mean of each channel of volumes; layout 'NCDHW' or 'NDHWC'.

    Args:
        layout: the order of the axes, such as ``"NCHW"``; C is the channels.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> mx.gluon.nn.GlobalAvgPool3D()(mx.nd.ones((1, 3, 4, 8, 8))).shape
        (1, 3, 1, 1, 1)
    """

    __init__ = _global(3, "avg")
