/* SPDX-License-Identifier: Apache-2.0
 *
 * How the library starts Python in a program that has none: as the executable of the environment
 * that it was built from would, so that this environment's packages are found.
 */
#undef Py_InitializeEx
#define _GNU_SOURCE /* dladdr */
#include <Python.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>

/* cffi makes its lock of a field of PyCapsule_Type that it hopes is 0, which it is not in a Python
 * that has looked at a capsule: it would wait for ever. This stands in for that type. */
#if PY_VERSION_HEX < 0x030C0000
PyTypeObject mxnova_lock;
#endif

static int is_ours = 0; /* whether Python was started here */
static int limits_blas = 0; /* whether the environment did not say how many threads BLAS has */
static struct sigaction on_interrupt; /* what the program does at Ctrl-C */

/* Shows Python's symbols to its extension modules, which find them nowhere where this library was
 * loaded for itself alone: dlopen's default, and what R, Java, Julia and Perl do. */
static void show_python(void) {
    Dl_info python;
    if (dladdr((void *)Py_IsInitialized, &python))
        dlopen(python.dli_fname, RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD);
}

/* NumPy's OpenBLAS gets no threads, whatever OMP_NUM_THREADS says, which is for kernels: a child that
 * is forked while it is loaded does not have them, and waits for them at its end for ever. */
static void limit_blas(void) {
    limits_blas = getenv("OPENBLAS_NUM_THREADS") == NULL;
    if (limits_blas) setenv("OPENBLAS_NUM_THREADS", "1", 0);
}

/* Runs under that lock: no Python code of ours may run here. */
void mxnova_initialize(int signals) {
    show_python();
    limit_blas();
    sigaction(SIGINT, NULL, &on_interrupt);
    PyPreConfig before;
    PyPreConfig_InitPythonConfig(&before);
    before.coerce_c_locale = 0; /* the locale is the program's */
    PyStatus status = Py_PreInitialize(&before);

    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    config.install_signal_handlers = signals;
    config.parse_argv = 0;
    if (!PyStatus_Exception(status))
        status = PyConfig_SetBytesString(&config, &config.program_name, MXNOVA_PYTHON);
    if (!PyStatus_Exception(status))
        status = PyConfig_SetBytesString(&config, &config.executable, MXNOVA_PYTHON);
    if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status)) {
        fprintf(stderr, "libmxnet: %s cannot be started: %s\n", MXNOVA_PYTHON, status.err_msg);
        Py_InitializeEx(signals);
    }
    is_ours = 1;
}

/* Gives the program back what is its own, once libraries are loaded, or cannot be. */
void mxnova_restore(void) {
    if (limits_blas) unsetenv("OPENBLAS_NUM_THREADS");
    if (is_ours) sigaction(SIGINT, &on_interrupt, NULL); /* Python's `signal` takes it over */
}

/* Has Python and the program get on with each other, once libraries are loaded. */
void mxnova_settle(void) {
    mxnova_restore();
    mxnova_watch(is_ours);
}
