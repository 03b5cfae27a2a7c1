// Prints all that a program can see of MPI's answers, in errors above all, and its environment. Two ranks, each line
// with its rank in front; rank 1 prints to rank1.txt, because launchers mix the ranks' lines. Ends with status 17.
// tests/mpi/test_transparency.py compares the run under Rankwise with the run without.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static int rank;
static char data[1000], room[1000];

// Classes, not codes: codes of MPICH also number the error.
static void say(const char *what, int code) {
  int class = -1;
  MPI_Error_class(code, &class);
  printf("%d %s: class %d\n", rank, what, class);
}
#define TRY(call) say(#call, call)

static void say_status(const char *what, const MPI_Status *status) {
  int count, cancelled, elements;
  MPI_Get_count(status, MPI_INT, &count);
  MPI_Get_elements(status, MPI_BYTE, &elements);
  MPI_Test_cancelled(status, &cancelled);
  printf("%d %s: source %d tag %d ints %d bytes %d cancelled %d\n", rank, what, status->MPI_SOURCE, status->MPI_TAG,
         count, elements, cancelled);
}

static void invalid_arguments(void) {
  const MPI_Comm W = MPI_COMM_WORLD;
  MPI_Comm none = MPI_COMM_NULL, new;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  TRY(MPI_Send(data, 1, MPI_INT, 99, 1, W));
  TRY(MPI_Send(data, -1, MPI_INT, 0, 1, W));
  TRY(MPI_Send(data, 1, MPI_INT, 0, -5, W));
  TRY(MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 1, W));
  TRY(MPI_Send(data, 1, MPI_INT, 0, 1, none));
  TRY(MPI_Isend(data, 1, MPI_INT, 99, 1, W, &request));
  TRY(MPI_Irecv(room, -1, MPI_INT, 0, 1, W, &request));
  TRY(MPI_Recv(room, 1, MPI_INT, 99, 1, W, &status));
  TRY(MPI_Recv(room, 1, MPI_INT, 0, 1, none, MPI_STATUS_IGNORE));
  TRY(MPI_Sendrecv(data, 1, MPI_INT, 99, 1, room, 1, MPI_INT, 0, 1, W, &status));
  TRY(MPI_Probe(99, 1, W, &status));
  TRY(MPI_Bcast(data, 1, MPI_INT, 99, W));
  TRY(MPI_Bcast(data, -1, MPI_INT, 0, W));
  TRY(MPI_Bcast(data, 1, MPI_INT, 0, none));
  TRY(MPI_Reduce(data, room, 1, MPI_INT, MPI_SUM, -7, W));
  TRY(MPI_Allreduce(data, room, 1, MPI_INT, MPI_OP_NULL, W));
  TRY(MPI_Allreduce(data, room, 1, MPI_INT, MPI_SUM, none));
  TRY(MPI_Barrier(none));
  TRY(MPI_Gather(data, 1, MPI_INT, room, 1, MPI_INT, 99, W));
  TRY(MPI_Allgather(data, 1, MPI_DATATYPE_NULL, room, 1, MPI_INT, W));
  TRY(MPI_Alltoall(data, 1, MPI_INT, room, 1, MPI_INT, none));
  TRY(MPI_Ibarrier(none, &request));
#ifndef MPI_ABI_VERSION  // MPICH's layer of the standard ABI looks at the request before MPI can refuse it
  MPI_Request *volatile no_requests = NULL;  // volatile, so that the compiler does not know
  TRY(MPI_Wait(no_requests, &status));
  TRY(MPI_Waitall(2, no_requests, MPI_STATUSES_IGNORE));
  TRY(MPI_Request_free(no_requests));
#endif
  TRY(MPI_Comm_dup(none, &new));
  TRY(MPI_Comm_split(none, 0, 0, &new));
  TRY(MPI_Comm_split(W, -3, 0, &new));
  TRY(MPI_Comm_free(&none));
  TRY(MPI_Comm_set_name(none, "name"));
  TRY(MPI_Cart_create(W, 1, (int[]){99}, (int[]){0}, 0, &new));
  TRY(MPI_Waitall(-1, &request, MPI_STATUSES_IGNORE));
  TRY(MPI_Comm_rank(none, &(int){0}));
}

