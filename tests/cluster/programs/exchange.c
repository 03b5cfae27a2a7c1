// Exchanges of known bytes between all processes: exchange PATTERN BYTES REPETITIONS.
//
//   shift=K      process i sends BYTES to process i + K, around the end
//   shuffle      process i sends BYTES to process 2 i of n, or 2 i - n + 1 from the half on (the perfect shuffle)
//   all-to-all   each process sends BYTES to each other: shifts by 1, 2, ... n - 1
//   incast       all send BYTES to process 0
//
// These messages, and no others, are on the communicator named `exchange`. Rank 0 prints the seconds of an exchange,
// which takes as long as its slowest process: median, least and most of all repetitions but the first, in which the
// library connects the processes. With 0 repetitions there are no messages, and nothing is printed.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
  int rank, size, bytes;
  char *from, *to;
  MPI_Comm comm;
};

static void send_and_receive(const struct job *job, int destination, int source) {
  if (destination == job->rank) return;
  MPI_Sendrecv(job->from, job->bytes, MPI_BYTE, destination, 0, job->to, job->bytes, MPI_BYTE, source, 0, job->comm,
               MPI_STATUS_IGNORE);
}

static void shift(const struct job *job, int by) {
  send_and_receive(job, (job->rank + by) % job->size, (job->rank + job->size - by % job->size) % job->size);
}

static void shuffle(const struct job *job) {
  const int rank = job->rank, size = job->size, half = size / 2;
  const int destination = rank < half ? 2 * rank : 2 * rank - size + 1;
  send_and_receive(job, destination, rank % 2 == 0 ? rank / 2 : half + rank / 2);
}

static void incast(const struct job *job, MPI_Request *requests) {
  if (job->rank != 0) {
    MPI_Send(job->from, job->bytes, MPI_BYTE, 0, 0, job->comm);
    return;
  }
  for (int source = 1; source < job->size; source++) {
    MPI_Irecv(job->to + (size_t)source * job->bytes, job->bytes, MPI_BYTE, source, 0, job->comm, &requests[source - 1]);
  }
  MPI_Waitall(job->size - 1, requests, MPI_STATUSES_IGNORE);
}

static void exchange(const struct job *job, const char *pattern, MPI_Request *requests) {
  int by;
  if (sscanf(pattern, "shift=%d", &by) == 1) {
    shift(job, by);
  } else if (strcmp(pattern, "shuffle") == 0 && job->size % 2 == 0) {
    shuffle(job);
  } else if (strcmp(pattern, "all-to-all") == 0) {
    for (by = 1; by < job->size; by++) shift(job, by);
  } else if (strcmp(pattern, "incast") == 0) {
    incast(job, requests);
  } else {
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

static int ascending(const void *a, const void *b) {
  const double *first = a, *second = b;
  return (*first > *second) - (*first < *second);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const int repetitions = atoi(argv[3]);
  struct job job = {.bytes = atoi(argv[2])};
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.size);
  MPI_Comm_dup(MPI_COMM_WORLD, &job.comm);
  MPI_Comm_set_name(job.comm, "exchange");
  job.from = calloc(1, job.bytes);
  job.to = calloc(job.size, job.bytes);
  MPI_Request *requests = calloc(job.size, sizeof *requests);
  double *seconds = calloc(repetitions + 1, sizeof *seconds);

  for (int i = 0; i < repetitions; i++) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    exchange(&job, argv[1], requests);
    const double own = MPI_Wtime() - start;
    MPI_Reduce(&own, &seconds[i], 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  }
  if (job.rank == 0 && repetitions > 1) {
    const int counted = repetitions - 1;
    qsort(seconds + 1, counted, sizeof *seconds, ascending);
    const double median = (seconds[1 + (counted - 1) / 2] + seconds[1 + counted / 2]) / 2;
    printf("%.6f %.6f %.6f\n", median, seconds[1], seconds[counted]);
  }

  free(seconds);
  free(requests);
  free(job.to);
  free(job.from);
  MPI_Comm_free(&job.comm);
  MPI_Finalize();
  return 0;
}
