"""A program in C, without Python of its own; and a running Python."""

import os
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
    error = "MXNetError: 5 elements are copied, and the array's shape is [2,2]"
    assert program(source) == f"10901 4 {error}\n"


COLLECTOR = """
import ctypes, gc, sys
assert "torch" not in sys.modules
version = ctypes.c_int()
assert ctypes.CDLL(sys.argv[1]).MXGetVersion(ctypes.byref(version)) == 0
print("torch" in sys.modules, gc.isenabled(), gc.get_freeze_count() > 100_000)
"""


def test_the_collector_rests_while_the_library_starts(built):
    command = [sys.executable, "-c", COLLECTOR, str(built.library)]
    for tuned in (True, False):
        environment = {**os.environ, "MXNOVA_TUNE_PROCESS": str(int(tuned))}
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=120, env=environment
        )
        assert done.stdout == f"True True {tuned}\n"


THREADS = r"""
#include <mxnet/c_api.h>
#include <nnvm/c_api.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define N_THREADS 8
static OpHandle add;

static void *work(void *number) {
    long id = (long)number, size = id + 2;
    uint32_t shape = (uint32_t)size;
    float values[N_THREADS + 2], back[N_THREADS + 2];
    char expected[64];
    snprintf(expected, sizeof expected, "MXNetError: %ld elements are copied", size + 1);
    for (int i = 0; i < 200; i++) {
        NDArrayHandle in[2], *out = NULL;
        int count = 0;
        for (int k = 0; k < size; k++) values[k] = (float)(i + id);
        for (int k = 0; k < 2; k++) {
            if (MXNDArrayCreateEx(&shape, 1, 1, 0, 0, 0, &in[k])) return "create";
            if (MXNDArraySyncCopyFromCPU(in[k], values, size)) return "copy in";
        }
        if (MXImperativeInvoke(add, 2, in, &count, &out, 0, NULL, NULL)) return "invoke";
        NDArrayHandle sum = out[0];
        if (!MXNDArraySyncCopyToCPU(sum, back, size + 1)) return "no error";
        if (strncmp(MXGetLastError(), expected, strlen(expected))) return "another thread's error";
        if (MXNDArraySyncCopyToCPU(sum, back, size)) return "copy out";
        if (back[size - 1] != 2 * (float)(i + id)) return "another thread's values";
        if (MXNDArrayFree(in[0]) || MXNDArrayFree(in[1]) || MXNDArrayFree(sum)) return "free";
    }
    return NULL;
}

int main(void) {
    pthread_t threads[N_THREADS];
    if (NNGetOpHandle("elemwise_add", &add)) return 1;
    for (long i = 0; i < N_THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < N_THREADS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        if (failed) { printf("%s: %s\n", (char *)failed, MXGetLastError()); return 2; }
    }
    puts("done");
    return 0;
}
"""


def test_threads_have_outputs_and_errors_of_their_own(program, tmp_path):
    source = tmp_path / "threads.c"
    source.write_text(THREADS)
    assert program(source) == "done\n"


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
