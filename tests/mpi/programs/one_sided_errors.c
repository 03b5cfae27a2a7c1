// What MPI says of invalid one-sided calls, with MPI_ERRORS_RETURN: the same with and without Rankwise.
#include <mpi.h>
#include <stdio.h>

static void say(const char *what, int code) {
  int class;
  MPI_Error_class(code, &class);
  printf("%s %d\n", what, class);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int own[10] = {0}, size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Win win, none = MPI_WIN_NULL;
  MPI_Win_create(own, sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, win);
  say("target", MPI_Put(own, 1, MPI_INT, size, 0, 1, MPI_INT, win));
  say("count", MPI_Put(own, -1, MPI_INT, 0, 0, 1, MPI_INT, win));
  say("datatype", MPI_Get(own, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win));
  say("nobody", MPI_Put(own, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
  MPI_Win_fence(0, win);
  say("null fence", MPI_Win_fence(0, none));
  say("null free", MPI_Win_free(&none));
  say("free", MPI_Win_free(&win));
  MPI_Finalize();
  return 0;
}
