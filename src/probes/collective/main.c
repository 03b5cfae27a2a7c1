// Times the algorithms of collectives, all of them in one job. `rankwise tune` starts this program in place of the
// user's program, with DIRECTORY SECONDS. It reports what the library offers (about.h), then takes batches (batch.h):
// it waits for the files batch.0, batch.1, ... of DIRECTORY, and answers with times.0, times.1, ... (tryout.h). It ends
// when there is a file `stop`, or when no batch has arrived for so many seconds.
//
// Made by: mpicc -std=gnu11 -O2 -o collective *.c ../common/*.c -lm
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../common/clock.h"
#include "../common/failure.h"
#include "../common/waiting.h"
#include "../common/whole_file.h"
#include "about.h"
#include "batch.h"
#include "tryout.h"

enum { NAP_NS = 2000000 };

static bool is_there(const char *path) { return access(path, F_OK) == 0; }

// False if there will be none.
static bool wait_for_batch(const char *directory, const char *path, double limit_us) {
  char stop[4096];
  snprintf(stop, sizeof stop, "%s/stop", directory);
  for (double start = now_us(); !is_there(path);) {
    if (is_there(stop) || now_us() - start > limit_us) return false;
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
  }
  return true;
}

// The file's text, for the caller to free; NULL if it can't be read.
static char *read_file(const char *path) {
  struct stat status;
  FILE *file = fopen(path, "r");
  char *text = NULL;
  if (file && fstat(fileno(file), &status) == 0) {
    text = needed((size_t)status.st_size + 1);
    if (fread(text, 1, (size_t)status.st_size, file) != (size_t)status.st_size) {
      free(text);
      text = NULL;
    }
  }
  if (file) fclose(file);
  return text;
}

// Rank 0's text on every rank.
static char *spread(char *text) {
  int rank, bytes = text ? (int)strlen(text) + 1 : 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(&bytes, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (bytes == 0) return NULL;
  if (rank != 0) text = needed((size_t)bytes);
  MPI_Bcast(text, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

static void answer(const char *directory, int number, char *text, char *line) {
  Batch batch;
  batch_read(&batch, text, line);
  if (!failure_anywhere(directory, line)) {
    Text times = {0};
    tryout(&batch, directory, number, &times, line);
    char name[32];
    snprintf(name, sizeof name, "times.%d", number);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && !line[0] && !whole_file_write(directory, name, times.characters, times.length))
      snprintf(line, LINE, "cannot write %.300s/%s: %.100s", directory, name, strerror(errno));
    text_free(&times);
  }
  batch_free(&batch);
}

static int serve(const char *directory, double limit_us) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int number = 0;; number++) {
    char path[4096], line[LINE] = "";
    snprintf(path, sizeof path, "%s/batch.%d", directory, number);
    bool ends = rank == 0 && !wait_for_batch(directory, path, limit_us);
    if (wait_for_everybody(ends, rank != 0)) return 0;
    char *text = spread(rank == 0 ? read_file(path) : NULL);
    if (text)
      answer(directory, number, text, line);
    else
      snprintf(line, LINE, "cannot read %.300s", path);
    free(text);
    if (failure_anywhere(directory, line)) return STATUS_OF_FAILURE;
  }
}

static int run(int argc, char **argv) {
  char line[LINE] = "";
  const char *directory = argc > 1 ? argv[1] : ".";
  double limit_us = argc > 2 ? strtod(argv[2], NULL) * 1e6 : 0;
  if (argc != 3 || !(limit_us > 0)) snprintf(line, LINE, "two words are needed: DIRECTORY SECONDS");
  if (failure_anywhere(directory, line)) return STATUS_OF_FAILURE;
  about_write(directory, line);
  if (failure_anywhere(directory, line)) return STATUS_OF_FAILURE;
  return serve(directory, limit_us);
}

int main(int argc, char **argv) {
  int provided;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Init(&argc, &argv);
  int status = run(argc, argv);
  MPI_T_finalize();
  MPI_Finalize();
  return status;
}
