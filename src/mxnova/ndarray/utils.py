# SPDX-License-Identifier: Apache-2.0
"""Arrays of any storage type: making them, and files of them."""

from ..base import c_array, c_handle_array, c_str, c_str_array, check_call, py_str
from ..core.nd.creation import array, empty, zeros
from ..core.nd.files import load, load_frombuffer, save

__all__ = [
    "array",
    "c_array",
    "c_handle_array",
    "c_str",
    "c_str_array",
    "check_call",
    "empty",
    "load",
    "load_frombuffer",
    "py_str",
    "save",
    "zeros",
]
