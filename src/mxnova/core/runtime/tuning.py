# SPDX-License-Identifier: Apache-2.0
"""The tuning table: sizes from which one kernel, or one number of threads, is faster than another.

No row changes a result by more than rounding. Each says what it decides, what was measured, and on
which processor; `python -m benchmarks tuning` times each with and without it. Values are read when
a kernel is called, so that tests and benchmarks may set them. `tests/meta/test_tuning.py` finds
such constants elsewhere.
"""

import sys
from typing import Annotated, Final, NamedTuple, get_type_hints

from .processor import HAS_AVX512, HAS_FULL_AVX512

__all__ = ["Row", "rows"]

EPYC: Final = "AMD EPYC, AVX2, one core"
EPYC_2: Final = "AMD EPYC, AVX2, two cores"
EPYC_512: Final = "AMD EPYC, AVX-512, one core"


class Row(NamedTuple):
    """What is known of a constant.

    Attributes:
        decides: what happens at and beyond it.
        gain: processor time with it as a part of that without, or both.
        machine: where that was measured.
        benchmark: the subject of `python -m benchmarks` that shows it.
    """

    decides: str
    gain: str
    machine: str
    benchmark: str = "tuning"


def rows() -> dict[str, tuple[int, Row]]:
    """All constants by name: values and rows."""
    found = get_type_hints(sys.modules[__name__], include_extras=True)
    return {
        name: (globals()[name], hint.__metadata__[0])
        for name, hint in found.items()
        if hasattr(hint, "__metadata__")
    }


# Matrix products ----------------------------------------------------------------------------------

PRODUCT_MIN_MULTIPLICATIONS: Annotated[
    int,
    Row(
        "products by oneDNN instead of MKL, on AMD with AVX-512",
        "Zen 5: 64 x 256 x 256: 0.58; Zen 4: 32 x 1024 x 1024: 0.97, 32 x 256 x 256: 1.4",
        EPYC_512,
    ),
] = 1 << 22 if HAS_FULL_AVX512 else 1 << 25
PRODUCT_MIN_ROWS: Annotated[
    int, Row("fewer rows leave oneDNN's vectors empty", "4 x 1024 x 1024: 0.89", EPYC_512)
] = 4
PRODUCT_MIN_COLUMNS: Annotated[
    int,
    Row(
        "fewer columns leave oneDNN's vectors empty",
        "1024 x 1024 x 32: 0.92; 16 columns: 1.4",
        EPYC_512,
    ),
] = 32
PRODUCT_WIDE_RATIO: Annotated[
    int,
    Row(
        "so much wider, the first operand is multiplied transposed: the narrow one is copied",
        "1024 x 256 for 2048 rows: 0.92",
        EPYC_512,
    ),
] = 4
COLUMN_SPLIT_MIN_WEIGHTS: Annotated[
    int,
    Row(
        "a Dense layer is shared out by columns: several threads, MKL without AVX-512",
        "784 x 512 and its SGD update, 32 rows: 241 + 135 → 193 + 43 µs; fewer weights with one "
        "cache on Zen 5: 64 x 64 1.04 to 1.20, 256 x 128 1.11, 784 x 128 1.05, 512 x 512 1.00",
        EPYC_2,
    ),
] = 1 << 17
COLUMN_SPLIT_MIN_ROWS: Annotated[
    int, Row("rows from which a Dense layer is shared out by columns", "see above", EPYC_2)
] = 16
COLUMN_SPLIT_MAX_ROWS: Annotated[
    int, Row("rows up to which a Dense layer is shared out by columns", "see above", EPYC_2)
] = 256
FUSED_LINEAR_MIN_MULTIPLICATIONS: Annotated[
    int,
    Row("Dense and its activation become one call of oneDNN", "40.5 → 37.7 ms", EPYC_2, "ablation"),
] = 1 << 21
FUSED_LINEAR_MIN_ROWS: Annotated[
    int, Row("fewer rows are left to MKL", "40.5 → 37.7 ms", EPYC_2, "ablation")
] = 4
ATTENTION_NARROW_HEAD: Annotated[
    int, Row("heads narrower than this are multiplied transposed", "heads of 8: 0.52", EPYC_512)
] = 16
TRIANGULAR_MIN_SIDE: Annotated[
    int, Row("a matrix is inverted by two triangular solutions in place", "64 x 64: 0.73", EPYC_512)
] = 64

