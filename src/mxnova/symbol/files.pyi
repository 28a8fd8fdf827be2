# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as _np


from mxnova.symbol.symbol import fromjson as fromjson
from mxnova.symbol.symbol import load as load
from mxnova.symbol.symbol import load_json as load_json
