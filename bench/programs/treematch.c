/* Places the ranks of a graph with TreeMatch, which is part of a plugin of Open MPI 4:
 * treematch LIBMPI PLUGIN GRAPH RESULT (padded | constraints) ARITY DISTANCE [ARITY DISTANCE ...], the outermost level
 * first. GRAPH is as for scotch.c. TreeMatch needs as many ranks as slots, or a list of the slots to use:
 * `padded` adds ranks that are silent, `constraints` names the first slots, as many as there are ranks. */
#define _POSIX_C_SOURCE 200809L

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "placing.h"

/* The part of TreeMatch's solution that is read here. */
struct solution {
  int *sigma; /* the slot of each rank */
  size_t ranks;
};

static struct {
  void *(*topology)(int *arity, double *cost, int levels, int *numbering, int cores);
  int (*constrain)(int *slots, int count, void *topology);
  void (*optimize)(void **topology);
  void *(*affinity)(double **matrix, int order);
  void *(*tree)(void *topology, void *affinity, double *object_weight, double *speed);
  struct solution *(*mapping)(void *topology, void *tree);
  void (*threads)(unsigned most);
} treematch;

static int32_t *numbers(FILE *file, size_t count) {
  int32_t *read = malloc((count + 1) * sizeof *read);
  if (!read) fail("no memory");
  if (fread(read, sizeof *read, count, file) != count) fail("the graph is too short");
  return read;
}

static void find(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  if (!found) fail(dlerror());
  memcpy(function, &found, sizeof found);
}

static void load(const char *mpi, const char *plugin) {
  if (!dlopen(mpi, RTLD_LAZY | RTLD_GLOBAL)) fail(dlerror());
  void *library = dlopen(plugin, RTLD_LAZY);
  if (!library) fail(dlerror());
  find(library, "tm_build_synthetic_topology", &treematch.topology);
  find(library, "tm_topology_set_binding_constraints", &treematch.constrain);
  find(library, "tm_optimize_topology", &treematch.optimize);
  find(library, "tm_build_affinity_mat", &treematch.affinity);
  find(library, "tm_build_tree_from_topology", &treematch.tree);
  find(library, "tm_compute_mapping", &treematch.mapping);
  find(library, "tm_set_max_nb_threads", &treematch.threads);
}

/* TreeMatch accepts only a full matrix of pairs. */
static double **matrix_of(int ranks, int order, const int32_t *begin, const int32_t *adjacent, const int32_t *weight) {
  double **matrix = malloc((size_t)order * sizeof *matrix);
  if (!matrix) fail("no memory");
  for (int row = 0; row < order; row++) {
    matrix[row] = calloc((size_t)order, sizeof **matrix);
    if (!matrix[row]) fail("no memory");
    for (int32_t i = row < ranks ? begin[row] : 0; row < ranks && i < begin[row + 1]; i++)
      matrix[row][adjacent[i]] += weight[i];
  }
  return matrix;
}

int main(int argc, char **argv) {
  program_name = "treematch";
  const int levels = (argc - 6) / 2;
  if (argc < 8 || levels >= MOST_LEVELS) fail("wrong arguments");
  const int is_padded = strcmp(argv[5], "padded") == 0;
  int arity[MOST_LEVELS] = {0}, slots = 1, first_core = 0;
  double distance[MOST_LEVELS] = {0};
  for (int level = 0; level < levels; level++) {
    arity[level] = atoi(argv[6 + 2 * level]);
    distance[level] = atoi(argv[7 + 2 * level]);
    slots *= arity[level];
  }
  load(argv[1], argv[2]);
  treematch.threads(1);
  const long before = memory("VmRSS:");
  FILE *file = fopen(argv[3], "rb");
  if (!file) fail("can't read the graph");
  const int32_t *sizes = numbers(file, 2);
  const int ranks = sizes[0];
  const int32_t *begin = numbers(file, (size_t)ranks + 1), *adjacent = numbers(file, (size_t)sizes[1]);
  const int32_t *weight = numbers(file, (size_t)sizes[1]);
  fclose(file);
  if (ranks > slots) fail("more ranks than slots");

  /* Its output would be mixed with our numbers. */
  fflush(stdout);
  const int order = is_padded ? slots : ranks;
  double **matrix = matrix_of(ranks, order, begin, adjacent, weight);
  const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
  void *topology = treematch.topology(arity, distance, levels + 1, &first_core, 1);
  if (!is_padded) {
    int *allowed = malloc((size_t)ranks * sizeof *allowed);
    if (!allowed) fail("no memory");
    for (int i = 0; i < ranks; i++) allowed[i] = i;
    if (!treematch.constrain(allowed, ranks, topology)) fail("the constraints are refused");
  }
  treematch.optimize(&topology);
  void *affinity = treematch.affinity(matrix, order);
  void *tree = treematch.tree(topology, affinity, NULL, NULL);
  const struct solution *solution = treematch.mapping(topology, tree);
  printf("{\"cpu\": %.6f, \"wall\": %.6f, \"kb\": %ld}\n", seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu,
         seconds(CLOCK_MONOTONIC) - wall, memory("VmHWM:") - before);

  file = fopen(argv[4], "wb");
  if (!file) fail("can't write the result");
  for (int i = 0; i < ranks; i++) {
    const int32_t number = solution->sigma[i];
    if (fwrite(&number, sizeof number, 1, file) != 1) fail("can't write the result");
  }
  if (fclose(file) != 0) fail("can't write the result");
  return 0;
}