# Convolution and pooling --------------------------------------------------------------------------

CONV3D_MIN_SIZE: Annotated[
    int, Row("one volume is convolved by oneDNN", "16 x 8³: 0.37, 16 times that: 0.18", EPYC_512)
] = 1 << 13
WINOGRAD_MIN_CHANNELS: Annotated[
    int,
    Row(
        "mean of channels and filters from which 3 x 3 windows go by tiles, in one thread",
        "ResNet-50: 87.7 → 79.2 ms",
        EPYC,
        "ablation",
    ),
] = 128 if HAS_AVX512 else 64
WINOGRAD_MIN_CHANNELS_SHARED: Annotated[
    int,
    Row("the same with several threads", "ResNet-50, batch 8: 344 → 294 ms", EPYC_2, "ablation"),
] = 128
WINOGRAD_MIN_MULTIPLICATIONS: Annotated[
    int,
    Row(
        "multiplications for each thread from which transforms and weights out of no cache pay",
        "ResNet-50: 87.7 → 79.2 ms",
        EPYC,
        "ablation",
    ),
] = 130_000_000 if HAS_AVX512 else 50_000_000
WINOGRAD_MIN_TILES: Annotated[
    int, Row("fewer tiles leave products too few rows", "see above", EPYC, "ablation")
] = 16
WINOGRAD_TILES_AT_ONCE: Annotated[
    int,
    Row("tiles that a core's cache holds", "56²: four images 9.2, one 7.0 ms", EPYC, "ablation"),
] = 128
POOLING_MIN_SIZE: Annotated[
    int,
    Row(
        "images are pooled by oneDNN, or channels-last",
        "32 x 32²: 0.77, 16 times that: 0.25",
        EPYC_512,
    ),
] = 1 << 15
POOLING_MIN_CHANNELS: Annotated[
    int, Row("fewer channels leave vectors empty", "16 x 56²: 0.58", EPYC_512)
] = 16
MAX_POOLING_MIN_SIZE: Annotated[
    int,
    Row(
        "maxima of slices instead of ATen's kernel, without gradients",
        "8 x 112²: 0.14, channels-last 0.70; 64 x 112² channels-last: 0.79",
        EPYC_512,
    ),
] = 1 << 16
MAX_POOLING_BLOCK: Annotated[
    int, Row("elements that go through both axes together: 1 MB", "8 x 64 x 64²: 0.89", EPYC_512)
] = 1 << 18
BLOCKED_LAYOUT_MIN_SIZE: Annotated[
    int,
    Row(
        "elements of convolutions from which training keeps oneDNN's layout between operators",
        "less, and entering and leaving it costs more",
        EPYC_2,
        "training",
    ),
] = 1 << 21

# Rows, elements -----------------------------------------------------------------------------------

