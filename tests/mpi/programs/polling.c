// Polling calls, each kind on a communicator of its own, with the program's own clock beside them. Prints lines
// NAME RANK CALLS SECONDS LONGEST: those of the calls, or of a loop that does nothing else (then LONGEST is the
// loop's). NAME is that of the communicator.
//
//   hidden    many short calls, and a few in which the library is kept busy for milliseconds (booked on none)
//   moments   the program works for microseconds between the calls
//   naps      the program sleeps for milliseconds between the calls
//   loop      MPI_Test and nothing else
//   copy      with the argument "copy", alone: MPI_Testall until large messages have come and gone; 2 ranks
//
// With the argument "crowd", alone; for more ranks than there are processors:
//
//   spin      MPI_Test and nothing else for a second
//   work      the program works for a millisecond of processor time after some hundred polls
//   rest      it sleeps for two

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SHORT = 20000, LONG = 30, EVERY = SHORT / LONG, LONG_US = 3000, INSTANT_NS = 300 };
enum { MOMENTS = 20000, MOMENT_NS = 2000, NAPS = 30, NAP_US = 3000 };
enum { IN_BURST = 500, BURSTS = 100, WORK_NS = 1000000, REST_US = 2000 };
enum { IN_LOOP = 20000, LARGE = 8 << 20, ROUNDS = 60 };

static int rank;
static MPI_Comm comm;  // of the calls that are measured

static double read_clock(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static double now(void) { return read_clock(CLOCK_MONOTONIC); }

static void nap(long us) { nanosleep(&(struct timespec){0, us * 1000}, NULL); }

static void begin(const char *name, int round) {
  char text[64];
  snprintf(text, sizeof text, "%s%d", name, round);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_name(comm, text);
}

static void end(int calls, double seconds, double longest) {
  char text[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Comm_get_name(comm, text, &length);
  printf("%s %d %d %.9f %.9f\n", text, rank, calls, seconds, longest);
  MPI_Comm_free(&comm);
}

// What a library asks when it finds a request of the program's own complete: inside of the polling call.
static int query(void *us, MPI_Status *status) {
  nap(*(long *)us);
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int release(void *state) { return state == NULL; }
static int cancel(void *state, int complete) { return state == NULL && complete; }

static double now_and_then(int i) {
  static long us = LONG_US;
  static MPI_Request request;
  int flag;
  if (i % EVERY == 0) MPI_Grequest_start(query, release, cancel, &us, &request);
  if (i % EVERY == EVERY - 1) MPI_Grequest_complete(request);
  const double start = now();
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  return now() - start;
}

static double probed(void) {
  int flag;
  const double start = now();
  MPI_Iprobe(0, 2, comm, &flag, MPI_STATUS_IGNORE);
  return now() - start;
}

// Without it, some of the calls would follow each other at once, and others not.
static double then_an_instant(int i) {
  const double taken = now_and_then(i);
  for (const double until = now() + INSTANT_NS * 1e-9; now() < until;) continue;
  return taken;
}

static double then_a_moment(int i) {
  const double taken = probed();
  for (const double until = now() + MOMENT_NS * 1e-9; now() < until;) i++;
  return taken;
}

static double then_a_nap(int i) {
  const double taken = probed();
  nap(NAP_US + i % 2);
  return taken;
}

static void each(const char *name, int calls, double (*poll)(int i)) {
  double seconds = 0, longest = 0;
  begin(name, 0);
  for (int i = 0; i < calls; i++) {
    const double taken = poll(i);
    if (taken > longest) longest = taken;
    seconds += taken;
  }
  end(calls, seconds, longest);
}

static void loop(int round) {
  int in, out = 1, flag;
  MPI_Request request;
  begin("loop", round);
  MPI_Irecv(&in, 1, MPI_INT, rank, 1, comm, &request);
  MPI_Barrier(comm);
  const double start = now();
  for (int i = 0; i < IN_LOOP; i++) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  const double seconds = now() - start;
  MPI_Send(&out, 1, MPI_INT, rank, 1, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  end(IN_LOOP, seconds, seconds);
}

static void copy(int round) {
  static char in[LARGE], out[LARGE];
  int calls = 0, flag = 0;
  MPI_Request requests[2];
  begin("copy", round);
  MPI_Irecv(in, LARGE, MPI_CHAR, rank ^ 1, 3, comm, &requests[0]);
  MPI_Isend(out, LARGE, MPI_CHAR, rank ^ 1, 3, comm, &requests[1]);
  const double start = now();
  for (; !flag; calls++) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  const double seconds = now() - start;
  end(calls, seconds, seconds);
}

static double burst(MPI_Request *request) {
  int flag;
  const double start = now();
  for (int i = 0; i < IN_BURST; i++) MPI_Test(request, &flag, MPI_STATUS_IGNORE);
  return now() - start;
}

static void work(void) {
  const double until = read_clock(CLOCK_THREAD_CPUTIME_ID) + WORK_NS * 1e-9;
  while (read_clock(CLOCK_THREAD_CPUTIME_ID) < until) continue;
}
static void rest(void) { nap(REST_US); }

// Polls that find nothing: with something between each two bursts, or with nothing for a second.
static void in_bursts(const char *name, void (*between)(void)) {
  int in, out = 1, bursts = 0;
  double seconds = 0;
  MPI_Request request;
  begin(name, 0);
  MPI_Irecv(&in, 1, MPI_INT, rank, 1, comm, &request);
  MPI_Barrier(comm);
  const double start = now();
  for (; between ? bursts < BURSTS : seconds < 1; bursts++) {
    const double taken = burst(&request);
    seconds = between ? seconds + taken : now() - start;
    if (between) between();
  }
  MPI_Send(&out, 1, MPI_INT, rank, 1, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  end(bursts * IN_BURST, seconds, seconds);
}

static void crowd(void) {
  in_bursts("spin", NULL);
  in_bursts("work", work);
  in_bursts("rest", rest);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int exchange = argc > 1 && !strcmp(argv[1], "copy");
  const int crowded = argc > 1 && !strcmp(argv[1], "crowd");
  if (crowded) crowd();
  if (!exchange && !crowded) {
    each("hidden", SHORT, then_an_instant);
    each("moments", MOMENTS, then_a_moment);
    each("naps", NAPS, then_a_nap);
  }
  for (int round = 0; round < ROUNDS && !crowded; round++) (exchange ? copy : loop)(round);
  MPI_Finalize();
  return 0;
}
