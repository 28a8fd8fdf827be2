# SPDX-License-Identifier: Apache-2.0
"""TensorLy's backend for MXNet: a tensor of rank 3 is decomposed and put together again."""

import mxnet as mx
import numpy as np
import tensorly as tl
from tensorly.decomposition import parafac

tl.set_backend("mxnet")
random = np.random.RandomState(0)
factors = [random.random_sample((size, 3)) for size in (6, 7, 8)]
tensor = tl.tensor(np.einsum("ir,jr,kr->ijk", *factors).astype("float64"))
found = parafac(tensor, rank=3, n_iter_max=2000, init="svd", tol=1e-14)
whole = tl.cp_to_tensor(found)
assert isinstance(whole, mx.nd.NDArray) or type(whole).__module__.startswith(("mxnova", "mxnet"))
error = float(tl.norm(whole - tensor) / tl.norm(tensor))
print("parafac: error below 0.001" if error < 1e-3 else f"parafac: error {error}")