TANH_MIN_SIZE: Annotated[
    int, Row("NumPy's tanh instead of MKL's, with AVX2", "4096 numbers: 0.36; 512: 1.13", EPYC)
] = 1 << 10
TANH_MAX_SIZE: Annotated[
    int, Row("from here on ATen's threads share the work", "see above", EPYC)
] = 1 << 15
SHORT_ROWS_MIN_SIZE: Annotated[
    int,
    Row(
        "softmax of rows shorter than a vector goes by columns",
        "512 rows of 5: 0.87, 8000: 0.17",
        EPYC_512,
    ),
] = 1 << 11
LAYER_NORM_MIN_SIZE: Annotated[
    int,
    Row("LayerNorm of short rows goes by columns", "10,000 rows of 5: 0.46; 2000: 1.1", EPYC_512),
] = 1 << 14
LAYER_NORM_SHORT_ROW: Annotated[
    int,
    Row(
        "longest row whose LayerNorm goes by columns",
        "10,000 rows of 5: 0.46, 100,000: 0.80; of 8: 0.92 and 1.30",
        EPYC_512,
    ),
] = 7
EXTREMES_MIN_SIZE: Annotated[
    int,
    Row(
        "argmax along an inner axis by comparison; truth values by NumPy",
        "64 x 8²: 0.93, eight times that: 0.41; half: 1.35",
        EPYC_512,
    ),
] = 1 << 12
EXTREMES_MIN_ROW: Annotated[
    int, Row("argmax along rows by NumPy", "2048 rows of 64: 0.26, of 1024: 0.10", EPYC_512)
] = 64
LOSS_MASK_MAX_SIZE: Annotated[
    int,
    Row(
        "SoftmaxOutput's gradient by three operators instead of six",
        "1024 numbers: 0.96; 16,384: 1.06",
        EPYC_512,
    ),
] = 1 << 12
LRN_BLOCK: Annotated[
    int,
    Row(
        "numbers that LRN takes at a time, in whole images",
        "4 x 512 x 32²: 0.73, twice that: 0.49",
        EPYC_512,
    ),
] = 1 << 17
RESIZE_MIN_CHANNELS: Annotated[
    int, Row("images are resized channels-last", "16 x 28²: 0.70", EPYC_512)
] = 16
RESIZE_MIN_SIZE: Annotated[
    int, Row("whole multiples by copies", "16 x 16²: 0.83, 16 times that: 0.13", EPYC_512)
] = 1 << 12
ONE_HOT_MAX_DEPTH: Annotated[
    int, Row("vectors copied from a table of all", "4096 of 64: 0.68", EPYC_512)
] = 64
HISTOGRAM_MAX_LIMITS: Annotated[
    int,
    Row(
        "limits that numbers are compared with, instead of sorted",
        "100,000 numbers, 40 limits: 0.25",
        EPYC_512,
    ),
] = 40
HISTOGRAM_MIN_VALUES: Annotated[
    int,
    Row(
        "numbers for each limit from which comparisons pay",
        "3072 numbers, 11 limits: 0.76, 16 times that: 0.11",
        EPYC_512,
    ),
] = 1 << 8
HISTOGRAM_SORTED_BLOCK: Annotated[
    int, Row("numbers sorted at a time, which caches hold", "500,000 numbers: 0.68", EPYC_512)
] = 1 << 15
OPTIMIZER_BATCH: Annotated[
    int,
    Row("weights that operators take turns over: as many as caches hold", "LAMB", EPYC, "training"),
] = 1 << 16

# Copies -------------------------------------------------------------------------------------------

TRANSPOSE_MIN_SIZE: Annotated[
    int,
    Row(
        "copies in another order of axes by channel shuffles",
        "64 x 512: 0.68, recorded 0.89; half of it: 1.01; 64 x 2048: 0.43",
        EPYC_512,
    ),
] = 1 << 15
TRANSPOSE_MIN_SIDE: Annotated[
    int, Row("rows or columns that fill a vector", "4096 x 8: 0.49", EPYC_512)
] = 8
COPY_MIN_SIZE: Annotated[
    int, Row("smaller copies ATen makes in one thread anyway", "see below", EPYC_2, "operators")
] = 32_768
COPY_MAX_BYTES: Annotated[
    int, Row("larger copies are worth several threads", "memmove below", EPYC_2, "operators")
] = 1 << 22
REUSE_MIN_SIZE: Annotated[
    int, Row("results are written over an operand that nobody holds", "exp", EPYC_2, "operators")
] = 1 << 15
COLUMNS_MIN_ROW: Annotated[int, Row("im2col copies whole rows", "16 x 3 x 10²: 0.73", EPYC_512)] = 8

# Order --------------------------------------------------------------------------------------------

SORT_MIN_SIZE: Annotated[
    int, Row("values are sorted by NumPy", "2048 numbers: 0.74, 16 times that: 0.48", EPYC_512)
] = 1 << 11
ARGSORT_MIN_SIZE: Annotated[
    int, Row("places are sorted by NumPy, as keys", "8192 numbers: 0.52", EPYC_512)
] = 1 << 13
SORT_MAX_THREADS: Annotated[
    int,
    Row(
        "with more threads ATen's sort of many rows is faster",
        "64 rows of 1024, one thread: 0.33",
        EPYC_512,
    ),
] = 5
TOPK_BLOCK: Annotated[
    int, Row("elements whose maximum stands for them", "ten of 10⁶: 0.07", EPYC_512)
] = 256
TOPK_MIN_BLOCKS: Annotated[
    int,
    Row(
        "blocks for each wanted element from which they pay",
        "the largest of 32,768: 0.79; of 16,384: 1.4",
        EPYC_512,
    ),
] = 128
PARTIAL_SORT_MIN_ROW: Annotated[
    int,
    Row(
        "ATen's selection instead of a sort",
        "1024 rows of 257, k=5: 0.81, of 513: 0.19; of 129: 1.3",
        EPYC_512,
    ),
] = 256

