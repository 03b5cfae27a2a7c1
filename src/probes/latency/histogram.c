#include "histogram.h"

#include <mpi.h>
#include <string.h>

#include "blocking.h"

// The bits of a float, without the lower ones of its fraction, increase by one from bin to bin.
enum { DROPPED_BITS = 17, SMALLEST = (127 - 20) << (23 - DROPPED_BITS) };

int histogram_bin(float value) {
  int32_t bits;
  memcpy(&bits, &value, sizeof bits);
  int bin = (int)(bits >> DROPPED_BITS) - SMALLEST;
  return bin < 0 ? 0 : bin < BINS ? bin : BINS - 1;
}

static float middle_of(int bin) {
  int32_t bits = ((bin + SMALLEST) << DROPPED_BITS) + (1 << (DROPPED_BITS - 1));
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

void histogram_add(Histogram *histogram, float value) { histogram->counts[histogram_bin(value)]++; }

void histogram_sum(Histogram *histogram) {
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, histogram->counts, BINS, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
  blocking_wait(&request, true, MPI_STATUS_IGNORE);
}

int64_t histogram_total(const Histogram *histogram) {
  int64_t total = 0;
  for (int bin = 0; bin < BINS; bin++) total += histogram->counts[bin];
  return total;
}

double histogram_median(const Histogram *histogram) {
  int64_t total = histogram_total(histogram), seen = 0;
  for (int bin = 0; bin < BINS; bin++) {
    seen += histogram->counts[bin];
    if (total > 0 && 2 * seen >= total) return (double)middle_of(bin);
  }
  return 0;
}

int histogram_bin_of_largest(const Histogram *histogram, int64_t most) {
  int64_t seen = 0;
  for (int bin = BINS - 1; bin > 0; bin--) {
    seen += histogram->counts[bin];
    if (seen >= most) return bin;
  }
  return 0;
}
