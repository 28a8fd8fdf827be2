"""A program in C, without Python of its own; and a running Python."""

import subprocess
import sys

SOURCE = r"""
#include <mxnet/c_api.h>
#include <stdio.h>

int main(void) {
    int version;
    if (MXGetVersion(&version)) return 1;
    uint32_t shape[2] = {2, 2};
    NDArrayHandle array;
    if (MXNDArrayCreateEx(shape, 2, 1, 0, 0, 0, &array)) return 2;
    float values[4] = {1, 2, 3, 4}, back[4];
    if (MXNDArraySyncCopyFromCPU(array, values, 4)) return 3;
    if (MXNDArraySyncCopyToCPU(array, back, 4)) return 4;
    if (!MXNDArraySyncCopyToCPU(array, back, 5)) return 5;
    printf("%d %g %s\n", version, back[3], MXGetLastError());
    return 0;
}
"""


def test_a_program_in_c(program, tmp_path):
    source = tmp_path / "main.c"
    source.write_text(SOURCE)
    assert program(source) == "10901 4 5 elements are copied, and the array's shape is [2,2]\n"


def test_in_a_python_that_has_looked_at_capsules(built):
    """cffi's own lock would wait for ever there."""
    lines = [
        "import ctypes, datetime",
        "assert not hasattr(datetime.datetime_CAPI, 'x')",
        "version = ctypes.c_int()",
        f"ctypes.CDLL({str(built.library)!r}).MXGetVersion(ctypes.byref(version))",
        "print(version.value)",
    ]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "10901\n", done.stderr
