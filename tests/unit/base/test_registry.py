# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.core.base.errors import MXNetError, UnknownNameError
from mxnova.core.base.registry import Registry


def test_names_resolve_and_help():
    registry = Registry("operator")
    registry.register("entry", "relu", "_npx_relu")
    assert registry["relu"] == registry["_npx_relu"] == "entry"
    assert list(registry) == ["relu", "_npx_relu"]
    with pytest.raises(
        UnknownNameError, match="operator 'relo' is not registered; did you mean 'relu'"
    ):
        registry["relo"]
    with pytest.raises(MXNetError, match="'relu' is registered already"):
        registry.register("other", "relu")
