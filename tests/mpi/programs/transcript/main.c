// Two ranks: writes transcript.RANK.
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "transcript.h"

int rank;
static FILE *out;
static bool only_classes;

void say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(out, format, arguments);
  va_end(arguments);
  fputc('\n', out);
  fflush(out);
}

int without_mark(int code) { return code & ~(31 << 26); }

void tried(const char *what, int code) {
  int class = -1;
  MPI_Error_class(code, &class);
  say("%s: %d, class %d", what, only_classes ? class : without_mark(code), class);
}

void say_status(const char *what, const MPI_Status *status) {
  int count = -1, cancelled = -1, elements = -1, halves = -1;
  MPI_Get_count(status, MPI_INT, &count);
  MPI_Get_count(status, MPI_SHORT, &halves);
  MPI_Get_elements(status, MPI_BYTE, &elements);
  MPI_Test_cancelled(status, &cancelled);
  say("%s: source %d tag %d ints %d shorts %d bytes %d cancelled %d", what, status->MPI_SOURCE, status->MPI_TAG, count,
      halves, elements, cancelled);
}

int main(int argc, char **argv) {
  const int code = MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char name[30];
  snprintf(name, sizeof name, "transcript.%d", rank);
  out = fopen(name, "w");
  if (out == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  tried("MPI_Init", code);
  // Errors without a communicator belong to MPI_COMM_SELF since MPI 4.0, to MPI_COMM_WORLD before.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  errors();
  objects();
  sentinels();
  windows_and_files();
  handlers();
  // Whether a message came before its receive, and so how many steps its error went through, is chance from here on.
  only_classes = true;
  statuses();
  leave_something_for_finalize();
  int flag;
  MPI_Finalized(&flag);
  say("finalized before: %d", flag);
  say("MPI_Finalize: %d", MPI_Finalize());
  MPI_Finalized(&flag);
  say("finalized after: %d", flag);
  fclose(out);
  return 0;
}
