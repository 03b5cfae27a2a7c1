/* Late senders and late receivers by construction, 4 ranks. Each process measures with clock_gettime when it posts and
 * when it waits, and sends the times along, so the receiver prints what a wait truly was:
 *
 *   wait RANK PROCEDURE TAG KIND OTHER SECONDS BEGAN       KIND: sender (came late), receiver, none
 *
 * in the order of the waits of each rank. The times of one node are of one clock. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LARGE = 4 << 20, STEPS = 6 };

static int rank, size;
static char *large;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void rest(double seconds) {
  const double until = now() + seconds;
  while (now() < until) usleep(500);
}

/* What a process has noted of its own: told to the others at the end. */
enum { MOST = 4096 };
struct noted {
  double posted[MOST]; /* by number of the note */
};
static struct noted own, *all;

struct wait {
  const char *procedure;
  const char *kind;
  int tag;
  int other[8]; /* ranks */
  int note[8];  /* of theirs: when they posted */
  int others;
  double began, ended;
};
static struct wait waits[MOST];
static int wait_count;

static struct wait *begin(const char *procedure, int tag, const char *kind) {
  struct wait *wait = &waits[wait_count++];
  wait->procedure = procedure;
  wait->kind = kind;
  wait->tag = tag;
  wait->began = now();
  return wait;
}

static void end(struct wait *wait) { wait->ended = now(); }

static void of(struct wait *wait, int other, int note) {
  wait->other[wait->others] = other;
  wait->note[wait->others++] = note;
}

