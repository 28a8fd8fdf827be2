# SPDX-License-Identifier: Apache-2.0
"""Test utilities: comparisons, numerical gradients, random arrays.

MXNet's tests take ``mx``, ``np``, ``sys`` and the like from here, by
``from mxnet.test_utils import *``.
"""

import bz2
import errno
import gzip
import importlib.util
import json
import logging
import numbers
import os
import platform
import struct
import sys
import time
import traceback
import zipfile
from collections import OrderedDict
from contextlib import contextmanager
from types import ModuleType

import numpy as np
import numpy.testing as npt
from numpy import random as rnd

import mxnova as mx

from ..core.base.doors import door
from ..core.base.mxnet_names import missing_name
from ..core.nd.creation import array
from ..core.runtime.context import Context, current_context
from ..runtime import Features
from ..symbol import Symbol
from ..util import get_cuda_compute_capability, getenv, setenv, use_np
from .arrays import (
    assign_each,
    assign_each2,
    collapse_sum_like,
    create_2d_tensor,
    create_vector,
    default_dtype,
    get_identity_mat,
    get_identity_mat_batch,
    np_reduce,
    rand_coord_2d,
    rand_shape_2d,
    rand_shape_3d,
    rand_shape_nd,
    random_arrays,
    random_sample,
    random_uniform_arrays,
)
from .comparison import (
    almost_equal,
    assert_allclose,
    assert_almost_equal,
    assert_almost_equal_ignore_nan,
    assert_almost_equal_with_err,
    assert_exception,
    checkShapes,
    compare_ndarray_tuple,
    locationError,
    same,
    same_array,
)
from .consistency import (
    check_consistency,
    check_gluon_hybridize_consistency,
    compare_optimizer,
)
from .downloads import (
    download,
    download_model,
    get_bz2_data,
    get_cifar10,
    get_mnist,
    get_mnist_iterator,
    get_mnist_pkl,
    get_mnist_ubyte,
    get_zip_data,
)
from .environment import (
    default_context,
    discard_stderr,
    environment,
    get_im2rec_path,
    has_tvm_ops,
    is_aarch64_run,
    is_cd_run,
    is_op_runnable,
    list_gpus,
    retry,
    set_default_context,
)
from .gradients import check_numeric_gradient, numeric_grad
from .iterators import DummyIter
from .matrices import (
    new_matrix_with_real_eigvals_2d,
    new_matrix_with_real_eigvals_nd,
    new_orthonormal_matrix_2d,
    new_sym_matrix_with_real_eigvals_2d,
    new_sym_matrix_with_real_eigvals_nd,
)
from .sparse import (
    create_sparse_array,
    create_sparse_array_zd,
    rand_ndarray,
    rand_sparse_ndarray,
    shuffle_csr_column_indices,
)
from .statistics import (
    chi_square_check,
    gen_buckets_probs_with_ppf,
    mean_check,
    var_check,
    verify_generator,
)
from .symbols import (
    check_speed,
    check_symbolic_backward,
    check_symbolic_forward,
    same_symbol_structure,
    simple_forward,
)
from .tolerances import (
    default_atols,
    default_numeric_eps,
    default_rtols,
    effective_dtype,
    get_atol,
    get_etol,
    get_rtol,
    get_tolerance,
    get_tols,
)

# Modules that MXNet's tests take from here, too, where they are installed.
_OPTIONAL = {
    name: module
    for name, module in (("requests", "requests"), ("ss", "scipy.stats"))
    if importlib.util.find_spec(module.partition(".")[0])
}


@door
def __getattr__(name: str) -> ModuleType:
    if name not in _OPTIONAL:
        raise missing_name(__name__, name)
    from mxnova import _import_module

    module: ModuleType = _import_module(_OPTIONAL[name])
    return module


__all__ = [
    "Context",
    "DummyIter",
    "Features",
    "OrderedDict",
    "Symbol",
    "almost_equal",
    "array",
    "assert_allclose",
    "assert_almost_equal",
    "assert_almost_equal_ignore_nan",
    "assert_almost_equal_with_err",
    "assert_exception",
    "assign_each",
    "assign_each2",
    "bz2",
    "checkShapes",
    "check_consistency",
    "check_gluon_hybridize_consistency",
    "check_numeric_gradient",
    "check_speed",
    "check_symbolic_backward",
    "check_symbolic_forward",
    "chi_square_check",
    "collapse_sum_like",
    "compare_ndarray_tuple",
    "compare_optimizer",
    "contextmanager",
    "create_2d_tensor",
    "create_sparse_array",
    "create_sparse_array_zd",
    "create_vector",
    "current_context",
    "default_atols",
    "default_context",
    "default_dtype",
    "default_numeric_eps",
    "default_rtols",
    "discard_stderr",
    "download",
    "download_model",
    "effective_dtype",
    "environment",
    "errno",
    "gen_buckets_probs_with_ppf",
    "get_atol",
    "get_bz2_data",
    "get_cifar10",
    "get_cuda_compute_capability",
    "get_etol",
    "get_identity_mat",
    "get_identity_mat_batch",
    "get_im2rec_path",
    "get_mnist",
    "get_mnist_iterator",
    "get_mnist_pkl",
    "get_mnist_ubyte",
    "get_rtol",
    "get_tolerance",
    "get_tols",
    "get_zip_data",
    "getenv",
    "gzip",
    "has_tvm_ops",
    "is_aarch64_run",
    "is_cd_run",
    "is_op_runnable",
    "json",
    "list_gpus",
    "locationError",
    "logging",
    "mean_check",
    "mx",
    "new_matrix_with_real_eigvals_2d",
    "new_matrix_with_real_eigvals_nd",
    "new_orthonormal_matrix_2d",
    "new_sym_matrix_with_real_eigvals_2d",
    "new_sym_matrix_with_real_eigvals_nd",
    "np",
    "np_reduce",
    "npt",
    "numbers",
    "numeric_grad",
    "os",
    "platform",
    "rand_coord_2d",
    "rand_ndarray",
    "rand_shape_2d",
    "rand_shape_3d",
    "rand_shape_nd",
    "rand_sparse_ndarray",
    "random_arrays",
    "random_sample",
    "random_uniform_arrays",
    "retry",
    "rnd",
    "same",
    "same_array",
    "same_symbol_structure",
    "set_default_context",
    "setenv",
    "shuffle_csr_column_indices",
    "simple_forward",
    "struct",
    "sys",
    "time",
    "traceback",
    "use_np",
    "var_check",
    "verify_generator",
    "zipfile",
    *_OPTIONAL,
]
