/* Programs with one known problem each: planted MODE STEPS MICROSECONDS [BYTES]
   Ranks sleep where a program would compute, so that many of them fit on few processors; only the modes about
   processors spin. Where the run time on an ideal network follows from the program's own clock, rank 0 prints
   it: {"truth": 1, "serialisation": S, "transfer": T}. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks, steps, bytes, current;
static double microseconds;
static char *out, *in;
static double *entered, *left; /* when a rank had computed, and was through with a step */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void rest(double seconds) {
  double end = now() + seconds, left_over;
  while ((left_over = end - now()) > 0) {
    struct timespec t = {(time_t)left_over, (long)((left_over - (double)(time_t)left_over) * 1e9)};
    nanosleep(&t, NULL);
  }
}

static void spin(double seconds) {
  for (double end = now() + seconds; now() < end;) {
  }
}

static void compute(double factor) {
  rest(factor * microseconds * 1e-6);
  entered[current] = now();
}

static void sum(MPI_Comm communicator) {
  double one = 1, all;
  MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, communicator);
}

static void halo(int extra) {
  MPI_Request requests[2];
  int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  for (int i = 0; i < 1 + extra; i++) {
    MPI_Irecv(in, bytes, MPI_BYTE, before, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, next, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

/* Late arrivals. The late ranks are the last ones, unless the mode says otherwise. */
static void late_rank(int step) { (void)step, compute(rank == ranks - 1 ? 5 : 1), sum(MPI_COMM_WORLD); }
static void late_group(int step) {
  (void)step;
  compute(rank >= ranks - ranks / 4 ? 5 + 0.1 * (rank % 2) : 1);
  sum(MPI_COMM_WORLD);
}
static void moving(int step) { compute(step % ranks == rank ? 5 : 1), sum(MPI_COMM_WORLD); }
static void late_root(int step) {
  (void)step;
  compute(rank == 0 ? 5 : 1);
  MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}
static void late_root_of_reduce(int step) {
  (void)step;
  double one = rank, all;
  compute(rank == 0 ? 5 : 1);
  MPI_Reduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Bcast(&all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
static void late_sender(int step) { (void)step, compute(rank == ranks - 1 ? 5 : 1), halo(0); }
static void late_sender_drift(int step) {
  if (step == 0 && rank < 2) /* one more message in front: numbers of messages no longer agree */
    rank ? MPI_Recv(in, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
         : MPI_Send(out, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
  compute(rank == ranks - 1 ? 5 : 1);
  halo(0);
}
static void late_receiver(int step) {
  (void)step;
  int partner = rank ^ 1;
  if (partner >= ranks) return;
  if (rank & 1) {
    compute(rank == 1 ? 5 : 1);
    MPI_Recv(in, bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    compute(1);
    MPI_Ssend(out, bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
  }
}
static void one_stop(int step) {
  compute(1);
  if (step == steps / 3 && rank == ranks - 1) rest(1.5);
  sum(MPI_COMM_WORLD);
}
static void late_in_loop_of_tests(int step) {
  (void)step;
  MPI_Request request;
  double one = 1, all;
  int done = 0;
  compute(rank == ranks - 1 ? 5 : 1);
  MPI_Iallreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

/* What the MPI library or the network takes. */
static void exchange(int step) {
  (void)step, compute(1), MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void ring(int step) {
  (void)step, compute(1);
  MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + 1) % ranks, 0, in, bytes, MPI_BYTE, (rank + ranks - 1) % ranks, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void small_collectives(int step) {
  (void)step;
  for (int i = 0; i < 200; i++) sum(MPI_COMM_WORLD);
  compute(1);
}
static void communicators(int step) {
  (void)step;
  MPI_Comm copy;
  for (int i = 0; i < 20; i++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_free(&copy);
  }
  compute(1);
}
static void communicators_kept(int step) {
  MPI_Comm copy;
  if (step < 1000) MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  compute(1);
}
static void tiny_messages(int step) {
  (void)step;
  int partner = rank ^ 1;
  for (int i = 0; i < 2000 && partner < ranks; i++)
    if (rank & 1)
      MPI_Recv(in, 8, MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Send(out, 8, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
  compute(1);
}
static MPI_Win window;
static void one_sided(int step) {
  static char *memory;
  if (!window) MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int i = 0; i < 100; i++) MPI_Win_fence(0, window);
  compute(1);
  if (step == steps - 1) MPI_Win_free(&window);
}
static void files(int step) {
  static MPI_File file;
  if (!step)
    MPI_File_open(MPI_COMM_WORLD, "planted.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
  if (rank == 0)
    for (int i = 0; i < 8; i++) MPI_File_write_at(file, (MPI_Offset)i * bytes, out, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (step == steps - 1) MPI_File_close(&file);
}

/* Work that is shared out unevenly, or done by one rank after the other. */
static void imbalance(int step) { late_in_loop_of_tests(step); }
static void wave(int step) {
  (void)step;
  if (rank) MPI_Recv(in, bytes, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  compute(1);
  if (rank + 1 < ranks) MPI_Send(out, bytes, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Processors. */
static void spinning(int step) {
  (void)step;
  spin(microseconds * 1e-6);
  entered[current] = now();
  sum(MPI_COMM_WORLD);
}
enum { threads = 8 };
static pthread_barrier_t meeting;

/* A pool, as OpenMP has it: its threads sleep between the steps. */
static void *work(void *unused) {
  for (int i = 0; i < steps; i++) {
    pthread_barrier_wait(&meeting);
    spin(microseconds * 1e-6);
    pthread_barrier_wait(&meeting);
  }
  return unused;
}
static void spinning_threads(int step) {
  pthread_t thread;
  if (!step) {
    pthread_barrier_init(&meeting, NULL, threads);
    for (int i = 1; i < threads; i++) pthread_create(&thread, NULL, work, NULL);
  }
  pthread_barrier_wait(&meeting);
  spin(microseconds * 1e-6);
  pthread_barrier_wait(&meeting);
  sum(MPI_COMM_WORLD);
}

/* Deadlocks: these never end. */
static void cycle(int step) {
  compute(1);
  sum(MPI_COMM_WORLD);
  if (step == steps / 2) MPI_Recv(in, 1, MPI_BYTE, (rank + 1) % ranks, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void wrong_tag(int step) {
  compute(1);
  sum(MPI_COMM_WORLD);
  if (step == steps / 2 && rank < 2)
    rank ? MPI_Recv(in, 1, MPI_BYTE, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
         : MPI_Send(out, 1, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
}
static void one_missing(int step) {
  compute(1);
  sum(MPI_COMM_WORLD);
  if (step == steps / 2) {
    if (rank == ranks - 1) rest(1000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* Controls: nothing is wrong. */
static void balanced(int step) { (void)step, compute(1), sum(MPI_COMM_WORLD); }
static void balanced_halo(int step) { (void)step, compute(1), halo(0); }
static void computing(int step) {
  compute(1);
  if (step == steps - 1) sum(MPI_COMM_WORLD);
}
static void broadcasts(int step) { (void)step, compute(1), MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }
static void pairs(int step) {
  (void)step;
  int partner = rank ^ 1;
  compute(1);
  if (partner < ranks)
    MPI_Sendrecv(out, bytes, MPI_BYTE, partner, 0, in, bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void waits_at_ends(int step) { (void)step, compute(1); }

/* What has to be known of others for a step to go on, for the truth on an ideal network. */
enum needs { NOTHING, ALL, THE_ONE_BEFORE };

static const struct mode {
  const char *name;
  void (*step)(int);
  enum needs needs;
} modes[] = {{"late-rank", late_rank, ALL},
             {"late-group", late_group, ALL},
             {"moving", moving, ALL},
             {"late-root", late_root, NOTHING},
             {"late-root-of-reduce", late_root_of_reduce, NOTHING},
             {"late-sender", late_sender, NOTHING},
             {"late-sender-drift", late_sender_drift, NOTHING},
             {"late-receiver", late_receiver, NOTHING},
             {"one-stop", one_stop, NOTHING},
             {"late-in-loop-of-tests", late_in_loop_of_tests, NOTHING},
             {"exchange", exchange, ALL},
             {"ring", ring, THE_ONE_BEFORE},
             {"small-collectives", small_collectives, NOTHING},
             {"communicators", communicators, NOTHING},
             {"communicators-kept", communicators_kept, NOTHING},
             {"tiny-messages", tiny_messages, NOTHING},
             {"one-sided", one_sided, NOTHING},
             {"files", files, NOTHING},
             {"imbalance", imbalance, NOTHING},
             {"wave", wave, NOTHING},
             {"spinning", spinning, NOTHING},
             {"spinning-threads", spinning_threads, NOTHING},
             {"cycle", cycle, NOTHING},
             {"wrong-tag", wrong_tag, NOTHING},
             {"one-missing", one_missing, NOTHING},
             {"balanced", balanced, ALL},
             {"balanced-halo", balanced_halo, NOTHING},
             {"computing", computing, NOTHING},
             {"broadcasts", broadcasts, NOTHING},
             {"pairs", pairs, NOTHING},
             {"late-init", waits_at_ends, NOTHING},
             {"late-finalize", waits_at_ends, NOTHING}};

/* Replay the steps on a network that takes no time: each rank computes for as long as it did, and goes on when
   those have come whom it needs. */
static void tell_truth(enum needs needs, double began, double seconds) {
  size_t number = (size_t)steps * (size_t)ranks;
  double *all_entered = malloc(number * sizeof(double)), *all_left = malloc(number * sizeof(double));
  double *all_began = malloc((size_t)ranks * sizeof(double)), longest;
  MPI_Gather(entered, steps, MPI_DOUBLE, all_entered, steps, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Gather(left, steps, MPI_DOUBLE, all_left, steps, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Gather(&began, 1, MPI_DOUBLE, all_began, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    double *at = calloc((size_t)ranks, sizeof(double)), *come = calloc((size_t)ranks, sizeof(double));
    double *useful = calloc((size_t)ranks, sizeof(double)), ideal = 0, most = 0;
    for (int i = 0; i < steps; i++) {
      double last = 0;
      for (int r = 0; r < ranks; r++) {
        size_t place = (size_t)r * (size_t)steps + (size_t)i;
        double computed = all_entered[place] - (i ? all_left[place - 1] : all_began[r]);
        useful[r] += computed;
        come[r] = at[r] + computed;
        last = come[r] > last ? come[r] : last;
      }
      for (int r = 0; r < ranks; r++) {
        double before = come[(r + ranks - 1) % ranks];
        at[r] = needs == ALL ? last : before > come[r] ? before : come[r];
      }
    }
    for (int r = 0; r < ranks; r++) {
      ideal = at[r] > ideal ? at[r] : ideal;
      most = useful[r] > most ? useful[r] : most;
    }
    printf("{\"truth\": 1, \"serialisation\": %.4f, \"transfer\": %.4f}\n", most / ideal, ideal / longest);
    free(at), free(come), free(useful);
  }
  free(all_entered), free(all_left), free(all_began);
}

int main(int count, char **words) {
  const struct mode *mode = NULL;
  for (size_t i = 0; count > 3 && i < sizeof modes / sizeof *modes; i++)
    if (!strcmp(modes[i].name, words[1])) mode = &modes[i];
  if (!mode) {
    fprintf(stderr, "planted MODE STEPS MICROSECONDS [BYTES]\n");
    return 2;
  }
  steps = atoi(words[2]);
  microseconds = atof(words[3]);
  bytes = count > 4 ? atoi(words[4]) : 8;
  const char *own = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
  if (!strcmp(mode->name, "late-init") && own && !strcmp(own, "1")) rest(2.5);
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  out = calloc((size_t)bytes, (size_t)ranks);
  in = calloc((size_t)bytes, (size_t)ranks);
  entered = calloc((size_t)steps, sizeof(double));
  left = calloc((size_t)steps, sizeof(double));
  MPI_Barrier(MPI_COMM_WORLD);
  double began = now();
  for (int i = 0; i < steps; i++) {
    current = i;
    mode->step(i);
    left[i] = now();
  }
  double seconds = now() - began;
  if (mode->needs != NOTHING) tell_truth(mode->needs, began, seconds);
  if (!strcmp(mode->name, "late-finalize") && rank == 1) rest(2.5);
  MPI_Finalize();
  return 0;
}
