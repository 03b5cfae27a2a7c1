#pragma once

// Of at least one time.
typedef struct {
  double min, median, p95, mean, std;
} Statistics;

// Sorts the times.
Statistics statistics_of(double *times, int count);
