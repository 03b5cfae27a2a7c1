/* Calls MPI in every way that a program has: directly, from a thread, in a child, and by names that it looks up. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi.h"

static void *in_thread(void *unused) {
  MPI_Send("123", 3, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  return unused;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 5; ++i) MPI_Send("0123456789", 10, MPI_BYTE, 0, 0, MPI_COMM_WORLD);

  pthread_t thread;
  if (pthread_create(&thread, NULL, in_thread, NULL) != 0) return 1;
  pthread_join(thread, NULL);

  const pid_t child = fork();
  if (child == 0) {
    MPI_Send("child", 5, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    _exit(0);
  }
  waitpid(child, NULL, 0);

  jmp_buf environment;
  if (setjmp(environment) == 0) longjmp(environment, 1);

  void *library = dlopen("libmpi.so.12", RTLD_NOW | RTLD_NOLOAD);
  int (*looked_up)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
  *(void **)&looked_up = dlsym(library, "MPI_Allreduce");
  int one = 1;
  int sum = 0;
  looked_up(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 6 + sum;
}
