#include "suspects.h"

#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../common/failure.h"
#include "histogram.h"

// The robust z-score of Iglewicz and Hoaglin (1993): the deviation from the median over 1.4826 times the median
// absolute deviation (MAD), which is the standard deviation for normally distributed values.
static const double STANDARD_OF_MAD = 1.4826, SMALLEST_SCORE = 5, SMALLEST_RATIO = 1.3;
static const double SMALLEST_SPREAD = 0.02;  // of the median: histograms do not resolve less

enum { LEAST_MOST = 8, SHARE = 100 };  // so many, or one of so many pairs

enum { TIME, FORWARD, BACKWARD, METRICS };

// Slow is large: bandwidth counts as time per byte. NaN if it was not measured.
static float slowness(const Sized *sized, int metric) {
  if (metric == TIME) return sized->median;
  return 1 / (metric == FORWARD ? sized->forward : sized->backward);
}

static bool is_inside(const Record *record, const Shape *shape) {
  return shape->node[record->first] == shape->node[record->second];
}

typedef struct {
  const Records *pairs;
  const Shape *shape;
  bool inside;
  int size;  // its place
  int metric;
} Class;

static bool value_of(const Class *class, int64_t place, float *value) {
  const Record *record = records_at(class->pairs, place);
  *value = slowness(&record->sizes[class->size], class->metric);
  return is_inside(record, class->shape) == class->inside && isfinite(*value);
}

// The median of the class over all ranks; with a `center`, the median of the distances from it.
static double median_of(const Class *class, double center) {
  Histogram *histogram = needed(sizeof *histogram);
  float value;
  for (int64_t place = 0; place < class->pairs->count; place++)
    if (value_of(class, place, &value)) histogram_add(histogram, fabsf(value - (float)center));
  histogram_sum(histogram);
  double median = histogram_median(histogram);
  free(histogram);
  return median;
}

// Raises the mark of each pair of this class that is far slower than the rest.
static void mark(const Class *class, float *times_slower) {
  double median = median_of(class, 0), spread = STANDARD_OF_MAD * median_of(class, median);
  spread = fmax(spread, SMALLEST_SPREAD * median);
  float value;
  for (int64_t place = 0; place < class->pairs->count; place++) {
    if (!value_of(class, place, &value) || median <= 0) continue;
    double ratio = value / median;
    if (ratio > SMALLEST_RATIO && (value - median) / spread > SMALLEST_SCORE)
      times_slower[place] = fmaxf(times_slower[place], (float)ratio);
  }
}

static void mark_all(const Records *pairs, const Shape *shape, float *times_slower) {
  for (int inside = 0; inside < 2; inside++)
    for (int size = 0; size < pairs->sizes; size++)
      for (int metric = 0; metric < METRICS; metric++)
        mark(&(Class){pairs, shape, inside != 0, size, metric}, times_slower);
}

static int worst_first(const void *left, const void *right) {
  const Suspect *a = left, *b = right;
  if (a->times_slower != b->times_slower) return a->times_slower > b->times_slower ? -1 : 1;
  if (a->first != b->first) return a->first < b->first ? -1 : 1;
  return a->second < b->second ? -1 : a->second > b->second;
}

// The worst of all ranks are in these bins of a histogram.
static int lowest_bin(const float *times_slower, int64_t count, int most) {
  Histogram *histogram = needed(sizeof *histogram);
  for (int64_t place = 0; place < count; place++)
    if (times_slower[place] > 0) histogram_add(histogram, times_slower[place]);
  histogram_sum(histogram);
  int bin = histogram_bin_of_largest(histogram, most);
  free(histogram);
  return bin;
}

// This rank's part of the worst. Returns the number.
static int choose(const Records *pairs, const float *times_slower, int most, Suspect *chosen) {
  int bin = lowest_bin(times_slower, pairs->count, most), count = 0;
  for (int64_t place = 0; place < pairs->count && count < most; place++) {
    const Record *record = records_at(pairs, place);
    if (times_slower[place] > 0 && histogram_bin(times_slower[place]) >= bin)
      chosen[count++] = (Suspect){(int)record->first, (int)record->second, times_slower[place]};
  }
  return count;
}

// Gathers the parts of all ranks, on all of them.
static int bring_together(const Suspect *mine, int count, int most, Suspect *suspects) {
  int ranks, total = 0, bytes = count * (int)sizeof *mine;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int *lengths = needed((size_t)ranks * sizeof(int)), *starts = needed((size_t)ranks * sizeof(int));
  MPI_Allgather(&bytes, 1, MPI_INT, lengths, 1, MPI_INT, MPI_COMM_WORLD);
  for (int rank = 0; rank < ranks; rank++) {
    starts[rank] = total;
    total += lengths[rank];
  }
  Suspect *all = needed((size_t)total);
  MPI_Allgatherv(mine, bytes, MPI_BYTE, all, lengths, starts, MPI_BYTE, MPI_COMM_WORLD);
  int found = total / (int)sizeof *all;
  qsort(all, (size_t)found, sizeof *all, worst_first);
  if (found > most) found = most;
  memcpy(suspects, all, (size_t)found * sizeof *all);
  free(all);
  free(starts);
  free(lengths);
  return found;
}

static int most_of(const Records *pairs) {
  int64_t total;
  MPI_Allreduce(&pairs->count, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  int64_t most = total / SHARE;
  return most < LEAST_MOST ? LEAST_MOST : most > MOST_SUSPECTS ? MOST_SUSPECTS : (int)most;
}

int suspects_find(const Records *pairs, const Shape *shape, Suspect *suspects) {
  float *times_slower = needed((size_t)pairs->count * sizeof(float));
  mark_all(pairs, shape, times_slower);
  Suspect mine[MOST_SUSPECTS];
  int most = most_of(pairs);
  int count = choose(pairs, times_slower, most, mine);
  free(times_slower);
  return bring_together(mine, count, most, suspects);
}
