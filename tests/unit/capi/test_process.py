"""A program and the Python inside it: loading, forks, interrupts, an environment that is gone."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

ADD = r"""
#include <mxnet/c_api.h>
#include <nnvm/c_api.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void add(int runs) {
    uint32_t shape[] = {10, 10};
    NDArrayHandle in[2];
    OpHandle op;
    if (NNGetOpHandle("elemwise_add", &op)) _exit(3);
    for (int i = 0; i < 2; i++)
        if (MXNDArrayCreate(shape, 2, 1, 0, 0, &in[i])) _exit(4);
    for (int i = 0; i < runs; i++) {
        int count = 0;
        NDArrayHandle *out = NULL;
        if (MXImperativeInvoke(op, 2, in, &count, &out, 0, NULL, NULL)) _exit(5);
        if (MXNDArrayFree(out[0])) _exit(6);
    }
}
"""
FORKS = (
    ADD
    + r"""
static volatile int ended;

static void *work(void *nothing) {
    while (!ended) add(10);
    return nothing;
}

int main(void) {
    pthread_t threads[3];
    add(1);
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 5; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            alarm(60);
            add(10);
            _exit(0);
        }
        if (waitpid(child, &status, 0) != child || status != 0) return 1;
    }
    ended = 1;
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}
"""
)
INTERRUPTED = ADD + "int main(void) { add(1); raise(SIGINT); return 0; }"
LOADED = r"""
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return puts(dlerror());
    int (*get)(int *) = (int (*)(int *))dlsym(library, "MXGetVersion");
    const char *(*tell)(void) = (const char *(*)(void))dlsym(library, "MXGetLastError");
    int version = 0;
    int status = get(&version);
    printf("%d %d %s\n", status, version, tell());
    return 0;
}
"""


def made(folder, source, *options):
    """The program of a source in C."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    (folder / "main.c").write_text(source)
    command = ["cc", str(folder / "main.c"), "-o", str(folder / "main"), *options]
    subprocess.run(command, check=True, timeout=120)
    return folder / "main"


def run(*command):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment)


def test_children_of_a_program_whose_threads_are_busy(built, tmp_path):
    done = run(made(tmp_path, FORKS, "-pthread", *built.links.split()))
    assert done.stdout == "done\n", (done.returncode, done.stderr)


@pytest.mark.usefixtures("interrupts")
def test_ctrl_c_ends_the_program(built, tmp_path):
    done = run(made(tmp_path, INTERRUPTED, *built.links.split()))
    assert done.returncode == -signal.SIGINT, done.stderr


def test_loaded_for_itself_alone(built, tmp_path):
    """As other languages load it: its symbols, and Python's, are shown to nobody."""
    done = run(made(tmp_path, LOADED, "-ldl"), built.library)
    assert done.stdout == "0 10901 \n", done.stderr


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="Python has its packages without it")
def test_without_the_environment_everything_fails(built, tmp_path):
    """A library whose Python finds no cffi must not say that all is well."""
    python = sys.executable.encode()
    moved = tmp_path / "libmxnet.so"
    moved.write_bytes(
        built.library.read_bytes().replace(python, b"/none".ljust(len(python), b"\0"))
    )
    done = run(made(tmp_path, LOADED, "-ldl"), moved)
    assert done.stdout.startswith("-1 0 "), done.stderr
    assert "cannot start" in done.stdout
