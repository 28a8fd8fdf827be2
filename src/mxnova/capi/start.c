/* SPDX-License-Identifier: Apache-2.0
 *
 * How the library starts Python in a program that has none: as the executable of the environment
 * that it was built from would, so that this environment's packages are found; and how both get on.
 */
#undef Py_InitializeEx
#define _GNU_SOURCE /* dladdr */
#include <Python.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* cffi makes its lock of a field of PyCapsule_Type that it hopes is 0, which it is not in a Python
 * that has looked at a capsule: it would wait for ever. This stands in for that type. */
#if PY_VERSION_HEX < 0x030C0000
PyTypeObject mxnova_lock;
#endif

/* Start ----------------------------------------------------------------------------------------- */

static int is_ours = 0; /* whether Python was started here */
static struct sigaction on_interrupt; /* what the program does at Ctrl-C */

/* Shows Python's symbols to its extension modules, which find them nowhere where this library was
 * loaded for itself alone: dlopen's default, and what R, Java, Julia and Perl do. */
static void show_python(void) {
    Dl_info python;
    if (dladdr((void *)Py_IsInitialized, &python))
        dlopen(python.dli_fname, RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD);
}

/* What functions give where Python did not start; cffi has said why on the standard error. */
void mxnova_fail(char *result, size_t size) {
    static const char *const text = "Python cannot start: see the standard error";
    if (size == sizeof text) /* only the functions that tell of errors return no int */
        memcpy(result, &text, size);
    else
        memset(result, -1, size);
}

/* Runs under that lock: no Python code of ours may run here. */
void mxnova_initialize(int signals) {
    show_python();
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

/* Forks ----------------------------------------------------------------------------------------- */

/* A program's fork comes without Python's knowledge: the child would have Python's lock, but not the
 * thread that holds it. */
static __thread int is_programs_fork;
static __thread PyGILState_STATE state_before_fork;

static void before_fork(void) {
    is_programs_fork = !PyGILState_Check(); /* else it is Python that forks */
    if (!is_programs_fork) return;
    state_before_fork = PyGILState_Ensure();
    PyOS_BeforeFork();
}

static void after_fork_in_parent(void) {
    if (!is_programs_fork) return;
    PyOS_AfterFork_Parent();
    PyGILState_Release(state_before_fork);
}

static void after_fork_in_child(void) {
    if (!is_programs_fork) return;
    PyOS_AfterFork_Child();
    PyGILState_Release(state_before_fork);
}

/* End ------------------------------------------------------------------------------------------- */

static void finish(void) {
    PyGILState_STATE state = PyGILState_Ensure();
    PyRun_SimpleString("import atexit, sys; atexit._run_exitfuncs(); sys.stdout.flush()");
    PyGILState_Release(state);
}

/* Has Python and the program that did not start it get on with each other. Called after libraries
 * are loaded, so that Python's end comes before they clean up. Python itself stays: threads may be in
 * it. */
void mxnova_settle(void) {
    if (!is_ours) return;
    sigaction(SIGINT, &on_interrupt, NULL); /* Python's `signal` takes it over */
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    atexit(finish);
}
