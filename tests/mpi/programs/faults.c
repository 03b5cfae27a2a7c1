// A job that goes wrong after a known number of calls: faults WHAT VICTIM. Before, each rank makes ROUNDS sends,
// receives and MPI_Allreduce, and no rank goes on before all have done so. tests/mpi/jobs.py knows the figures.
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 10, BYTES = 100 };

static char data[BYTES];
static char room[BYTES];

static void known_calls(int rank, int size) {
  for (int i = 0; i < ROUNDS; i++) {
    double value = rank;
    MPI_Request request;
    MPI_Irecv(room, BYTES, MPI_BYTE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);
    MPI_Send(data, BYTES, MPI_BYTE, (rank + 1) % size, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

// Calls of many kinds, so that the tables must grow: a communicator each, all sizes on each. Nobody waits for anybody.
static void many_rows(int communicators) {
  static char large[1 << 12];
  for (int i = 0; i < communicators; i++) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    for (int bytes = 1; bytes <= (int)sizeof large; bytes *= 2) MPI_Bcast(large, bytes, MPI_BYTE, 0, comm);
    MPI_Comm_free(&comm);
  }
}

// Until somebody makes the file "go" in the working directory.
static void wait_for_a_sign(void) {
  printf("ready %d\n", (int)getpid());
  fflush(stdout);
  const struct timespec pause = {0, 10000000};
  while (access("go", F_OK) != 0) nanosleep(&pause, NULL);
}

// The program's own limit on the size of files, while the tables must grow.
static void with_small_files(int communicators) {
  const struct rlimit small = {100 << 10, RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &small);
  many_rows(communicators);
}

// No descriptor is left while the tables must grow.
static void without_descriptors(int communicators) {
  enum { MOST = 4096 };
  static int files[MOST];
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  const struct rlimit few = {limit.rlim_max < MOST ? limit.rlim_max : MOST, limit.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  int count = 0;
  while (count < MOST && (files[count] = open("/dev/null", O_RDONLY)) >= 0) count++;
  MPI_Pcontrol(1, "inside");
  many_rows(communicators);
  MPI_Pcontrol(-1, "inside");
  while (count > 0) close(files[--count]);
  setrlimit(RLIMIT_NOFILE, &limit);
}

// No memory is left while the tables must grow. With itself alone, a process needs none for the calls either.
static void without_memory(int communicators) {
  enum { MOST = 1 << 16, SIZES = 13 };
  static void *taken[MOST];
  static MPI_Comm comms[1 << 10];
  static char large[1 << SIZES];
  for (int i = 0; i < communicators; i++) MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
  struct rlimit before;
  getrlimit(RLIMIT_AS, &before);
  const struct rlimit none = {1, before.rlim_max};
  setrlimit(RLIMIT_AS, &none);
  int count = 0;
  for (size_t bytes = 1 << 20; bytes >= 1 << 10; bytes /= 2) {
    while (count < MOST && (taken[count] = malloc(bytes)) != NULL) count++;
  }
  for (int i = 0; i < communicators; i++) {
    for (int size = 0; size < SIZES; size++) MPI_Bcast(large, 1 << size, MPI_BYTE, 0, comms[i]);
  }
  while (count > 0) free(taken[--count]);
  setrlimit(RLIMIT_AS, &before);
  for (int i = 0; i < communicators; i++) MPI_Comm_free(&comms[i]);
}

// More communicators than there is room for records, with more kinds of calls than there is room for rows.
static void beyond_all_bounds(int communicators) {
  static char large[1 << 8];
  for (int i = 0; i < communicators; i++) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    for (int bytes = 1; bytes < 1 << 8; bytes *= 2) MPI_Bcast(large, bytes, MPI_BYTE, 0, comm);
    MPI_Sendrecv(data, BYTES, MPI_BYTE, 0, 0, room, BYTES, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
  }
}

// An operation that gives up: MPI_Abort from inside of a collective.
static void give_up(void *in, void *inout, int *count, MPI_Datatype *datatype) {
  (void)in, (void)inout, (void)count, (void)datatype;
  MPI_Abort(MPI_COMM_WORLD, 7);
}

static void abort_inside_a_collective(void) {
  double value = 1;
  double sum;
  MPI_Op op;
  MPI_Op_create(give_up, 1, &op);
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
}

static void go_wrong(const char *what) {
  if (strcmp(what, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(what, "kill") == 0) raise(SIGKILL);
  if (strcmp(what, "exit") == 0) exit(3);
  if (strcmp(what, "handler") == 0) MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (strcmp(what, "time") == 0) raise(SIGXCPU);  // as the kernel does when the processor time is used up
  if (strcmp(what, "segfault") == 0) *(volatile int *)8 = 1;
  // "hang", "uneven": nobody ever sends this.
  MPI_Recv(room, BYTES, MPI_BYTE, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  int rank;
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  known_calls(rank, size);
  if (strcmp(what, "rows") == 0) {
    many_rows(number);
  } else if (strcmp(what, "small-files") == 0) {
    with_small_files(number);
  } else if (strcmp(what, "no-descriptors") == 0) {
    without_descriptors(number);
  } else if (strcmp(what, "no-memory") == 0) {
    without_memory(number);
  } else if (strcmp(what, "beyond") == 0) {
    beyond_all_bounds(number);
  } else if (strcmp(what, "collective") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    abort_inside_a_collective();
  } else if (strcmp(what, "wait") == 0) {
    wait_for_a_sign();
    if (number > 0) many_rows(number);
  } else if (strcmp(what, "") != 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "hang") == 0 || strcmp(what, "uneven") == 0) {
      printf("ready %d\n", (int)getpid());
      fflush(stdout);
    }
    if (rank == number) go_wrong(what);
    if (strcmp(what, "uneven") != 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("rank %d is done\n", rank);
  MPI_Finalize();
  return 0;
}
