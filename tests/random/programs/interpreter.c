// Executes a rank's script: one MPI call a line, its arguments as numbers. Which calls there are, in which order and
// with which arguments is decided by ../generator; its file instructions.py names the arguments of each line.
//
//   interpreter DIRECTORY      runs DIRECTORY/RANK.script and writes DIRECTORY/RANK.calls
//
// RANK.calls holds what nobody can know before: how often a polling call was made, and over which pending requests.
// What is not to be counted is looked up by its PMPI name.
#define _GNU_SOURCE
#include "interpreter.h"

#include <dlfcn.h>
#include <string.h>

MPI_Comm comms[MOST];
MPI_Request pending[MOST];
char is_idle[MOST];
MPI_Datatype types[MOST];
static const char *word;  // the next argument
static int line_number;
static FILE *calls_made;

void fail(const char *text) {
  fprintf(stderr, "interpreter: line %d: %s\n", line_number, text);
  exit(3);
}

int number(void) {
  char *end;
  const long value = strtol(word, &end, 10);
  if (end == word) fail("an argument is missing");
  word = end;
  return (int)value;
}

List numbers(void) {
  List list = {.n = number()};
  if (list.n > LONGEST) fail("a list is too long");
  for (int i = 0; i < list.n; ++i) list.values[i] = number();
  return list;
}

void report(unsigned long long mask, long count) { fprintf(calls_made, "%d %llu %ld\n", line_number, mask, count); }

static const struct {
  const char *name;
  void (*run)(void);
} operations[] = {
#define OPERATION(name) {#name, run_##name},
    OPERATIONS(OPERATION)
#undef OPERATION
};

static void run_line(char *line) {
  char *space = strchr(line, ' ');
  if (space != NULL) *space = '\0';
  word = space == NULL ? "" : space + 1;
  for (size_t i = 0; i < sizeof operations / sizeof operations[0]; ++i) {
    if (strcmp(operations[i].name, line) == 0) {
      operations[i].run();
      return;
    }
  }
  fail(line);
}

static FILE *open_file(const char *directory, int rank, const char *suffix, const char *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%d.%s", directory, rank, suffix);
  FILE *file = fopen(path, mode);
  if (file == NULL) fail(path);
  return file;
}

// For what has a wrapper and is no part of the script.
#define UNSEEN(name) ((__typeof__(&name))dlsym(RTLD_DEFAULT, "P" #name))

int main(int argc, char **argv) {
  static char line[1 << 16];
  static char buffered[1 << 22];
  MPI_Init(&argc, &argv);
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  UNSEEN(MPI_Buffer_attach)(buffered, sizeof buffered);
  comms[0] = MPI_COMM_WORLD;
  comms[1] = MPI_COMM_SELF;
  for (int i = 2; i < MOST; ++i) comms[i] = MPI_COMM_NULL;
  for (int i = 0; i < MOST; ++i) pending[i] = MPI_REQUEST_NULL;
  if (argc < 2) fail("usage: interpreter DIRECTORY");
  FILE *script = open_file(argv[1], rank, "script", "r");
  calls_made = open_file(argv[1], rank, "calls", "w");
  while (fgets(line, sizeof line, script) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    run_line(line);
    ++line_number;
  }
  fclose(script);
  fclose(calls_made);
  void *detached;
  int size;
  UNSEEN(MPI_Buffer_detach)(&detached, &size);
  MPI_Finalize();
  return 0;
}
