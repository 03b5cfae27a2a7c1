// Error handlers: which one is called, with which object and error, and how often.
#include <stdio.h>
#include <string.h>

#include "transcript.h"

static MPI_Comm copy;
static int calls;

static void say_error(const char *handler, const char *object, int code) {
  int class;
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_class(code, &class);
  MPI_Error_string(class, text, &length);
  say("%s, call %d: %s, %d, class %d: %s", handler, ++calls, object, without_mark(code), class, text);
}

static const char *which(MPI_Comm comm) {
  return comm == MPI_COMM_WORLD ? "world" : comm == MPI_COMM_SELF ? "self" : comm == copy ? "the copy" : "another";
}
static void first(MPI_Comm *comm, int *code, ...) { say_error("first", which(*comm), *code); }
// A handler may communicate.
static void second(MPI_Comm *comm, int *code, ...) {
  int sum = 0;
  say_error("second", which(*comm), *code);
  MPI_Allreduce(&(int){5}, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  say("sum in the handler: %d", sum);
}
static void of_window(MPI_Win *win, int *code, ...) {
  say_error("window's", *win == MPI_WIN_NULL ? "null" : "a window", *code);
}
static void of_file(MPI_File *file, int *code, ...) {
  say_error("file's", *file == MPI_FILE_NULL ? "null" : "a file", *code);
}

static void say_handler(const char *what, MPI_Comm comm, MPI_Errhandler expected) {
  MPI_Errhandler handler;
  TRY(MPI_Comm_get_errhandler(comm, &handler));
  say("%s: expected %d, fatal %d, return %d", what, handler == expected, handler == MPI_ERRORS_ARE_FATAL,
      handler == MPI_ERRORS_RETURN);
  if (handler != MPI_ERRORS_ARE_FATAL && handler != MPI_ERRORS_RETURN) MPI_Errhandler_free(&handler);
}

static void of_communicators(void) {
  MPI_Errhandler one, two;
  MPI_Request request;
  MPI_Comm child;
  int data[10] = {0}, room[10], size;
  TRY(MPI_Comm_create_errhandler(first, &one));
  TRY(MPI_Comm_create_errhandler(second, &two));
  TRY(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  say_handler("inherited", copy, one);
  TRY(MPI_Comm_set_errhandler(copy, one));
  say_handler("set", copy, one);
  TRY(MPI_Send(data, 1, MPI_INT, 99, 0, copy));
  TRY(MPI_Irecv(room, -1, MPI_INT, 0, 0, copy, &request));
  TRY(MPI_Bcast(data, 1, MPI_INT, 99, copy));
  TRY(MPI_Comm_dup(copy, &child));
  say_handler("child", child, one);
  TRY(MPI_Send(data, 1, MPI_INT, 99, 0, child));
  TRY(MPI_Comm_set_errhandler(child, two));
  TRY(MPI_Errhandler_free(&two));  // the communicator keeps it
  say("null: %d", two == MPI_ERRHANDLER_NULL);
  TRY(MPI_Send(data, 1, MPI_INT, 99, 0, child));
  // MPICH returns MPI_SUCCESS when a handler has returned: nobody may take the arguments for valid then.
  TRY(MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 0, child));
  TRY(MPI_Bcast(data, 1, MPI_DATATYPE_NULL, 0, child));
  TRY(MPI_Irecv(room, 1, MPI_DATATYPE_NULL, 0, 0, child, &request));
  TRY(MPI_Comm_call_errhandler(child, MPI_ERR_TAG));
  TRY(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_TAG));

  TRY(MPI_Comm_set_errhandler(child, MPI_ERRORS_ARE_FATAL));
  say_handler("fatal", child, one);
  TRY(MPI_Comm_free(&child));
  TRY(MPI_Comm_free(&copy));

  // Errors of no communicator belong to the world or to self.
  TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, one));
  TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, one));
  TRY(MPI_Barrier(MPI_COMM_NULL));
  TRY(MPI_Type_size(MPI_DATATYPE_NULL, &size));
  TRY(MPI_Group_rank(MPI_GROUP_NULL, &size));
  TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  TRY(MPI_Errhandler_free(&one));
}

