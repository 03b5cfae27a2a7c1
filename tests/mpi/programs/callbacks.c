// MPI calls of the program's own callbacks, each kind on a communicator of its own, and many in MPI_Finalize. Two
// ranks; the argument is the path of a file to be written. Prints how often its reduction was called.
// tests/mpi/test_callbacks.py has the figures.
#pragma GCC optimize("O2")  // a callback may end with a jump to MPI, so that nothing of it is on the stack
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { BLOCK = 100, ROUNDS = 10, NAP_MS = 100 };

static int rank;
static const char *path;
static MPI_Comm copies, deletions, errors, requests, reductions, windows, files, inner;

static MPI_Comm named(const char *name) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_name(comm, name);
  return comm;
}

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out;
  MPI_Barrier(copies);
  *flag = 0;
  return MPI_SUCCESS;
}

// Waits for a message of the other rank, on a communicator that lives, and meets it on the one that is freed.
static int delete(MPI_Comm comm, int key, void *value, void *extra) {
  (void)key, (void)value, (void)extra;
  char data[8] = {0};
  if (rank == 1) {
    nanosleep(&(struct timespec){0, NAP_MS * 1000000L}, NULL);
    MPI_Send(data, 8, MPI_CHAR, 0, 1, deletions);
  } else {
    MPI_Recv(data, 8, MPI_CHAR, 1, 1, deletions, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(comm);
  return MPI_SUCCESS;
}

// Frees another one, whose callback is the one above: a callback of a callback's call.
static int delete_both(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)extra;
  MPI_Barrier(inner);
  MPI_Comm_free(value);
  MPI_Barrier(inner);
  return MPI_SUCCESS;
}

static void on_error(MPI_Comm *comm, int *code, ...) {
  (void)comm, (void)code;
  MPI_Barrier(errors);
}

static void on_file_error(MPI_File *file, int *code, ...) {
  (void)file, (void)code;
  MPI_Barrier(files);
}

static int query(void *state, MPI_Status *status) {
  int in, out = state != NULL;
  MPI_Sendrecv(&out, 1, MPI_INT, rank, 2, &in, 1, MPI_INT, rank, 2, requests, MPI_STATUS_IGNORE);
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int release(void *state) { return state == NULL; }
static int cancel(void *state, int complete) { return state == NULL && complete; }

static int reduced;

// What it calls must not communicate.
static void reduce(void *in, void *inout, int *count, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *count; i++) ((int *)inout)[i] += ((int *)in)[i];
  MPI_Comm_set_name(reductions, "reductions");
  reduced++;
}

static int delete_window(MPI_Win window, int key, void *value, void *extra) {
  (void)key, (void)value, (void)extra;
  MPI_Win_set_name(window, "deleted");
  return MPI_Barrier(windows);
}

// In MPI_Finalize.
static int delete_last(MPI_Comm self, int key, void *value, void *extra) {
  (void)self, (void)key, (void)value, (void)extra;
  int sum, one = 1;
  for (int i = 0; i < ROUNDS; i++) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_File file;
  static char block[BLOCK];
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * BLOCK, block, BLOCK, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Comm dup, reversed;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Barrier(dup);
  MPI_Comm_free(&dup);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  if (rank == 1) MPI_Send(block, 3, MPI_CHAR, 1, 3, reversed);
  if (rank == 0) MPI_Recv(block, 3, MPI_CHAR, 0, 3, reversed, MPI_STATUS_IGNORE);
  MPI_Comm_free(&reversed);
  return MPI_SUCCESS;
}

static void with_attributes(void) {
  int copying, deleting, both;
  MPI_Comm first, second, third;
  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &copying, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete, &deleting, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_both, &both, NULL);
  copies = named("copies");
  deletions = named("deletions");
  inner = named("inner");
  MPI_Comm_set_attr(copies, copying, NULL);
  MPI_Comm_dup(copies, &first);
  MPI_Comm_free(&first);
  second = named("second");
  MPI_Comm_set_attr(second, deleting, NULL);
  MPI_Comm_free(&second);
  second = named("second");
  third = named("third");
  MPI_Comm_set_attr(second, deleting, NULL);
  MPI_Comm_set_attr(third, both, &second);
  MPI_Comm_free(&third);
}

static void with_errors(void) {
  char data = 0;
  MPI_Errhandler handler;
  MPI_Comm wrong = named("wrong");
  errors = named("errors");
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(wrong, handler);
  MPI_Send(&data, 1, MPI_CHAR, 99, 0, wrong);
  MPI_File file;
  files = named("files");
  MPI_File_create_errhandler(on_file_error, &handler);
  MPI_File_set_errhandler(MPI_FILE_NULL, handler);
  MPI_File_open(MPI_COMM_WORLD, "/no/such/directory/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
}

static void with_the_rest(void) {
  requests = named("requests");
  MPI_Request request;
  MPI_Grequest_start(query, release, cancel, &request, &request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  reductions = named("reductions");
  int sum, one = 1;
  MPI_Op op;
  MPI_Op_create(reduce, 1, &op);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, op, reductions);
  windows = named("windows");
  int key;
  MPI_Win window;
  MPI_Win_create(&one, sizeof one, 1, MPI_INFO_NULL, windows, &window);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_window, &key, NULL);
  MPI_Win_set_attr(window, key, NULL);
  MPI_Win_free(&window);
}

int main(int argc, char **argv) {
  int key;
  path = argc > 1 ? argv[1] : "callbacks.data";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  with_attributes();
  with_errors();
  with_the_rest();
  printf("reduced %d %d\n", rank, reduced);
  fflush(stdout);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_last, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
