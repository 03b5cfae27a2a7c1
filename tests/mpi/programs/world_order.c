// MPI_COMM_WORLD in another order: everything that a program can do with its handle has to agree on that order.
//
// The arguments are the new ranks, by the rank that the launcher gives. Each check that fails is a line on stderr, and
// the exit status is 1.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int PMPI_Comm_rank(MPI_Comm comm, int *rank);

static int failures, rank, size, launcher_rank;
static int *order;  // by launcher's rank

static void check(int fine, const char *what) {
  if (fine) return;
  fprintf(stderr, "rank %d, launched as %d: %s\n", rank, launcher_rank, what);
  failures++;
}

static int number_of(const char *first, const char *second) {
  const char *value = getenv(first) ? getenv(first) : getenv(second);
  return value ? atoi(value) : -1;
}

static void messages(void) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size, got = -1, all[64], i;
  MPI_Status status;
  MPI_Request request;
  MPI_Sendrecv(&launcher_rank, 1, MPI_INT, next, 5, &got, 1, MPI_INT, before, 5, MPI_COMM_WORLD, &status);
  check(order[got] == before && status.MPI_SOURCE == before, "message from another rank");
  MPI_Send_init(&rank, 1, MPI_INT, next, 6, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  check(got == before && status.MPI_SOURCE == before, "message from any source");
  MPI_Allgather(&launcher_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (i = 0; i < size; i++) check(order[all[i]] == i, "gathered in another order");
  got = rank == 1 ? 17 : 0;
  MPI_Ibcast(&got, 1, MPI_INT, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(got == 17, "another root");
}

static void groups(void) {
  MPI_Group group, self, two;
  int members[2] = {1, 0}, translated[2], mine, zero = 0, there, result;
  MPI_Comm part, dup;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Group_rank(group, &mine);
  check(mine == rank, "group of the world");
  MPI_Comm_group(MPI_COMM_SELF, &self);
  MPI_Group_translate_ranks(self, 1, &zero, group, &there);
  check(there == rank, "self in the group of the world");
  MPI_Group_incl(group, 2, members, &two);
  MPI_Comm_create(MPI_COMM_WORLD, two, &part);
  check((part != MPI_COMM_NULL) == (rank < 2), "members of a part");
  if (part != MPI_COMM_NULL) {
    MPI_Comm_rank(part, &mine);
    check(mine == 1 - rank, "rank in a part");
    MPI_Comm_free(&part);
  }
  MPI_Group_translate_ranks(two, 2, members, group, translated);
  check(translated[0] == 0 && translated[1] == 1, "translated ranks");
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
  check(result == MPI_IDENT, "the world is itself");
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_compare(dup, MPI_COMM_WORLD, &result);
  check(result == MPI_CONGRUENT, "a duplicate is congruent");
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &result);
  check(result == (size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL), "the world is not self");
  MPI_Comm_free(&dup);
#ifndef MPI_ABI_VERSION  // which has them in a separate library
  check(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD, "to Fortran and back");
#endif
  MPI_Group_free(&two);
  MPI_Group_free(&self);
  MPI_Group_free(&group);
}

static int copies, deletions;

static int copy(MPI_Comm comm, int keyval, void *extra, void *value, void *copied, int *flag) {
  check(comm == MPI_COMM_WORLD && extra == &copies, "attribute is copied from the world");
  copies++;
  *(void **)copied = value;
  *flag = 1;
  return MPI_SUCCESS;
}

static int of_world(MPI_Comm comm, int keyval, void *value, void *extra) {
  if (comm == MPI_COMM_WORLD && extra == &copies) deletions++;
  return MPI_SUCCESS;
}

static int of_self(MPI_Comm comm, int keyval, void *value, void *extra) {
  int now;
  MPI_Comm_rank(MPI_COMM_WORLD, &now);
  check(now == rank, "rank in MPI_Finalize");
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_SUCCESS;
}

static void attributes(void) {
  int keyval, other, found, *value, thing;
  MPI_Comm dup;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found);
  check(found && *value >= 32767, "MPI_TAG_UB");
  MPI_Comm_create_keyval(copy, of_world, &keyval, &copies);
  MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &found);
  check(!found, "no attribute yet");
  MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &thing);
  MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &found);
  check(found && value == &thing, "attribute of the world");
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_get_attr(dup, keyval, &value, &found);
  check(copies == 1 && found && value == &thing, "attribute of the duplicate");
  MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
  check(deletions == 1, "attribute is deleted from the world");
  MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &found);
  check(!found, "no attribute any more");
  MPI_Comm_free(&dup);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, of_self, &other, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, other, NULL);
}

static int errors;

static void handle(MPI_Comm *comm, int *code, ...) {
  check(*comm == MPI_COMM_WORLD, "error on the world");
  errors++;
}