static void of_others(void) {
  MPI_Errhandler handler;
  MPI_Win win;
  MPI_File file;
  static int data[4];
  TRY(MPI_Win_create_errhandler(of_window, &handler));
  TRY(MPI_Win_create(data, sizeof data, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  TRY(MPI_Win_set_errhandler(win, handler));
  TRY(MPI_Errhandler_free(&handler));
  TRY(MPI_Win_fence(0, win));
  TRY(MPI_Put(data, 1, MPI_INT, 99, 0, 1, MPI_INT, win));
  TRY(MPI_Win_fence(0, win));
  TRY(MPI_Win_call_errhandler(win, MPI_ERR_RMA_SYNC));
  TRY(MPI_Win_free(&win));
  TRY(MPI_File_create_errhandler(of_file, &handler));
  TRY(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
  TRY(MPI_File_open(MPI_COMM_SELF, "missing", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  TRY(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  TRY(MPI_Errhandler_free(&handler));
}

// What a constructor that fails leaves in the program's variable: null, or what was there before. MPICH returns
// MPI_SUCCESS when a handler has returned, so nobody may take that for a handle.
static MPI_Comm comm_before;
static MPI_Win win_before;
static MPI_File file_before;

#define FAIL(made, before, null, call)                                                        \
  do {                                                                                        \
    memset(&(made), 0x5a, sizeof(made));                                                      \
    memset(&(before), 0x5a, sizeof(before));                                                  \
    TRY(call);                                                                                \
    say("is %s", (made) == (null) ? "null" : (made) == (before) ? "as it was" : "something"); \
  } while (0)
#define FAIL_COMM(call) FAIL(comm, comm_before, MPI_COMM_NULL, call)

static int refuse(MPI_Comm old, int keyval, void *extra, void *in, void *out, int *flag) {
  (void)old, (void)keyval, (void)extra, (void)in, (void)out;
  *flag = 0;
  return MPI_ERR_OTHER;
}

static void of_constructors(void) {
  MPI_Errhandler handler, of_files;
  MPI_Comm comm, W;
  MPI_Win win;
  MPI_File file;
  MPI_Request request;
  int keyval;
  static int data[4];
  TRY(MPI_Comm_dup(MPI_COMM_WORLD, &W));
  TRY(MPI_Comm_create_errhandler(first, &handler));
  TRY(MPI_Comm_set_errhandler(W, handler));
  TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
  TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler));
  TRY(MPI_Errhandler_free(&handler));
  FAIL_COMM(MPI_Cart_create(W, 1, (int[]){99}, (int[]){0}, 0, &comm));
  FAIL_COMM(MPI_Cart_sub(W, (int[]){1}, &comm));
  FAIL_COMM(MPI_Graph_create(MPI_COMM_NULL, 1, (int[]){0}, (int[]){0}, 0, &comm));
  FAIL_COMM(MPI_Dist_graph_create(W, -1, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
  FAIL_COMM(
      MPI_Dist_graph_create_adjacent(W, -1, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
  FAIL_COMM(MPI_Comm_create(W, MPI_GROUP_NULL, &comm));
  FAIL_COMM(MPI_Comm_create_group(W, MPI_GROUP_NULL, 1, &comm));
  FAIL_COMM(MPI_Comm_split(W, -3, 0, &comm));
  FAIL_COMM(MPI_Comm_split(W, MPI_UNDEFINED, 0, &comm));  // no failure
  FAIL_COMM(MPI_Comm_split_type(MPI_COMM_NULL, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm));
  FAIL_COMM(MPI_Intercomm_create(W, 99, W, 1, 0, &comm));
  FAIL_COMM(MPI_Comm_dup(MPI_COMM_NULL, &comm));
  FAIL_COMM(MPI_Comm_idup(MPI_COMM_NULL, &comm, &request));
  TRY(MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &keyval, NULL));
  TRY(MPI_Comm_set_attr(W, keyval, NULL));
  FAIL_COMM(MPI_Comm_dup(W, &comm));
  TRY(MPI_Comm_delete_attr(W, keyval));
  TRY(MPI_Comm_free_keyval(&keyval));
  FAIL(win, win_before, MPI_WIN_NULL, MPI_Win_create(data, -1, 1, MPI_INFO_NULL, W, &win));
  FAIL(win, win_before, MPI_WIN_NULL, MPI_Win_create(data, 4, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win));
  TRY(MPI_File_create_errhandler(of_file, &of_files));
  TRY(MPI_File_set_errhandler(MPI_FILE_NULL, of_files));
  FAIL(file, file_before, MPI_FILE_NULL, MPI_File_open(W, "missing", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  TRY(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  TRY(MPI_Errhandler_free(&of_files));
  TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  // What comes next on the same communicator is named as if nothing had been tried.
  TRY(MPI_Comm_split(W, rank, 0, &comm));
  TRY(MPI_Comm_free(&comm));
  TRY(MPI_Comm_free(&W));
}

// Error codes of the program's own.
static void own_codes(void) {
  int class, code, length, *last, flag;
  char text[MPI_MAX_ERROR_STRING];
  TRY(MPI_Add_error_class(&class));
  TRY(MPI_Add_error_code(class, &code));
  TRY(MPI_Add_error_string(code, "our own error"));
  TRY(MPI_Error_string(code, text, &length));
  say("own: class %d, code %d, '%s'", class, code, text);
  TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
  say("last %d", *last);
  TRY(MPI_Comm_call_errhandler(MPI_COMM_SELF, code));
}

void handlers(void) {
  of_communicators();
  of_others();
  of_constructors();
  own_codes();
}
