// Three sums of one double; with the argument "overflow" it then writes behind an array, with "race" two of its threads
// write the same variable. tests/mpi/test_sanitizers.py
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int shared;

static void *write_shared(void *value) {
  for (int i = 0; i < 100000; i++) shared += (int)(size_t)value;
  return NULL;
}

int main(int argc, char **argv) {
  double one = 1, sum = 0;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3; i++) MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  printf("sum %g\n", sum);
  fflush(stdout);
  MPI_Finalize();
  if (argc > 1 && !strcmp(argv[1], "overflow")) {
    int *array = malloc(4 * sizeof(int));
    array[argc + 2] = argc;
    shared = array[argc];
    free(array);
  }
  if (argc > 1 && !strcmp(argv[1], "shift")) shared = argc << (argc + 40);
  if (argc > 1 && !strcmp(argv[1], "race")) {
    pthread_t threads[2];
    for (size_t t = 0; t < 2; t++) pthread_create(&threads[t], NULL, write_shared, (void *)t);
    for (size_t t = 0; t < 2; t++) pthread_join(threads[t], NULL);
  }
  if (argc > 1 && !strcmp(argv[1], "leak")) {
    char *volatile lost = malloc(12345);
    lost[0] = 1;
    lost = NULL;
  }
  return 0;
}