static void late_sender(void) {
  for (int step = 0; step < STEPS; ++step) {
    const double late = 0.005 * (step % 3);
    double token = step;
    if (rank == 1) {
      rest(late);
      own.posted[step] = now();
      MPI_Send(&token, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
    } else if (rank == 0) {
      struct wait *wait = begin("MPI_Recv", 7, "sender");
      MPI_Recv(&token, 1, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      end(wait);
      of(wait, 1, step);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void late_sender_of_wait(void) {
  for (int step = 0; step < STEPS; ++step) {
    double token = step;
    if (rank == 1) {
      rest(0.006);
      own.posted[100 + step] = now();
      MPI_Send(&token, 1, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD);
    } else if (rank == 0) {
      MPI_Request request;
      MPI_Irecv(&token, 1, MPI_DOUBLE, 1, 8, MPI_COMM_WORLD, &request);
      rest(0.002);
      struct wait *wait = begin("MPI_Wait", 8, "sender");
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      end(wait);
      of(wait, 1, 100 + step);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* The latest of several, in turn another one. */
static void late_senders_of_waitall(void) {
  for (int step = 0; step < STEPS; ++step) {
    double tokens[3] = {0, 0, 0};
    if (rank != 0) {
      rest(0.003 * (1 + (rank + step) % 3));
      own.posted[200 + step] = now();
      MPI_Send(tokens, 1, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD);
    } else {
      MPI_Request requests[3];
      for (int i = 0; i < size - 1; ++i) MPI_Irecv(&tokens[i], 1, MPI_DOUBLE, i + 1, 9, MPI_COMM_WORLD, &requests[i]);
      struct wait *wait = begin("MPI_Waitall", 9, "sender");
      MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
      end(wait);
      for (int i = 1; i < size; ++i) of(wait, i, 200 + step);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void late_receiver(int synchronous) {
  const int base = synchronous ? 300 : 400;
  for (int step = 0; step < STEPS; ++step) {
    if (rank == 0) {
      struct wait *wait = begin(synchronous ? "MPI_Ssend" : "MPI_Send", synchronous ? 10 : 11, "receiver");
      if (synchronous)
        MPI_Ssend(large, 8, MPI_BYTE, 2, 10, MPI_COMM_WORLD);
      else
        MPI_Send(large, LARGE, MPI_BYTE, 2, 11, MPI_COMM_WORLD);
      end(wait);
      of(wait, 2, base + step);
    } else if (rank == 2) {
      rest(0.005);
      own.posted[base + step] = now();
      MPI_Recv(large, LARGE, MPI_BYTE, 0, synchronous ? 10 : 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* From any source: 1, 2 and 3 come one after the other. */
static void wildcards(void) {
  for (int step = 0; step < STEPS; ++step) {
    double token = step;
    if (rank != 0) {
      rest(0.004 * rank);
      own.posted[500 + step] = now();
      MPI_Send(&token, 1, MPI_DOUBLE, 0, 12, MPI_COMM_WORLD);
    } else {
      for (int i = 1; i < size; ++i) {
        MPI_Status status;
        struct wait *wait = begin("MPI_Recv", 12, "sender");
        MPI_Recv(&token, 1, MPI_DOUBLE, MPI_ANY_SOURCE, i % 2 ? 12 : MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        end(wait);
        of(wait, status.MPI_SOURCE, 500 + step);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* Who probes waits in the probe. */
static void probes(void) {
  for (int step = 0; step < STEPS; ++step) {
    double token = step;
    if (rank == 3) {
      rest(0.004);
      own.posted[600 + step] = now();
      MPI_Send(&token, 1, MPI_DOUBLE, 0, 13, MPI_COMM_WORLD);
    } else if (rank == 0) {
      const int matched = step % 2;
      MPI_Message message;
      struct wait *wait = begin(matched ? "MPI_Mprobe" : "MPI_Probe", 13, "sender");
      if (matched)
        MPI_Mprobe(3, 13, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      else
        MPI_Probe(MPI_ANY_SOURCE, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      end(wait);
      of(wait, 3, 600 + step);
      wait = begin(matched ? "MPI_Mrecv" : "MPI_Recv", 13, "none");
      if (matched)
        MPI_Mrecv(&token, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
      else
        MPI_Recv(&token, 1, MPI_DOUBLE, 3, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      end(wait);
      of(wait, 3, 600 + step);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* 0 late to 1, therefore 1 to 2, therefore 2 to 3. */
static void chain(void) {
  for (int step = 0; step < STEPS; ++step) {
    double token = step;
    if (rank == 0) rest(0.006);
    if (rank > 0) {
      struct wait *wait = begin("MPI_Recv", 14, "sender");
      MPI_Recv(&token, 1, MPI_DOUBLE, rank - 1, 14, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      end(wait);
      of(wait, rank - 1, 700 + step);
    }
    if (rank < size - 1) {
      own.posted[700 + step] = now();
      MPI_Send(&token, 1, MPI_DOUBLE, rank + 1, 14, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void persistent(void) {
  double token = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 1) MPI_Send_init(&token, 1, MPI_DOUBLE, 2, 15, MPI_COMM_WORLD, &request);
  if (rank == 2) MPI_Recv_init(&token, 1, MPI_DOUBLE, 1, 15, MPI_COMM_WORLD, &request);
  for (int step = 0; step < STEPS; ++step) {
    if (rank == 1) {
      rest(0.004);
      own.posted[800 + step] = now();
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 2) {
      MPI_Start(&request);
      struct wait *wait = begin("MPI_Wait", 15, "sender");
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      end(wait);
      of(wait, 1, 800 + step);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

/* Both at once; on a communicator with other ranks. */
static void exchanges(void) {
  MPI_Comm turned;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &turned);
  for (int step = 0; step < STEPS; ++step) {
    double mine = step, theirs = 0;
    if (rank < 2) {
      const int other = size - 1 - (1 - rank); /* its rank in the communicator */
      if (rank == 1) rest(0.005);
      own.posted[900 + step] = now();
      struct wait *wait = begin("MPI_Sendrecv", 16, rank == 0 ? "sender" : "none");
      MPI_Sendrecv(&mine, 1, MPI_DOUBLE, other, 16, &theirs, 1, MPI_DOUBLE, other, 16, turned, MPI_STATUS_IGNORE);
      end(wait);
      of(wait, 1 - rank, 900 + step);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm_free(&turned);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  large = calloc(1, LARGE);
  all = calloc((size_t)size, sizeof *all);
  if (!large || !all || size != 4) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  late_sender();
  late_sender_of_wait();
  late_senders_of_waitall();
  late_receiver(1);
  late_receiver(0);
  wildcards();
  probes();
  chain();
  persistent();
  exchanges();
  MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, MPI_COMM_WORLD);
  char *text = calloc(1, 1 << 20);
  int length = 0;
  for (int i = 0; i < wait_count; ++i) {
    const struct wait *wait = &waits[i];
    int latest = 0;
    for (int j = 1; j < wait->others; ++j) {
      if (all[wait->other[j]].posted[wait->note[j]] > all[wait->other[latest]].posted[wait->note[latest]]) latest = j;
    }
    double truth = all[wait->other[latest]].posted[wait->note[latest]] - wait->began;
    if (truth < 0) truth = 0;
    if (truth > wait->ended - wait->began) truth = wait->ended - wait->began;
    length += sprintf(text + length, "wait %d %s %d %s %d %.9f %.9f\n", rank, wait->procedure, wait->tag, wait->kind,
                      wait->other[latest], truth, wait->began);
  }
  for (int r = 0; r < size; ++r) {
    if (r == rank) fputs(text, stdout);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  free(text);
  MPI_Finalize();
  return 0;
}
