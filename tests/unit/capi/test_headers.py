"""Programs in C and C++ compile against the headers without a warning, in whatever order."""

import itertools
import shutil
import subprocess

import pytest

from mxnova.capi.declarations import HEADERS

FILES = ("mxnet/c_api.h", "mxnet/c_predict_api.h", "nnvm/c_api.h")
ORDERS = [order for n in (1, 3) for order in itertools.permutations(FILES, n)]
LANGUAGES = (("cc", "c", "c99"), ("c++", "c++", "c++11"), ("c++", "c++", "c++17"))


@pytest.mark.parametrize("compiler, language, standard", LANGUAGES)
def test_headers_compile(compiler, language, standard):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    options = ("-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", f"-I{HEADERS}")
    for order in ORDERS:
        done = subprocess.run(
            [compiler, "-x", language, f"-std={standard}", *options, "-"],
            input="".join(f"#include <{file}>\n" for file in order),
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
