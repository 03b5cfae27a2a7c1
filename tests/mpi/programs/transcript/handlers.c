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
  own_codes();
}
