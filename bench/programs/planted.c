/* Programs with one known problem each: planted MODE STEPS MICROSECONDS [BYTES]
   Ranks sleep where a program would compute, so that many of them fit on few processors; only the modes about
   processors spin. If the run time on an ideal network follows from the program's own clock, rank 0 prints
   it, and the waiting time in collectives or for messages, in seconds summed over all ranks:
   {"truth": 1, "serialisation": S, "transfer": T, "collectives": W} (or "messages"). */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, ranks, steps, bytes, current;
static double microseconds;
static char *out, *in;
static double *began, *entered, *left; /* when a rank began to compute, finished computing, and completed a step */
static double at_start[2];             /* when it entered and left the barrier before the steps */

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

/* Uses this much processor time, regardless of the elapsed time. */
static void spin(double seconds) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  double began_at = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec, used = 0;
  while (used < seconds) {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    used = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec - began_at;
  }
}

static void compute(double factor) {
  began[current] = now();
  rest(factor * microseconds * 1e-6);
  entered[current] = now();
}

static int is_last(void) { return rank == ranks - 1; }

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

/* Created once. */
static MPI_Comm half(void) {
  static MPI_Comm made;
  if (!made) MPI_Comm_split(MPI_COMM_WORLD, rank >= ranks / 2, rank, &made);
  return made;
}
static MPI_Comm grid(int dimensions) {
  static MPI_Comm made;
  int sizes[2] = {0, 0}, periods[2] = {1, 1};
  if (!made) {
    MPI_Dims_create(ranks, dimensions, sizes);
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes, periods, 0, &made);
  }
  return made;
}
static MPI_Win window(void) {
  static MPI_Win made;
  static char *memory;
  if (!made) MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &made);
  return made;
}
static MPI_File file(void) {
  static MPI_File opened;
  if (!opened)
    MPI_File_open(MPI_COMM_WORLD, "planted.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &opened);
  return opened;
}
static void close_after_all(int step) {
  MPI_File opened = file();
  if (step == steps - 1) MPI_File_close(&opened);
}
static void free_after_all(int step) {
  MPI_Win made = window();
  if (step == steps - 1) MPI_Win_free(&made);
}
static void open_first_epoch(int step) {
  if (!step) MPI_Win_fence(0, window());
}
static void put(void) {
  int next = (rank + 1) % ranks;
  MPI_Put(out, bytes, MPI_BYTE, next, 0, bytes, MPI_BYTE, window());
}

/* Late arrivals. The late ranks are the last ones, unless the mode says otherwise. */
static void late_rank(int step) { (void)step, compute(is_last() ? 5 : 1), sum(MPI_COMM_WORLD); }
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
static void late_sender(int step) { (void)step, compute(is_last() ? 5 : 1), halo(0); }
static void late_sender_drift(int step) {
  if (step == 0 && rank < 2) /* one extra message first: numbers of messages no longer agree */
    rank ? MPI_Recv(in, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
         : MPI_Send(out, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
  compute(is_last() ? 5 : 1);
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
  if (step == steps / 3 && is_last()) rest(1.5);
  sum(MPI_COMM_WORLD);
}
static void late_in_loop_of_tests(int step) {
  (void)step;
  MPI_Request request;
  double one = 1, all;
  int done = 0;
  compute(is_last() ? 5 : 1);
  MPI_Iallreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}
static void late_leaf_of_reduce(int step) {
  (void)step;
  double one = rank, all;
  compute(is_last() ? 5 : 1);
  MPI_Reduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}
static void late_in_half(int step) { (void)step, compute(rank == 1 ? 5 : 1), sum(half()); }
static void late_row(int step) {
  (void)step;
  int sizes[2], periods[2], place[2];
  MPI_Cart_get(grid(2), 2, sizes, periods, place);
  compute(place[0] == sizes[0] - 1 ? 5 + 0.1 * place[1] : 1);
  sum(grid(2));
}
static void late_to_nonblocking(int step) {
  (void)step;
  MPI_Request request;
  double one = 1, all;
  compute(is_last() ? 5 : 1);
  MPI_Iallreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void late_neighbour(int step) {
  (void)step, compute(is_last() ? 5 : 1);
  MPI_Neighbor_allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, grid(1));
}
static MPI_Comm ring_graph(void) {
  static MPI_Comm made;
  int around[2] = {(rank + ranks - 1) % ranks, (rank + 1) % ranks};
  if (!made)
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, around, MPI_UNWEIGHTED, 2, around, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &made);
  return made;
}
static void late_in_graph(int step) {
  (void)step, compute(is_last() ? 5 : 1);
  MPI_Neighbor_allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, ring_graph());
}
static void late_to_fence(int step) {
  open_first_epoch(step);
  compute(is_last() ? 5 : 1);
  put(), MPI_Win_fence(0, window());
  free_after_all(step);
}
static void late_to_epoch(int step) {
  static MPI_Group others;
  if (!step) {
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_excl(all, 1, &rank, &others);
  }
  compute(is_last() ? 5 : 1);
  MPI_Win_post(others, 0, window());
  MPI_Win_start(others, 0, window());
  put();
  MPI_Win_complete(window());
  MPI_Win_wait(window());
  free_after_all(step);
}
static void late_to_file(int step) {
  compute(is_last() ? 5 : 1);
  MPI_File_write_at_all(file(), (MPI_Offset)rank * bytes, out, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  close_after_all(step);
}
static void stop_before_halo(int step) {
  compute(1);
  if (step == steps / 3 && is_last()) rest(1.5);
  halo(0);
}

/* Time spent in the MPI library or the network. */
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
static void barriers(int step) {
  (void)step;
  for (int i = 0; i < 200; i++) MPI_Barrier(MPI_COMM_WORLD);
  compute(1);
}
static void splits(int step) {
  (void)step;
  MPI_Comm part;
  for (int i = 0; i < 20; i++) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &part);
    MPI_Comm_free(&part);
  }
  compute(1);
}
static void windows(int step) {
  (void)step;
  MPI_Win made;
  char *memory;
  for (int i = 0; i < 5; i++) {
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &made);
    MPI_Win_free(&made);
  }
  compute(1);
}
static void eager(int step) { /* the first message is buffered, the second one not */
  (void)step;
  int partner = rank ^ 1;
  compute(rank & 1 ? 5 : 1);
  for (int i = 1; i <= 2 && partner < ranks; i++)
    if (rank & 1)
      MPI_Recv(in, i * bytes, MPI_BYTE, partner, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Send(out, i * bytes, MPI_BYTE, partner, i, MPI_COMM_WORLD);
}
static void polling(int step) {
  (void)step;
  int is_there;
  for (int i = 0; i < 2000; i++) MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
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
static void fences(int step) {
  for (int i = 0; i < 100; i++) MPI_Win_fence(0, window());
  compute(1);
  free_after_all(step);
}
static void flushes(int step) {
  if (!step) MPI_Win_lock_all(0, window());
  for (int i = 0; i < 200; i++) put(), MPI_Win_flush((rank + 1) % ranks, window());
  compute(1);
  if (step == steps - 1) MPI_Win_unlock_all(window());
  free_after_all(step);
}
static void files(int step) {
  for (int i = 0; i < 8 && rank == 0; i++)
    MPI_File_write_at(file(), (MPI_Offset)i * bytes, out, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File opened = file();
  MPI_Barrier(MPI_COMM_WORLD);
  if (step == steps - 1) MPI_File_close(&opened);
}
static void own_file(int step) { /* without MPI-IO; the pause represents a slow disk */
  (void)step;
  if (rank == 0) {
    int descriptor = open("planted.data", O_CREAT | O_WRONLY, 0600);
    for (int i = 0; i < 8 && descriptor >= 0; i++)
      if (write(descriptor, out, (size_t)bytes) < 0) break;
    close(descriptor), unlink("planted.data");
    compute(5);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Work that is divided unevenly, or done by one rank after the other. */
static void half_work(int step) { (void)step, compute(rank >= ranks / 2 ? 3 : 1), sum(MPI_COMM_WORLD); }
static void roles(int step) { /* each half does different work, and the first one has more to do */
  (void)step;
  int is_first = rank < ranks / 2, partner = (rank + ranks / 2) % ranks;
  compute(is_first ? 3 : 1);
  if (is_first)
    sum(half());
  else
    MPI_Alltoall(out, 8, MPI_BYTE, in, 8, MPI_BYTE, half());
  MPI_Sendrecv(out, bytes, MPI_BYTE, partner, 0, in, bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void late_and_exchange(int step) {
  (void)step, compute(is_last() ? 5 : 1);
  MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
}
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
enum { too_many = 8, most_threads = 1024 };
static int threads;
static pthread_barrier_t meeting;

/* A thread pool, as in OpenMP: its threads sleep between the steps. */
static void *work(void *unused) {
  for (int i = 0; i < steps; i++) {
    pthread_barrier_wait(&meeting);
    spin(microseconds * 1e-6);
    pthread_barrier_wait(&meeting);
  }
  return unused;
}
static void pool(int step, int number) {
  pthread_t thread;
  threads = number < most_threads ? number : most_threads;
  if (!step) {
    pthread_barrier_init(&meeting, NULL, (unsigned)threads);
    for (int i = 1; i < threads; i++) pthread_create(&thread, NULL, work, NULL);
  }
  pthread_barrier_wait(&meeting);
  spin(microseconds * 1e-6);
  pthread_barrier_wait(&meeting);
  sum(MPI_COMM_WORLD);
}
static void spinning_threads(int step) { pool(step, too_many); }
static void fitting_threads(int step) { pool(step, (int)sysconf(_SC_NPROCESSORS_ONLN) / ranks); }
static void *spin_once(void *unused) {
  spin(microseconds * 1e-6);
  return unused;
}
static void new_threads(int step) {
  (void)step;
  pthread_t made[too_many];
  for (int i = 1; i < too_many; i++) pthread_create(&made[i], NULL, spin_once, NULL);
  spin_once(NULL);
  for (int i = 1; i < too_many; i++) pthread_join(made[i], NULL);
  sum(MPI_COMM_WORLD);
}

/* Bind this process to its first processor. */
static void bind_to_one(void) {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  sched_setaffinity(0, sizeof one, &one);
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
    if (is_last()) rest(1000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}
static void unreceived(int step) {
  compute(1);
  sum(MPI_COMM_WORLD);
  if (step == steps / 2) {
    if (rank == 0) MPI_Ssend(out, 1, MPI_BYTE, 1, 9, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}
static void one_missing_in_wait(int step) {
  MPI_Request request;
  double one = 1, all;
  compute(1);
  if (step == steps / 2 && is_last()) rest(1000);
  MPI_Iallreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
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
static void reductions(int step) {
  (void)step;
  double one = 1, all;
  compute(1), MPI_Reduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}
static void gathers(int step) {
  (void)step, compute(1), MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void scatters(int step) {
  (void)step, compute(1), MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void halves(int step) { (void)step, compute(1), sum(half()); }
static void tree(int step) { /* a sum by messages, and the result back */
  (void)step, compute(1);
  int above = (rank - 1) / 2;
  for (int child = 2 * rank + 1; child <= 2 * rank + 2 && child < ranks; child++)
    MPI_Recv(in, bytes, MPI_BYTE, child, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank) {
    MPI_Send(out, bytes, MPI_BYTE, above, 0, MPI_COMM_WORLD);
    MPI_Recv(in, bytes, MPI_BYTE, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int child = 2 * rank + 1; child <= 2 * rank + 2 && child < ranks; child++)
    MPI_Send(out, bytes, MPI_BYTE, child, 1, MPI_COMM_WORLD);
}
static void overlapped(int step) {
  (void)step;
  MPI_Request requests[2];
  MPI_Irecv(in, bytes, MPI_BYTE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, bytes, MPI_BYTE, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &requests[1]);
  compute(1);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
static void overlapped_sum(int step) {
  (void)step;
  MPI_Request request;
  double one = 1, all;
  MPI_Iallreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  compute(1);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void start_and_wait(int step, double factor) {
  static MPI_Request requests[2];
  if (!step) {
    MPI_Recv_init(in, bytes, MPI_BYTE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out, bytes, MPI_BYTE, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &requests[1]);
  }
  compute(factor);
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 2 && step == steps - 1; i++) MPI_Request_free(&requests[i]);
}
static void persistent(int step) { start_and_wait(step, 1); }
static void late_to_persistent(int step) { start_and_wait(step, is_last() ? 5 : 1); }
static void graph_neighbours(int step) {
  (void)step, compute(1);
  MPI_Neighbor_allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, ring_graph());
}
static void probes(int step) {
  (void)step, compute(1);
  MPI_Request request;
  MPI_Isend(out, bytes, MPI_BYTE, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &request);
  MPI_Probe((rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(in, bytes, MPI_BYTE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void neighbours(int step) {
  (void)step, compute(1);
  MPI_Neighbor_allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, grid(1));
}
static void grid_halo(int step) {
  (void)step, compute(1);
  for (int dimension = 0; dimension < 2; dimension++) {
    int from, to;
    MPI_Cart_shift(grid(2), dimension, 1, &from, &to);
    MPI_Sendrecv(out, bytes, MPI_BYTE, to, 0, in, bytes, MPI_BYTE, from, 0, grid(2), MPI_STATUS_IGNORE);
  }
}
static void puts_and_fence(int step) {
  open_first_epoch(step);
  compute(1);
  put(), MPI_Win_fence(0, window());
  free_after_all(step);
}
static void put_and_flush(int step) {
  if (!step) MPI_Win_lock_all(0, window());
  compute(1);
  put(), MPI_Win_flush((rank + 1) % ranks, window());
  if (step == steps - 1) MPI_Win_unlock_all(window());
  free_after_all(step);
}
static void log_file(int step) {
  compute(1);
  if (step % 20 == 0) MPI_File_write_at(file(), (MPI_Offset)rank * bytes, out, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  close_after_all(step);
}
static void few_communicators(int step) {
  MPI_Comm copy;
  if (step < 8) MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  balanced(step);
}
static void without_calls(int step) { (void)step, compute(1); }
static void waits_at_ends(int step) { (void)step, compute(1); }

/* A step's dependences on other ranks, for the run time on an ideal network. */
enum needs { NOTHING, ALL, THE_ONE_BEFORE, THE_PARTNER, A_CHAIN };

static const struct mode {
  const char *name;
  void (*step)(int);
  enum needs needs;
} modes[] = {{"late-rank", late_rank, ALL},
             {"late-group", late_group, ALL},
             {"moving", moving, ALL},
             {"late-root", late_root, NOTHING},
             {"late-root-of-reduce", late_root_of_reduce, NOTHING},
             {"late-sender", late_sender, THE_ONE_BEFORE},
             {"late-sender-drift", late_sender_drift, THE_ONE_BEFORE},
             {"late-receiver", late_receiver, NOTHING},
             {"one-stop", one_stop, NOTHING},
             {"exchange", exchange, ALL},
             {"ring", ring, THE_ONE_BEFORE},
             {"small-collectives", small_collectives, NOTHING},
             {"communicators", communicators, NOTHING},
             {"communicators-kept", communicators_kept, NOTHING},
             {"tiny-messages", tiny_messages, NOTHING},
             {"fences", fences, NOTHING},
             {"files", files, NOTHING},
             {"imbalance", late_in_loop_of_tests, NOTHING},
             {"wave", wave, A_CHAIN},
             {"spinning", spinning, NOTHING},
             {"spinning-threads", spinning_threads, NOTHING},
             {"cycle", cycle, NOTHING},
             {"wrong-tag", wrong_tag, NOTHING},
             {"one-missing", one_missing, NOTHING},
             {"balanced", balanced, ALL},
             {"balanced-halo", balanced_halo, THE_ONE_BEFORE},
             {"computing", computing, NOTHING},
             {"broadcasts", broadcasts, NOTHING},
             {"pairs", pairs, THE_PARTNER},
             {"late-leaf-of-reduce", late_leaf_of_reduce, NOTHING},
             {"late-in-half", late_in_half, NOTHING},
             {"late-row", late_row, ALL},
             {"late-to-nonblocking", late_to_nonblocking, ALL},
             {"late-neighbour", late_neighbour, NOTHING},
             {"late-in-graph", late_in_graph, NOTHING},
             {"late-to-persistent", late_to_persistent, NOTHING},
             {"late-to-fence", late_to_fence, NOTHING},
             {"late-to-epoch", late_to_epoch, NOTHING},
             {"late-to-file", late_to_file, NOTHING},
             {"stop-before-halo", stop_before_halo, NOTHING},
             {"barriers", barriers, NOTHING},
             {"splits", splits, NOTHING},
             {"windows", windows, NOTHING},
             {"eager", eager, NOTHING},
             {"polling", polling, NOTHING},
             {"flushes", flushes, NOTHING},
             {"own-file", own_file, NOTHING},
             {"half-work", half_work, ALL},
             {"roles", roles, NOTHING},
             {"late-and-exchange", late_and_exchange, ALL},
             {"fitting-threads", fitting_threads, NOTHING},
             {"new-threads", new_threads, NOTHING},
             {"bound", spinning, NOTHING},
             {"unreceived", unreceived, NOTHING},
             {"one-missing-in-wait", one_missing_in_wait, NOTHING},
             {"all-to-all", exchange, ALL},
             {"reductions", reductions, NOTHING},
             {"gathers", gathers, NOTHING},
             {"scatters", scatters, NOTHING},
             {"halves", halves, NOTHING},
             {"tree", tree, NOTHING},
             {"overlapped", overlapped, NOTHING},
             {"overlapped-sum", overlapped_sum, NOTHING},
             {"persistent", persistent, NOTHING},
             {"graph-neighbours", graph_neighbours, NOTHING},
             {"probes", probes, NOTHING},
             {"neighbours", neighbours, NOTHING},
             {"grid-halo", grid_halo, NOTHING},
             {"puts-and-fence", puts_and_fence, NOTHING},
             {"put-and-flush", put_and_flush, NOTHING},
             {"log-file", log_file, NOTHING},
             {"few-communicators", few_communicators, NOTHING},
             {"no-calls", without_calls, NOTHING},
             {"late-init", waits_at_ends, NOTHING},
             {"late-finalize", waits_at_ends, NOTHING}};

static double *of_all(double *own, int number) {
  double *all = malloc((size_t)number * (size_t)ranks * sizeof(double));
  MPI_Gather(own, number, MPI_DOUBLE, all, number, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return all;
}

static double most(const double *values, size_t number, size_t apart) {
  double found = 0;
  for (size_t i = 0; i < number; i++) found = values[i * apart] > found ? values[i * apart] : found;
  return found;
}

/* The rank that a step depends on, if it is one other rank. */
static int needed(enum needs needs, int of) {
  if (needs == THE_PARTNER) return (of ^ 1) < ranks ? of ^ 1 : of;
  return (of + ranks - 1) % ranks;
}

/* Waiting time: until the rank that was waited for had arrived, and at most the time in the call. */
static double waited(double last, double came, double went) {
  double seconds = (last < went ? last : went) - came;
  return seconds > 0 ? seconds : 0;
}

/* Replay the steps on a network with zero transfer time: each rank computes for as long as it did, and goes on when the
 * ranks that it depends on have arrived. */
static void tell_truth(enum needs needs, double seconds) {
  double *b = of_all(began, steps), *e = of_all(entered, steps), *l = of_all(left, steps), *first = of_all(at_start, 2);
  double longest, ideal = 0, waiting = 0;
  size_t n = (size_t)steps, number = (size_t)ranks;
  MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    double *at = calloc(number, sizeof(double)), *come = calloc(number, sizeof(double));
    double *useful = calloc(number, sizeof(double)), last = most(first, number, 2);
    for (size_t r = 0; r < number && needs == ALL; r++) waiting += waited(last, first[2 * r], first[2 * r + 1]);
    for (size_t i = 0; i < n; i++) {
      last = most(e + i, number, n);
      for (size_t r = 0; r < number; r++) {
        double computed = e[r * n + i] - b[r * n + i];
        useful[r] += computed;
        if (needs == A_CHAIN && r && come[r - 1] > at[r]) at[r] = come[r - 1];
        come[r] = at[r] + computed;
      }
      for (size_t r = 0; r < number; r++) {
        size_t other = (size_t)needed(needs, (int)r);
        double on = needs == ALL ? last : e[other * n + i];
        waiting += waited(on, e[r * n + i], l[r * n + i]);
        at[r] = needs == ALL || needs == A_CHAIN ? most(come, number, 1)
                : come[other] > come[r]          ? come[other]
                                                 : come[r];
      }
    }
    ideal = most(at, number, 1);
    printf("{\"truth\": 1, \"serialisation\": %.4f, \"transfer\": %.4f", most(useful, number, 1) / ideal,
           ideal / longest);
    /* (Senders of large messages wait, too.) */
    if (needs == ALL || (needs != A_CHAIN && bytes <= 1024))
      printf(", \"%s\": %.4f", needs == ALL ? "collectives" : "messages", waiting);
    printf("}\n");
    free(at), free(come), free(useful);
  }
  free(b), free(e), free(l), free(first);
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
  if (!strcmp(mode->name, "bound")) bind_to_one();
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  out = calloc((size_t)bytes + 8, (size_t)ranks + 1);
  in = calloc((size_t)bytes + 8, (size_t)ranks + 1);
  began = calloc((size_t)steps, sizeof(double));
  entered = calloc((size_t)steps, sizeof(double));
  left = calloc((size_t)steps, sizeof(double));
  at_start[0] = now();
  if (strcmp(mode->name, "no-calls")) MPI_Barrier(MPI_COMM_WORLD);
  at_start[1] = now();
  for (int i = 0; i < steps; i++) {
    current = i;
    mode->step(i);
    left[i] = now();
  }
  double seconds = now() - at_start[1];
  if (mode->needs != NOTHING) tell_truth(mode->needs, seconds);
  if (!strcmp(mode->name, "late-finalize") && rank == 1) rest(2.5);
  MPI_Finalize();
  return 0;
}
