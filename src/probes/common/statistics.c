#include "statistics.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return a < b ? -1 : a > b;
}

// Interpolates between two times if the position is fractional.
static double quantile(const double *sorted, int count, double share) {
  double place = share * (count - 1);
  int below = (int)place;
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below] + (place - below) * (sorted[below + 1] - sorted[below]);
}

Statistics statistics_of(double *times, int count) {
  qsort(times, (size_t)count, sizeof *times, ascending);
  double sum = 0, squares = 0;
  for (int i = 0; i < count; i++) sum += times[i];
  double mean = sum / count;
  for (int i = 0; i < count; i++) squares += (times[i] - mean) * (times[i] - mean);
  return (Statistics){
      .min = times[0],
      .median = quantile(times, count, 0.5),
      .p95 = quantile(times, count, 0.95),
      .mean = mean,
      .std = count > 1 ? sqrt(squares / (count - 1)) : 0,
  };
}
