// Plants slow pairs among those of 40 ranks on two nodes, spread over the ranks of this job, and prints what the
// latency probe suspects: FIRST SECOND TIMES_SLOWER. With an argument, one pair in 20 is slow.
#include <mpi.h>
#include <stdio.h>

#include "suspects.h"

enum { RANKS = 40, NODES = 2, PAIRS = RANKS * (RANKS - 1) / 2 };

static Record *add(Records *records, int first, int second, float latency) {
  Record *record = records_add(records, first, second);
  float noise = 1 + 0.001F * (float)((first * 7 + second * 13) % 21 - 10);
  record->sizes[0] = (Sized){.repeats = 1, .median = latency * noise, .forward = 0.F / 0.F, .backward = 0.F / 0.F};
  record->sizes[1] = (Sized){.repeats = 1, .median = latency * noise, .forward = 1000 * noise, .backward = 1000};
  return record;
}

static void plant_few(Record *record) {
  int pair = (int)(record->first * 100 + record->second);
  if (pair == 1) record->sizes[0].median *= 2;       // inside a node
  if (pair == 330) record->sizes[1].median *= 5;     // between nodes
  if (pair == 539) record->sizes[1].backward /= 10;  // likewise
  if (pair == 712) record->sizes[0].median *= 1.2F;  // not slow enough
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, node[RANKS];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < RANKS; i++) node[i] = i / (RANKS / NODES);
  Shape shape;
  Records pairs;
  if (!shape_make(&shape, RANKS, node) || !records_make(&pairs, 2, PAIRS)) return 1;
  for (int first = rank; first < RANKS; first += ranks)
    for (int second = first + 1; second < RANKS; second++) {
      Record *record = add(&pairs, first, second, node[first] == node[second] ? 1 : 10);
      if (argc == 1)
        plant_few(record);
      else if ((first + second) % 20 == 0)
        record->sizes[0].median *= 3;
    }
  Suspect suspects[MOST_SUSPECTS];
  int count = suspects_find(&pairs, &shape, suspects);
  for (int i = 0; i < count && rank == ranks - 1; i++)
    printf("%d %d %f\n", suspects[i].first, suspects[i].second, suspects[i].times_slower);
  MPI_Finalize();
  return 0;
}
