// Programs with one thing wrong each, and the same with nothing wrong: findings WHAT [FILE].
// tests/mpi/test_findings_of_programs.py knows what is to be found.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(double seconds) {
  for (const double end = now() + seconds; now() < end;) continue;
}

// Allreduces to which somebody comes late: always rank 1, or all in turns; by more than what another job on the
// machine delays the others.
static void late(int turns) {
  for (int i = 0; i < 12; i++) {
    double one = 1, sum;
    if (rank == (turns ? i % size : 1)) usleep(120000);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

static void allreduces(void) {
  double one = 1, sum;
  for (int i = 0; i < 300000; i++) MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void allgathers(void) {
  int own = rank, *all = malloc(sizeof(int) * (size_t)size);
  for (int i = 0; i < 50; i++) MPI_Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  free(all);
}

// Sends of 64 bytes and more, to a receiver that comes late to each: some are buffered, the larger ones are not. (Intel
// MPI buffers 2 MiB on some processors: then the program says so. Where it buffers 1 MiB, the sends of 2 MiB must still
// be a tenth of all.)
static void sends(int largest) {
  char *room = calloc(1, (size_t)largest);
  double shortest = 1;
  for (int bytes = 64; bytes <= largest; bytes *= 2) {
    for (int i = 0; i < (bytes < largest ? 3 : 6); i++) {
      const double start = MPI_Wtime();
      if (rank == 0) MPI_Send(room, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      if (bytes == largest && MPI_Wtime() - start < shortest) shortest = MPI_Wtime() - start;
      if (rank == 1) {
        usleep(20000);  // much longer than it takes to copy a message, also on a busy machine
        MPI_Recv(room, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  if (rank == 0 && shortest < 15e-3) puts("all are buffered");
  free(room);
}

// A processor for all ranks, each of which computes; or for each of them and a child that computes, too.
static void with_a_child(int busy) {
  const pid_t child = fork();
  if (child == 0) {
    if (busy) compute(60);
    _exit(0);
  }
  if (busy)
    compute(1.5);
  else
    usleep(1500000);
  if (child > 0) {
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
  }
}

static void messages(int bytes) {
  char *room = calloc(1, (size_t)bytes);
  for (int i = 0; i < 2000; i++) {
    if (rank == 0) MPI_Send(room, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(room, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  free(room);
}

static void poll(int times) {
  for (int i = 0, flag; i < times; i++) MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void duplicate(int free_them) {
  MPI_Comm comms[20];
  for (int i = 0; i < 20; i++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    if (free_them) MPI_Comm_free(&comms[i]);
  }
}

// One rank writes all, or each its part.
static void write_file(const char *path, int one) {
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  const int bytes = 1 << 20;
  char *room = calloc(1, (size_t)bytes);
  for (int i = 0; i < 40; i++) {
    const MPI_Offset at = (MPI_Offset)(i * size + rank) * bytes;
    if (!one) MPI_File_write_at_all(file, at, room, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    if (one && rank == 0) MPI_File_write_at(file, at, room, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_close(&file);
  free(room);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "late") == 0)
    late(0);
  else if (strcmp(what, "late-in-turns") == 0)
    late(1);
  else if (strcmp(what, "allreduces") == 0)
    allreduces();
  else if (strcmp(what, "allgathers") == 0)
    allgathers();
  else if (strcmp(what, "sends") == 0)
    sends(1 << 21);
  else if (strcmp(what, "small-sends") == 0)
    sends(128);
  else if (strcmp(what, "compute") == 0)
    compute(1);
  else if (strcmp(what, "sleep") == 0)
    usleep(1500000);
  else if (strcmp(what, "disturbed") == 0)
    with_a_child(1);
  else if (strcmp(what, "undisturbed") == 0)
    with_a_child(0);
  else if (strcmp(what, "tiny-messages") == 0)
    messages(8);
  else if (strcmp(what, "messages") == 0)
    messages(8192);
  else if (strcmp(what, "polls") == 0)
    poll(200000);
  else if (strcmp(what, "polls-little") == 0)
    poll(10);
  else if (strcmp(what, "kept") == 0)
    duplicate(0);
  else if (strcmp(what, "freed") == 0)
    duplicate(1);
  else if (strcmp(what, "one-writes") == 0)
    write_file(argv[2], 1);
  else if (strcmp(what, "all-write") == 0)
    write_file(argv[2], 0);
  else
    MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Finalize();
  return 0;
}
