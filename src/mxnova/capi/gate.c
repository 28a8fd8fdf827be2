/* SPDX-License-Identifier: Apache-2.0
 *
 * The gate that every call of the library passes, so that the end of the process and its forks can
 * wait until nobody is inside. A thread that computes while the destructors of PyTorch's libraries
 * run ends the process with a signal; and a child keeps for ever the locks that a thread held which
 * it does not have.
 */
#define _GNU_SOURCE
#include <Python.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* PAUSED: a thread forks; CLOSING: one ends the process, and nobody else gets in any more; FINISHING:
 * Python does what it does at its end; ENDED: that is done. */
enum { OPEN, PAUSED, CLOSING, FINISHING, ENDED };

/* How long the last thread and forks wait for others, which may wait for something for ever; and
 * how long others wait for the end before their calls fail: programs join threads at their end. */
enum { NAPS_FOR_OTHERS = 25000, NAPS_FOR_END = 5000 };

enum { LONGEST_PAUSE = 10000 }; /* ms between registrations for the end */

static atomic_int state = OPEN;
static atomic_int inside; /* threads that are in calls */
static __thread int depth; /* calls of this thread, one in another */
static __thread int is_last; /* whether this thread ends the process */
static __thread int has_waited; /* for the end, in vain */
static __thread int is_watched;

static void nap(void) {
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

static void wait_for_others(void) {
    for (int naps = 0; inside > (depth > 0) && naps < NAPS_FOR_OTHERS; naps++) nap();
}

/* Calls ----------------------------------------------------------------------------------------- */

static void watch_thread(void);
static void watch_others(void);

void mxnova_enter(void) {
    if (depth++ > 0) return;
    inside++;
    if (!is_watched) watch_thread();
}

void mxnova_leave(void) {
    if (--depth > 0) return;
    watch_others();
    inside--;
}

static int enters(void) {
    mxnova_enter();
    int now = state; /* after it was counted: whoever changes it looks at the count then */
    if (now == OPEN || (now != ENDED && (depth > 1 || is_last))) return 1;
    mxnova_leave();
    return 0;
}

/* Whether a function has nothing left to do when all has ended. */
static int cleans_up(const char *name) {
    return strstr(name, "Free") || strstr(name, "Destroy") || strstr(name, "WaitAll")
        || strstr(name, "NotifyShutdown");
}

void mxnova_answer(char *result, size_t size, int status, const char *text) {
    if (size == sizeof text) /* only the functions that tell of errors return no int */
        memcpy(result, &text, size);
    else
        memset(result, status, size);
}

int mxnova_admit(const char *name, char *result, size_t size) {
    if (enters()) return 1;
    for (int naps = 0; !is_last && !has_waited && naps < NAPS_FOR_END;) {
        nap();
        if (enters()) return 1;
        naps += state == CLOSING || state == ENDED;
    }
    has_waited = 1;
    mxnova_answer(result, size, cleans_up(name) ? 0 : -1, "MXNetError: the process ends");
    return 0;
}

/* End ------------------------------------------------------------------------------------------- */

void mxnova_close(void) {
    if (is_last) return;
    is_last = 1;
    if (state < CLOSING) state = CLOSING;
    wait_for_others();
}

static void end(void) {
    state = ENDED;
}

/* The end of a program that Python was started in. Python stays, and with it its lock: its threads
 * that come back from somewhere wait there for ever. */
static void finish(void) {
    mxnova_close();
    PyGILState_Ensure();
    state = FINISHING;
    PyRun_SimpleString("from mxnova.capi.library import finish; finish()");
    end();
}

/* `exit` calls destructors in the opposite order of their registration, and PyTorch's libraries
 * register some when they are first used. What a thread registers as it ends, or calls `exit`, is
 * called before all of them; for threads that never come here it is registered now and then. */
int __cxa_atexit(void (*function)(void *), void *argument, void *library);
void __cxa_finalize(void *library);
__attribute__((weak)) int __cxa_thread_atexit_impl(
    void (*function)(void *), void *argument, void *library);

static char names[2]; /* of what is registered here, in turn */
static pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;
static __thread int is_moving;

static void close_first(void *nothing) {
    if (!is_moving) mxnova_close();
}

static void register_first(void *nothing) {
    static int turn;
    pthread_mutex_lock(&registering);
    __cxa_atexit(close_first, NULL, &names[turn]);
    turn = !turn;
    is_moving = 1;
    __cxa_finalize(&names[turn]); /* the one before, not sooner: the process may be ending */
    is_moving = 0;
    pthread_mutex_unlock(&registering);
}

static void watch_thread(void) {
    is_watched = 1;
    if (__cxa_thread_atexit_impl != NULL) /* glibc has it */
        __cxa_thread_atexit_impl(register_first, NULL, names);
}

/* Ever more seldom: the C library keeps 32 bytes for each registration, used or not. */
static void watch_others(void) {
    static atomic_long due, pause = 10; /* ms */
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    long time = now.tv_sec * 1000 + now.tv_nsec / 1000000, then = due;
    if (time < then || !atomic_compare_exchange_strong(&due, &then, time + pause)) return;
    if (pause < LONGEST_PAUSE) pause *= 2;
    register_first(NULL);
}

/* The end of a program that has called nothing yet. */
static void end_before_start(void) {
    mxnova_close();
    end();
}

/* Forks ----------------------------------------------------------------------------------------- */

/* A program's fork comes without Python's knowledge: the child would have Python's lock, but not the
 * thread that holds it. */
static pthread_mutex_t forking = PTHREAD_MUTEX_INITIALIZER;
static __thread int is_forking;
static __thread int is_programs_fork;
static __thread int has_python;
static __thread PyGILState_STATE state_before_fork;

static void change(int from, int to) {
    atomic_compare_exchange_strong(&state, &from, to);
}

static void stop_others(void) {
    pthread_mutex_lock(&forking);
    change(OPEN, PAUSED);
    wait_for_others(); /* one may be starting Python */
    has_python = Py_IsInitialized();
    if (!has_python) return;
    state_before_fork = PyGILState_Ensure();
    PyOS_BeforeFork();
}

static void before_fork(void) {
    if (is_forking++ > 0) return;
    int is_pythons_fork = Py_IsInitialized() && PyGILState_Check();
    is_programs_fork = state < CLOSING && !is_pythons_fork;
    if (is_programs_fork) stop_others();
    pthread_mutex_lock(&registering); /* the child would find the lock of `atexit` taken */
}

static void tell_parent(void) {
    PyOS_AfterFork_Parent();
    PyGILState_Release(state_before_fork);
}

static void tell_child(void) {
    PyOS_AfterFork_Child();
    PyEval_SaveThread(); /* keeps the state of the only thread: Python fails where there is none */
}

static void after_fork(void (*tell_python)(void)) {
    if (!is_forking) return;
    is_forking = 0;
    pthread_mutex_unlock(&registering);
    if (!is_programs_fork) return;
    if (has_python) tell_python();
    change(PAUSED, OPEN);
    pthread_mutex_unlock(&forking);
}

static void after_fork_in_parent(void) {
    after_fork(tell_parent);
}

static void after_fork_in_child(void) {
    inside = depth > 0;
    after_fork(tell_child);
}

static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* Once more, for what libraries do before forks is to be done after what is done here. */
void mxnova_watch(int is_ours) {
    watch_forks();
    if (is_ours)
        atexit(finish);
    else
        Py_AtExit(end);
}

__attribute__((constructor)) static void watch_process(void) {
    atexit(end_before_start);
    watch_thread();
    watch_forks();
}
