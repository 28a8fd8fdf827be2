# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from mxnova.core.base.errors import MXNetError
from mxnova.core.base.packages import missing_package, require_package


def test_a_package_that_is_there():
    assert require_package("json", "f") is json


def test_a_package_that_is_not():
    with pytest.raises(MXNetError, match=r"f: the package nowhere is not .* 'mxnova\[nowhere\]'"):
        require_package("nowhere", "f")
    assert missing_package("a", "a,b").endswith("'mxnova[a,b]'")
