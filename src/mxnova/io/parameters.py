# SPDX-License-Identifier: Apache-2.0
"""Parameters of the file iterators: MXNet's names, types and defaults.

Each class declares parameters as operators do; a subclass has those of its bases first, and of
these the last one's, so that they are told in MXNet's order.
"""

from __future__ import annotations

import inspect
import logging
import typing
from collections.abc import Callable, Collection
from functools import cache
from types import SimpleNamespace
from typing import Annotated, Any, Literal

from ..core.base.doors import leave
from ..core.base.errors import ArgumentTypeError, MXNetError, candidates, from_foreign
from ..core.base.parameter_types import FloatKind, IntKind, TupleKind
from ..core.base.params import Field, Floats, PosInt, Shape, fields_of, parse_attrs
from .parameter_docs import with_parameters

__all__ = [
    "CSV",
    "ITERATORS",
    "MNIST",
    "DetRecord",
    "ImageRecord",
    "LibSVM",
    "OfFloats",
    "iterator",
    "parameters_of",
]

_log = logging.getLogger("mxnova")

_Place = Literal["cpu", "gpu"]
_DType = Literal[
    None, "bfloat16", "float16", "float32", "float64", "int32", "int64", "int8", "uint8"
]
_Parts = Annotated[int, IntKind("int", low=1)]
_Part = Annotated[int, IntKind("int", low=0)]
_NotNegative = Annotated[float, FloatKind(low=0)]
_Count = Annotated[int, IntKind("int (non-negative)", low=1)]
_Long = Annotated[int, IntKind("long (non-negative)", 0, 2**32 - 1)]
_Counts = Annotated[tuple[int, ...], TupleKind(IntKind(), "Shape(tuple)")]


class _Prefetch:
    prefetch_buffer: _Long = 4
    ctx: _Place = "gpu"
    dtype: _DType = None


class _Batch:
    batch_size: _Count
    round_batch: bool = True


class _OfCSV:
    data_csv: str
    data_shape: Shape
    label_csv: str = "NULL"
    label_shape: Shape = (1,)


class CSV(_Prefetch, _Batch, _OfCSV):
    """Parameters of CSVIter."""


class _OfLibSVM:
    data_libsvm: str
    data_shape: Shape
    label_libsvm: str = "NULL"
    label_shape: Shape = (1,)
    num_parts: _Parts = 1
    part_index: _Part = 0


class LibSVM(_Prefetch, _Batch, _OfLibSVM):
    """Parameters of LibSVMIter."""


class _OfMNIST:
    image: str = "./train-images-idx3-ubyte"
    label: str = "./train-labels-idx1-ubyte"
    batch_size: PosInt = 128
    shuffle: bool = True
    flat: bool = False
    seed: int = 0
    silent: bool = False
    num_parts: _Parts = 1
    part_index: _Part = 0


class MNIST(_Prefetch, _OfMNIST):
    """Parameters of MNISTIter."""


class _Records:
    path_imglist: str = ""
    path_imgrec: str = ""
    path_imgidx: str = ""
    aug_seq: str = "aug_default"
    label_width: int = 1
    data_shape: Shape
    preprocess_threads: PosInt = 4
    verbose: bool = True
    num_parts: _Parts = 1
    part_index: _Part = 0
    device_id: int = 0
    shuffle_chunk_size: _Long = 0
    shuffle_chunk_seed: int = 0
    seed_aug: int | None = None


class _Order:
    shuffle: bool = False
    seed: int = 0


class _Augmentation:
    resize: int = -1
    rand_crop: bool = False
    random_resized_crop: bool = False
    max_rotate_angle: _Part = 0
    max_aspect_ratio: float = 0.0
    min_aspect_ratio: float | None = None
    max_shear_ratio: _NotNegative = 0.0
    max_crop_size: int = -1
    min_crop_size: int = -1
    max_random_scale: float = 1.0
    min_random_scale: float = 1.0
    max_random_area: float = 1.0
    min_random_area: float = 1.0
    max_img_size: float = 1e10
    min_img_size: float = 0.0
    brightness: _NotNegative = 0.0
    contrast: _NotNegative = 0.0
    saturation: _NotNegative = 0.0
    pca_noise: _NotNegative = 0.0
    random_h: int = 0
    random_s: int = 0
    random_l: int = 0
    rotate: int = -1
    fill_value: int = 255
    inter_method: int = 1
    pad: _Part = 0


class OfFloats:
    """Parameters that only floating-point iterators use."""

    mirror: bool = False
    rand_mirror: bool = False
    mean_img: str = ""
    mean_r: float = 0.0
    mean_g: float = 0.0
    mean_b: float = 0.0
    mean_a: float = 0.0
    std_r: float = 1.0
    std_g: float = 1.0
    std_b: float = 1.0
    std_a: float = 1.0
    scale: float = 1.0
    max_random_contrast: float = 0.0
    max_random_illumination: float = 0.0