static void statuses(void) {
  const MPI_Comm W = MPI_COMM_WORLD;
  MPI_Status status, several[3];
  MPI_Request requests[3];
  if (rank == 0) {
    for (int i = 0; i < 3; i++) MPI_Send(data, 20 * (i + 1), MPI_BYTE, 1, i, W);
    for (int i = 0; i < 3; i++) MPI_Send(data, 10, MPI_INT, 1, 10 + i, W);
    for (int i = 0; i < 3; i++) MPI_Send(data, 10, MPI_INT, 1, 20 + i, W);
    return;
  }
  MPI_Recv(room, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &status);
  say_status("Recv", &status);
  say("Recv too short", MPI_Recv(room, 1, MPI_INT, 0, 1, W, &status));
  MPI_Probe(0, MPI_ANY_TAG, W, &status);
  say_status("Probe", &status);
  MPI_Recv(room, 1000, MPI_BYTE, 0, 2, W, &status);
  say_status("Recv", &status);
  MPI_Recv(room, 10, MPI_INT, MPI_PROC_NULL, 2, W, &status);
  say_status("Recv of nobody", &status);
  requests[0] = MPI_REQUEST_NULL;
  MPI_Wait(&requests[0], &status);
  say_status("Wait for nothing", &status);

  // The last of three has too little room; libraries needn't look at those behind an error.
  memset(several, 0, sizeof several);
  for (int i = 0; i < 3; i++) MPI_Irecv(room + 100 * i, i == 2 ? 1 : 20, MPI_INT, 0, 10 + i, W, &requests[i]);
  say("Waitall", MPI_Waitall(3, requests, several));
  for (int i = 0; i < 3; i++) say("one of Waitall", several[i].MPI_ERROR);
  for (int i = 0; i < 3; i++) printf("%d request is null: %d\n", rank, requests[i] == MPI_REQUEST_NULL);
  say_status("first of Waitall", &several[0]);
  say_status("second of Waitall", &several[1]);
  for (int i = 0; i < 3; i++) MPI_Irecv(room + 100 * i, 20, MPI_INT, 0, 20 + i, W, &requests[i]);
  int index;
  for (int i = 0; i < 3; i++) {
    memset(&status, 0, sizeof status);
    MPI_Waitany(3, requests, &index, &status);
    if (index == 1) say_status("Waitany", &status);
  }
}

// What Rankwise doesn't record must work all the same.
static void persistent(void) {
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Send_init(data, 5, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(room, 50, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 3; i++) {
    MPI_Startall(2, requests);
    MPI_Wait(&requests[1], &status);
    say_status("persistent", &status);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    printf("%d persistent is null: %d\n", rank, requests[0] == MPI_REQUEST_NULL);
  }
  for (int i = 0; i < 2; i++) MPI_Request_free(&requests[i]);
}

static void communicators(void) {
  MPI_Comm copy, part, cart;
  int result, length;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &part);
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
  printf("%d same: %d\n", rank, result == MPI_IDENT);
  MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
  printf("%d dup: %d\n", rank, result == MPI_CONGRUENT);
  MPI_Comm_compare(MPI_COMM_WORLD, part, &result);
  printf("%d reverse: %d\n", rank, result == MPI_SIMILAR);
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &result);
  printf("%d self: %d\n", rank, result == MPI_UNEQUAL);
  MPI_Comm_get_name(copy, name, &length);
  printf("%d name of the copy: '%s'\n", rank, name);
  MPI_Comm_set_name(part, "a name");
  MPI_Comm_get_name(part, name, &length);
  printf("%d name of the part: '%s'\n", rank, name);
  MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){2}, (int[]){1}, 1, &cart);
  MPI_Topo_test(cart, &result);
  printf("%d cart: %d\n", rank, result == MPI_CART);
  MPI_Comm_free(&cart);
  printf("%d freed is null: %d\n", rank, cart == MPI_COMM_NULL);
  MPI_Comm_free(&part);
  MPI_Comm_free(&copy);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1 && freopen("rank1.txt", "w", stdout) == NULL) return 1;
  // Errors without a communicator belong to MPI_COMM_SELF since MPI 4.0, to MPI_COMM_WORLD before.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (int i = 0; i < argc; i++) printf("%d argument %d: %s\n", rank, i, argv[i]);
  invalid_arguments();
  statuses();
  persistent();
  communicators();
  for (char **variable = environ; *variable != NULL; variable++) printf("%d env %s\n", rank, *variable);
  fprintf(stderr, "standard error of rank %d\n", rank);
  MPI_Finalize();
  return 17;
}
