// A transcript of all that a program can see of MPI. Each rank writes its own file, because launchers mix the ranks'
// lines. tests/mpi/test_transcript.py compares the files of a run under Rankwise with those of a run without.
#ifndef TRANSCRIPT_H
#define TRANSCRIPT_H

#include <mpi.h>

extern int rank;

// One line of the transcript.
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

// MPICH marks codes with bits that are others in each run. Those below number the errors.
int without_mark(int code);

// What a call returned: the code and its class. In MPICH an error of Rankwise's own would change the codes behind it.
void tried(const char *what, int code);
#define TRY(call) tried(#call, call)

// All that a status tells. MPI_ERROR is asked where the standard says what becomes of it.
void say_status(const char *what, const MPI_Status *status);

// The chapters, one file each.
void errors(void);
void handlers(void);
void statuses(void);
void objects(void);
void sentinels(void);
void windows_and_files(void);
void leave_something_for_finalize(void);

#endif