# Regions and boxes --------------------------------------------------------------------------------

REGION_TAPS_AT_ONCE: Annotated[
    int, Row("pixels under bins that are listed at once", "bounds memory", EPYC, "operators")
] = 1 << 20
REGION_MAX_BINS: Annotated[
    int, Row("bins that are summed one by one", "27 bins: 0.69", EPYC_512)
] = 32
NMS_BLOCK: Annotated[
    int, Row("boxes of a group compared with each other at once", "4096 boxes: 0.02", EPYC_512)
] = 128
NMS_SMALL_GROUP: Annotated[
    int,
    Row(
        "boxes of a group that is compared at once",
        "4096 boxes in groups of 512: 1.02 to 1.13, smaller groups less",
        EPYC_512,
    ),
] = 512
NMS_PAIRS_AT_ONCE: Annotated[
    int, Row("pairs of boxes, of one group or several", "256 groups of 16: 0.03", EPYC_512)
] = 1 << 18

# Sparse arrays, exact random numbers --------------------------------------------------------------

SPARSE_DOT_MAX_COLUMNS: Annotated[
    int,
    Row(
        "columns of a transposed product that NumPy's bincount sums",
        "NumPy goes over all numbers once a column",
        EPYC,
        "sparse",
    ),
] = 4
SPARSE_TABLE_MAX_RATIO: Annotated[
    int, Row("rows for each number up to which a table finds it", "pages of memory", EPYC, "sparse")
] = 64
SPARSE_SEARCH_MIN_RATIO: Annotated[
    int,
    Row(
        "values for each row from which starts are searched",
        "a search for each row, or a count of each value",
        EPYC,
        "sparse",
    ),
] = 32
PUT_ROWS_MIN_BYTES: Annotated[
    int,
    Row(
        "bytes of rows from which NumPy puts them into a table, instead of index_copy_",
        "64 KiB in rows of 32 bytes: 0.67, of 256: 0.82; half: 0.95 and 1.22; an eighth: 1.8, 2.3",
        EPYC_512,
    ),
] = 1 << 15
EXACT_BLOCK: Annotated[
    int,
    Row(
        "numbers whose intermediate results a cache holds",
        "intermediate results stay in the cache",
        EPYC,
        "seeds",
    ),
] = 1 << 14

# Threads ------------------------------------------------------------------------------------------

THREAD_MIN_MULTIPLICATIONS: Annotated[
    int,
    Row(
        "layers' multiplications from which a thread computes items of a batch by itself: 3 ms",
        "ResNet-50, batch 8, beside six busy programs: 530 → 255 ms",
        EPYC_2,
        "inference",
    ),
] = 1 << 28
THREAD_MIN_IMAGES: Annotated[
    int, Row("images that read weights once", "batch 8: 354 → 325 ms", EPYC_2, "inference")
] = 4
THREAD_MIN_ROWS: Annotated[
    int,
    Row(
        "rows of a thread's product: fewer, and reading weights takes as long",
        "reading the weights takes as long",
        EPYC_2,
        "inference",
    ),
] = 64
THREAD_ENOUGH_ROWS: Annotated[
    int,
    Row(
        "rows of a thread's products, on the average of all weights, from which more gain nothing",
        "OpenVINO, batch 8, one thread: 2 images of SqueezeNet at once 0.79, 4 of MobileNet 0.93; "
        "4 and 2 of an int8 ResNet-50 1.03 and 1.06",
        EPYC_512,
        "inference",
    ),
] = 512
SMALL_GRAPH_MULTIPLICATIONS: Annotated[
    int,
    Row(
        "work of an average node from which several threads run a graph",
        "two threads meet for 2 µs, beside busy programs for 100 and more",
        EPYC_2,
        "training",
    ),
] = 1 << 17
EXPONENTIAL_MULTIPLICATIONS: Annotated[
    int,
    Row(
        "multiplications in the time of an exponential",
        "of nothing but products less is known",
        EPYC,
        "training",
    ),
] = 32
RUNTIME_MIN_NODES: Annotated[
    int,
    Row(
        "fewer nodes without a product cost more on the way into a runtime than they save",
        "a call of a runtime copies inputs and results",
        EPYC_2,
        "inference",
    ),
] = 3
