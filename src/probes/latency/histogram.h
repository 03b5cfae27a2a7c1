// Quantiles of values that are distributed over all ranks, without gathering them.
#pragma once

#include <stdint.h>

// A bin is 1/64 of an octave: quantiles are accurate to 1 %. Values from 2^-20 to 2^44; others count as the nearest.
enum { BINS = 4096 };

typedef struct {
  int64_t counts[BINS];
} Histogram;

int histogram_bin(float value);
void histogram_add(Histogram *histogram, float value);  // a positive one

// Adds up the histograms of all ranks, which call it together.
void histogram_sum(Histogram *histogram);
int64_t histogram_total(const Histogram *histogram);

// The middle of the bin that holds the median; 0 if there are no values.
double histogram_median(const Histogram *histogram);

// The lowest bin such that it and those above hold at most `most` values, or one bin more.
int histogram_bin_of_largest(const Histogram *histogram, int64_t most);