static void error_handlers(void) {
  MPI_Errhandler handler, before, now;
  int one = 1;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  check(before == MPI_ERRORS_ARE_FATAL, "handler that the world begins with");
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
  check(now == handler, "handler of the world");
  MPI_Errhandler_free(&now);
  MPI_Send(&one, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  check(errors == 1, "error of a call");
  MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
  check(errors == 2, "error of the program's own");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
  MPI_Errhandler_free(&handler);
  MPI_Errhandler_free(&before);
}

static int calls_of_many, calls_with_world;

static void one_of_many(MPI_Comm *comm) {
  int mine = -1;
  MPI_Comm_rank(*comm, &mine);
  check(mine == rank, "rank in a handler");
  calls_with_world += *comm == MPI_COMM_WORLD;
  calls_of_many++;
}

#define TEN(define, tens)                                                                                         \
  define(tens##0) define(tens##1) define(tens##2) define(tens##3) define(tens##4) define(tens##5) define(tens##6) \
      define(tens##7) define(tens##8) define(tens##9)
#define FORTY(define) TEN(define, 1) TEN(define, 2) TEN(define, 3) TEN(define, 4)
#define HANDLER(number) \
  static void handle##number(MPI_Comm *comm, int *code, ...) { one_of_many(comm); }
FORTY(HANDLER)
#define NAME(number) handle##number,
static void (*many[])(MPI_Comm *, int *, ...) = {FORTY(NAME)};

// More functions than Rankwise has room for: the last ones get another handle of the same communicator.
static void many_error_handlers(void) {
  enum { count = sizeof many / sizeof *many };
  MPI_Errhandler handlers[count], before;
  int i;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  for (i = 0; i < count; i++) MPI_Comm_create_errhandler(many[i], &handlers[i]);
  for (i = 0; i < count; i++) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handlers[i]);
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    check(calls_of_many == i + 1, "each handler is called");
  }
  check(calls_with_world >= 31, "the first 32 handlers get the world");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
  for (i = 0; i < count; i++) MPI_Errhandler_free(&handlers[i]);
  MPI_Errhandler_free(&before);
}

static void names(void) {
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  check(strcmp(name, "MPI_COMM_WORLD") == 0, "name of the world");
}

static void constructors(void) {
  int dims[1] = {size}, periods[1] = {1}, mine, one, source, destination, degree = 1, weight = 1;
  int next = (rank + 1) % size;
  MPI_Comm grid, graph, half, inter, shared;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
  MPI_Comm_rank(grid, &mine);
  MPI_Cart_shift(grid, 0, 1, &source, &destination);
  check(mine == rank && destination == next, "grid");
  MPI_Comm_free(&grid);
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &next, &weight, MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_neighbors(graph, 1, &source, &weight, 1, &destination, &one);
  check(destination == next, "graph");
  MPI_Comm_free(&graph);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_rank(half, &mine);
  MPI_Comm_size(half, &one);
  check(mine == one - 1 - rank / 2, "split");
  // The local leader is a rank of the half, the remote one a rank in the world.
  MPI_Intercomm_create(half, one - 1, MPI_COMM_WORLD, 1 - rank % 2, 3, &inter);
  MPI_Comm_remote_size(inter, &one);
  check(one == (rank % 2 ? (size + 1) / 2 : size / 2), "intercommunicator");
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared);
  MPI_Comm_rank(shared, &mine);
  check(mine == rank, "processes of the node");
  MPI_Comm_free(&shared);
}

static void windows_and_files(const char *path) {
  static int held = -1;  // (not on the stack: MPICH 4.0.2 does not put there)
  int next = (rank + 1) % size, before = (rank + size - 1) % size, mine, got, position = 0, bytes;
  char packed[64];
  MPI_Win window;
  MPI_Group group;
  MPI_File file;
  MPI_Win_create(&held, sizeof held, sizeof held, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  check(held == before, "window");
  MPI_Win_get_group(window, &group);
  MPI_Group_rank(group, &mine);
  check(mine == rank, "group of a window");
  MPI_Group_free(&group);
  MPI_Win_free(&window);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_write_ordered(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(file, (MPI_Offset)sizeof rank * next, &got, 1, MPI_INT, MPI_STATUS_IGNORE);
  check(got == next, "file");
  MPI_File_close(&file);
  MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &bytes);
  MPI_Pack(&rank, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
  check(position <= bytes, "packed bytes");
  position = 0;
  MPI_Unpack(packed, sizeof packed, &position, &got, 1, MPI_INT, MPI_COMM_WORLD);
  check(got == rank, "packed and unpacked");
}

static void other_ways(void) {
  int mine = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &mine);
  check(mine == rank, "PMPI_Comm_rank");
  void *symbol = dlsym(RTLD_DEFAULT, "MPI_Comm_rank");
  if (symbol) ((int (*)(MPI_Comm, int *))symbol)(MPI_COMM_WORLD, &mine);
  check(mine == rank, "MPI_Comm_rank that was looked up");
}

static void sessions(void) {
#if MPI_VERSION >= 4
  MPI_Session session;
  MPI_Group group;
  int mine;
  if (getenv("WITHOUT_SESSIONS")) return;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Group_rank(group, &mine);
  check(mine == rank, "mpi://WORLD");
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
#endif
}

int main(int argc, char **argv) {
  int i;
  MPI_Init(&argc, &argv);
  order = malloc(sizeof(int) * argc);
  for (i = 2; i < argc; i++) order[i - 2] = atoi(argv[i]);
  launcher_rank = number_of("OMPI_COMM_WORLD_RANK", "PMI_RANK");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(size == argc - 2, "size of the world");
  check(launcher_rank >= 0 && launcher_rank < size && rank == order[launcher_rank], "rank in the world");
  if (!failures) {
    messages();
    groups();
    attributes();
    error_handlers();
    many_error_handlers();
    names();
    constructors();
    windows_and_files(argv[1]);
    other_ways();
    sessions();
  }
  MPI_Finalize();
  if (!failures && rank == 0) puts("all as expected");
  return failures != 0;
}
