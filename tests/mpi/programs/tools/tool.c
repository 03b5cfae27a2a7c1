// Another tool, as a shared library: counts MPI_Init, MPI_Send and what it is given in MPI_Pcontrol, and says so in
// MPI_Finalize, in the file tool.RANK.
// With -DNEXT it forwards to whoever comes behind it and wraps malloc, too; without, to the PMPI names, as the MPI
// standard has it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

static int inits, sends;
static double given;
static long allocations;

#ifdef NEXT
#define FORWARD(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void *__libc_malloc(size_t);
static void *(*real_malloc)(size_t);

__attribute__((constructor)) static void find_malloc(void) {
  real_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
}

void *malloc(size_t bytes) {
  __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
  return real_malloc != NULL ? real_malloc(bytes) : __libc_malloc(bytes);
}
#else
#define FORWARD(name) (P##name)
#endif

int MPI_Init(int *argc, char ***argv) {
  inits++;
  return FORWARD(MPI_Init)(argc, argv);
}

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  sends++;
  return FORWARD(MPI_Send)(buf, count, datatype, dest, tag, comm);
}

// As many numbers as the level, integers and reals in turn.
int MPI_Pcontrol(const int level, ...) {
  va_list arguments;
  va_start(arguments, level);
  for (int i = 0; i < level; i++) {
    const double number = i % 2 ? va_arg(arguments, double) : va_arg(arguments, int);
    given += (i + 1) * number;
  }
  va_end(arguments);
  return FORWARD(MPI_Pcontrol)(level);
}

int MPI_Finalize(void) {
  int rank;
  char name[20];
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "tool.%d", rank);
  FILE *file = fopen(name, "w");
  if (file != NULL) {
    fprintf(file, "%d %d %d %g\n", inits, sends, allocations > 0, given);
    fclose(file);
  }
  return FORWARD(MPI_Finalize)();
}
