/* Phases that are known by construction: quiet ones, in which no process calls MPI, and between them one of many
 * Allreduces, one of messages, and one long Barrier that rank 0 comes late to. Each rank tells of each phase when it
 * began and ended (seconds after MPI_Init), its calls, bytes sent and received, and messages. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double phase_s = 0.3;
static double origin;
static int rank, size;

static void rest(double seconds) {
  struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&time, NULL);
}

static double now(void) { return MPI_Wtime() - origin; }

struct counts {
  long calls, sent, received, messages;
};

/* Other processes than ours decide how many: all do as many steps as rank 0. */
static struct counts reduce_for_a_while(void) {
  struct counts counts = {0};
  int go = 1;
  const double end = now() + phase_s;
  while (go) {
    double mine[16] = {0};
    double sum[16];
    MPI_Allreduce(mine, sum, 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    go = now() < end;
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    counts.calls += 2;
    counts.sent += (long)sizeof mine + (rank == 0 ? (long)sizeof go * (size - 1) : 0);
  }
  return counts;
}

static struct counts exchange_for_a_while(void) {
  enum { BYTES = 3000 };
  static char out[BYTES], in[BYTES];
  struct counts counts = {0};
  int go = 1;
  const double end = now() + phase_s;
  while (go) {
    MPI_Sendrecv(out, BYTES, MPI_BYTE, (rank + 1) % size, 5, in, BYTES, MPI_BYTE, (rank + size - 1) % size, 5,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Request requests[2];
    MPI_Irecv(in, BYTES, MPI_BYTE, (rank + 1) % size, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, BYTES / 2, MPI_BYTE, (rank + size - 1) % size, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    go = now() < end;
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    counts.calls += 5;
    counts.messages += 2;
    counts.sent += BYTES + BYTES / 2 + (rank == 0 ? (long)sizeof go * (size - 1) : 0);
    counts.received += BYTES + BYTES / 2;
  }
  return counts;
}

static struct counts wait_for_rank_0(void) {
  struct counts counts = {.calls = 1};
  if (rank == 0) rest(phase_s);
  MPI_Barrier(MPI_COMM_WORLD);
  return counts;
}

static void tell(const char *name, double begin, struct counts counts) {
  printf("%s %d %.9f %.9f %ld %ld %ld %ld\n", name, rank, begin, now(), counts.calls, counts.sent, counts.received,
         counts.messages);
  fflush(stdout);
}

static void quiet(void) {
  const double begin = now();
  rest(phase_s);
  tell("quiet", begin, (struct counts){0});
}

static void *ping_myself(void *argument) {
  const int tag = *(const int *)argument;
  for (int i = 0; i < 40; ++i) {
    char out = 1, in;
    MPI_Sendrecv(&out, 1, MPI_BYTE, 0, tag, &in, 1, MPI_BYTE, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    rest(0.01);
  }
  return NULL;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int level;
  MPI_Init_thread(&argc, &argv, strcmp(what, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  origin = MPI_Wtime();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(what, "threads") == 0) {
    /* One thread after the other, the first one gone when the second one begins. */
    for (int tag = 0; tag < 2; ++tag) {
      pthread_t thread;
      pthread_create(&thread, NULL, ping_myself, &tag);
      pthread_join(thread, NULL);
      ping_myself(&tag);
      rest(0.5);
    }
    MPI_Finalize();
    return 0;
  }
  static struct counts (*const steps[])(void) = {reduce_for_a_while, exchange_for_a_while, wait_for_rank_0};
  static const char *const names[] = {"reduce", "exchange", "late"};
  quiet();
  for (int i = 0; i < 3; ++i) {
    const double begin = now();
    tell(names[i], begin, steps[i]());
    quiet();
  }
  if (strcmp(what, "killed") == 0) {
    if (rank == 1) {
      rest(2 * phase_s);
      raise(SIGKILL);
    }
    MPI_Recv(&level, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
