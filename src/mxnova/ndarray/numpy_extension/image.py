# SPDX-License-Identifier: Apache-2.0
"""Images with NumPy's semantics, on arrays."""

from ...core.facade import operator_names, operators
from ...core.nd.functions import function_of

__getattr__ = operators(__name__, function_of, "_npx__image_")


def __dir__() -> list[str]:
    return operator_names("_npx__image_")