class ImageRecord(OfFloats, _Augmentation, _Prefetch, _Batch, _Order, _Records):
    """Parameters of ImageRecordIter; integer variants only mirror and do not normalize."""


class _DetRecords(_Records):
    path_imgrec: str = "./data/imgrec.rec"
    aug_seq: str = "det_aug_default"
    label_width: int = -1
    label_pad_width: int = 0
    label_pad_value: float = -1.0


class _DetAugmentation:
    resize: int = -1
    rand_crop_prob: float = 0.0
    min_crop_scales: Floats = (0.0,)
    max_crop_scales: Floats = (1.0,)
    min_crop_aspect_ratios: Floats = (1.0,)
    max_crop_aspect_ratios: Floats = (1.0,)
    min_crop_overlaps: Floats = (0.0,)
    max_crop_overlaps: Floats = (1.0,)
    min_crop_sample_coverages: Floats = (0.0,)
    max_crop_sample_coverages: Floats = (1.0,)
    min_crop_object_coverages: Floats = (0.0,)
    max_crop_object_coverages: Floats = (1.0,)
    num_crop_sampler: _Part = 1
    crop_emit_mode: Literal["center", "overlap"] = "center"
    emit_overlap_thresh: float = 0.3
    max_crop_trials: _Counts = (25,)
    rand_pad_prob: float = 0.0
    max_pad_scale: float = 1.0
    max_random_hue: _Part = 0
    random_hue_prob: float = 0.0
    max_random_saturation: _Part = 0
    random_saturation_prob: float = 0.0
    max_random_illumination: _Part = 0
    random_illumination_prob: float = 0.0
    max_random_contrast: _NotNegative = 0.0
    random_contrast_prob: float = 0.0
    rand_mirror_prob: float = 0.0
    fill_value: int = 127
    inter_method: int = 1
    resize_mode: Literal["fit", "force", "shrink"] = "force"


class DetRecord(OfFloats, _DetAugmentation, _Prefetch, _Batch, _Order, _DetRecords):
    """Parameters of ImageDetRecordIter."""

    max_random_illumination: _Part = 0
    max_random_contrast: _NotNegative = 0.0
    std_r: float = 0.0
    std_g: float = 0.0
    std_b: float = 0.0
    std_a: float = 0.0


@cache
def _fields(declaration: type) -> tuple[Field, ...]:
    annotations = typing.get_type_hints(declaration, include_extras=True)
    defaults: dict[str, Any] = {}
    for cls in reversed(declaration.__mro__):
        defaults |= {n: v for n, v in vars(cls).items() if n in annotations}
    return fields_of(annotations, defaults, annotations)


# Name -> what makes iterators of that name, once their modules are imported.
ITERATORS: dict[str, Callable[..., Any]] = {}
_TOLD: dict[str, Callable[[], tuple[Field, ...]]] = {}


def parameters_of(name: str) -> tuple[Field, ...]:
    """Return the parameters of an iterator in MXNet's order."""
    return _TOLD[name]()


def iterator(
    declaration: type, unlisted: Collection[str] = (), ignored: Collection[str] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function of typed parameters to accept texts or Python values.

    Arguments that an iterator does not have are logged and ignored: programs share dictionaries
    of them among iterators.

    Args:
        declaration: declares the parameters.
        unlisted: those that MXNet takes, or ignores, and does not list.
        ignored: arguments that programs give although they mean nothing: not logged.

    Raises:
        ArgumentError: an argument is missing or cannot be used.
    """

    def decorated(make: Callable[..., Any]) -> Callable[..., Any]:
        name = make.__name__

        def create(*args: Any, **kwargs: Any) -> Any:
            try:
                if args:
                    raise ArgumentTypeError(f"{name}: takes keyword arguments only")
                fields = _fields(declaration)
                known = {field.name for field in fields}
                names = {n: kwargs.pop(n) for n in ("data_name", "label_name") if n in kwargs}
                unknown = kwargs.keys() - known - set(ignored)
                if unknown:
                    listing = ", ".join(n + candidates(n, known) for n in sorted(unknown))
                    _log.warning("%s: there are no arguments %s: ignored", name, listing)
                given = {n: v for n, v in kwargs.items() if n in known}
                params = SimpleNamespace(**parse_attrs(name, fields, given))
                try:  # sizes may be out of bounds
                    return make(params, **names)
                except (ArithmeticError, MemoryError, ValueError) as error:
                    if isinstance(error, MXNetError):
                        raise
                    raise from_foreign(error, name) from error
            except Exception as error:
                leave(error)
                raise

        create.__name__ = create.__qualname__ = name
        create.__module__ = make.__module__
        create.__doc__ = with_parameters(inspect.cleandoc(make.__doc__ or ""), declaration)
        ITERATORS[name] = create
        _TOLD[name] = lambda: tuple(f for f in _fields(declaration) if f.name not in unlisted)
        return create

    return decorated
