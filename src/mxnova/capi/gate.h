/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

/* Writes what a function gives that is not called: a status, or a text where it gives texts. */
void mxnova_answer(char *result, size_t size, int status, const char *text);

/* Lets a call in that `mxnova_leave` ends; otherwise writes what the function gives. */
int mxnova_admit(const char *name, char *result, size_t size);

/* Lets a thread in that will be called by C on Python's behalf, also when the process ends. */
void mxnova_enter(void);
void mxnova_leave(void);

/* Lets nobody in but this thread, and waits until all others are out, or have been too long. */
void mxnova_close(void);

/* Has forks and the end of the process wait. Called after libraries are loaded, so that the end comes
 * before they clean up. */
void mxnova_watch(int is_ours);
