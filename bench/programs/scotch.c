/* Places the ranks of a graph with Scotch's default strategy: scotch GRAPH RESULT tree ARITY DISTANCE [ARITY DISTANCE
 * ...], the outermost level first, or scotch GRAPH RESULT torus LENGTH [LENGTH ...]. GRAPH is 32-bit numbers: vertices,
 * entries, row begins, entries, weights. */
#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <scotch.h>

#include "placing.h"

static SCOTCH_Num *numbers(FILE *file, size_t count) {
  SCOTCH_Num *read = malloc((count + 1) * sizeof *read);
  if (!read) fail("no memory");
  for (size_t i = 0; i < count; i++) {
    int32_t number;
    if (fread(&number, sizeof number, 1, file) != 1) fail("the graph is too short");
    read[i] = number;
  }
  return read;
}

static int make_tree(SCOTCH_Arch *machine, char **words, int count) {
  SCOTCH_Num arity[MOST_LEVELS], distance[MOST_LEVELS];
  for (int level = 0; level < count / 2; level++) {
    arity[level] = atoi(words[2 * level]);
    distance[level] = atoi(words[2 * level + 1]);
  }
  return SCOTCH_archTleaf(machine, count / 2, arity, distance);
}

static int make_torus(SCOTCH_Arch *machine, char **words, int count) {
  SCOTCH_Num length[MOST_LEVELS];
  for (int axis = 0; axis < count; axis++) length[axis] = atoi(words[axis]);
  return SCOTCH_archTorusX(machine, count, length);
}

int main(int argc, char **argv) {
  program_name = "scotch";
  if (argc < 5) fail("wrong arguments");
  const int count = argc - 4, is_torus = strcmp(argv[3], "torus") == 0;
  if (count / (is_torus ? 1 : 2) > MOST_LEVELS) fail("wrong arguments");
  const long before = memory("VmRSS:");
  FILE *file = fopen(argv[1], "rb");
  if (!file) fail("can't read the graph");
  SCOTCH_Num *sizes = numbers(file, 2);
  const SCOTCH_Num vertices = sizes[0], entries = sizes[1];
  SCOTCH_Num *begin = numbers(file, (size_t)vertices + 1);
  SCOTCH_Num *adjacent = numbers(file, (size_t)entries);
  SCOTCH_Num *weight = numbers(file, (size_t)entries);
  SCOTCH_Num *slot = malloc((size_t)vertices * sizeof *slot);
  fclose(file);
  if (!slot) fail("no memory");

  const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
  SCOTCH_Graph graph;
  SCOTCH_Arch machine;
  SCOTCH_Strat strategy;
  SCOTCH_graphInit(&graph);
  SCOTCH_archInit(&machine);
  SCOTCH_stratInit(&strategy);
  if (SCOTCH_graphBuild(&graph, 0, vertices, begin, NULL, NULL, NULL, entries, adjacent, weight) != 0 ||
      (is_torus ? make_torus : make_tree)(&machine, argv + 4, count) != 0 ||
      SCOTCH_graphMap(&graph, &machine, &strategy, slot) != 0)
    fail("Scotch reports an error");
  printf("{\"cpu\": %.6f, \"wall\": %.6f, \"kb\": %ld}\n", seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu,
         seconds(CLOCK_MONOTONIC) - wall, memory("VmHWM:") - before);

  file = fopen(argv[2], "wb");
  if (!file) fail("can't write the result");
  for (SCOTCH_Num i = 0; i < vertices; i++) {
    const int32_t number = (int32_t)slot[i];
    if (fwrite(&number, sizeof number, 1, file) != 1) fail("can't write the result");
  }
  if (fclose(file) != 0) fail("can't write the result");
  return 0;
}
