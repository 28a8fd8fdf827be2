# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova as mx

from ..fake_gpu import FakeGpu, on_gpu


@pytest.mark.parametrize("number", [3, 49, -7.5, 0.1, 2, -0.25, np.inf, 0])
@pytest.mark.parametrize("kind", [mx.nd.NDArray, mx.np.ndarray])
def test_quotients_by_numbers_are_rounded_once(kind, number):
    numbers = torch.arange(1.0, 200)
    with FakeGpu():
        array = kind(on_gpu(numbers))
        quotients = [(array / number).asnumpy()]
        array /= number
        quotients.append(array.asnumpy())
    for quotient in quotients:
        np.testing.assert_array_equal(quotient, (numbers / number).numpy())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("number", [3, 49, 0.1, 70000])
def test_halves_are_divided_in_float32(number, dtype):
    numbers = torch.arange(1.0, 200).to(dtype)
    with FakeGpu():
        array = mx.nd.NDArray(on_gpu(numbers))
        quotients = [(array / number).asnumpy()]
        array /= number
        quotients.append(array.asnumpy())
    wanted = mx.nd.NDArray((numbers.float() / number).to(dtype)).asnumpy()
    for quotient in quotients:
        np.testing.assert_array_equal(quotient, wanted)
