// A program that ends in some way, told as argument. Two ranks; each appends to said.RANK what it comes past.
// tests/mpi/test_ends.py compares a run under Rankwise with runs without.
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000 };

static int rank;
static FILE *said;

static void say(const char *text) {
  fprintf(said, "%s\n", text);
  fflush(said);
}

static void at_exit(void) { say("at exit"); }

static void on_signal(int number) {
  say("signal handler");
  _exit(20 + number);
}

static void exits(MPI_Comm *comm, int *code, ...) {
  (void)comm, (void)code;
  say("error handler");
  exit(9);
}

static void aborts(MPI_Comm *comm, int *code, ...) {
  (void)code;
  say("error handler");
  MPI_Abort(*comm, 5);
}

static void set_handler(MPI_Comm_errhandler_function *function) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(function, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
}

static void send_to_nobody(void) { MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_WORLD); }

// A launcher may kill the others when one ends so: the guilty rank goes first.
static void wait_for_the_guilty(void) {
  struct stat status;
  for (int ms = 0; ms < PATIENCE_MS && !(stat("said.1", &status) == 0 && status.st_size > (off_t)sizeof "here"); ms++) {
    usleep(1000);
  }
}

static int end(const char *way) {
#define IS(name) (strcmp(way, name) == 0)
  const int guilty = rank == 1;
  if (IS("exit without MPI_Finalize")) {
    if (!guilty) wait_for_the_guilty();
    exit(0);
  }
  if (IS("status of one")) {
    MPI_Finalize();
    return guilty ? 3 : 0;
  }
  if (IS("MPI_Finalize twice")) {
    MPI_Finalize();
    MPI_Finalize();
    return 0;
  }
  if (IS("call behind MPI_Finalize")) {
    MPI_Finalize();
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
  }
  if (guilty) {
    if (IS("MPI_Abort")) MPI_Abort(MPI_COMM_WORLD, 7);
    if (IS("MPI_Abort of self")) MPI_Abort(MPI_COMM_SELF, 7);
    if (IS("_exit")) _exit(4);
    if (IS("abort")) abort();
    if (IS("SIGKILL")) raise(SIGKILL);
    if (IS("SIGTERM")) raise(SIGTERM);
    if (IS("SIGSEGV")) *(volatile int *volatile)NULL = 1;
    if (IS("caught SIGUSR1")) {
      signal(SIGUSR1, on_signal);
      raise(SIGUSR1);
    }
    if (IS("fatal error")) send_to_nobody();
    if (IS("handler exits")) {
      set_handler(exits);
      send_to_nobody();
    }
    if (IS("handler aborts")) {
      set_handler(aborts);
      send_to_nobody();
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  if (strcmp(argv[1], "call before MPI_Init") == 0) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char name[20];
  snprintf(name, sizeof name, "said.%d", rank);
  said = fopen(name, "w");
  if (said == NULL) return 1;
  atexit(at_exit);
  MPI_Barrier(MPI_COMM_WORLD);
  say("here");
  return end(argv[1]);
}
