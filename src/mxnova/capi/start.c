/* SPDX-License-Identifier: Apache-2.0
 *
 * How the library starts Python in a program that has none: as the executable of the environment
 * that it was built from would, so that this environment's packages are found.
 */
#undef Py_InitializeEx
#include <Python.h>
#include <stdlib.h>

/* cffi makes its lock of a field of PyCapsule_Type that it hopes is 0, which it is not in a Python
 * that has looked at a capsule: it would wait for ever. This stands in for that type. */
#if PY_VERSION_HEX < 0x030C0000
PyTypeObject mxnova_lock;
#endif

static int is_ours = 0; /* whether Python was started here */

/* Runs under that lock: no Python code of ours may run here. */
void mxnova_initialize(int signals) {
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

static void finish(void) {
    PyGILState_STATE state = PyGILState_Ensure();
    PyRun_SimpleString("import atexit, sys; atexit._run_exitfuncs(); sys.stdout.flush()");
    PyGILState_Release(state);
}

/* Lets Python end when a program does that did not start it. Python itself stays: threads may be
 * in it. Called after libraries are loaded, so that it comes before they clean up. */
void mxnova_finish_at_exit(void) {
    if (is_ours) atexit(finish);
}
