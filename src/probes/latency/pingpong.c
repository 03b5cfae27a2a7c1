#include "pingpong.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "../common/clock.h"
#include "../common/statistics.h"
#include "blocking.h"
#include "window.h"

enum { PING = 1, ENOUGH };  // tags

enum {
  WARM_UPS = 3,
  WARM_UP_US = 20000,
  BATCH = 10,          // round trips between two checks of the smallest time
  STABLE_BATCHES = 2,  // in which the smallest time must not have improved by more than
  STABLE_PERCENT = 1,
  SENDS_TIMED = 10,
};

// A slow network gets fewer repeats: no more after this time, if this many were done.
enum { LONG_US = 50000, ENOUGH_FOR_LONG = 10, TOO_LONG_US = 500000, ENOUGH_FOR_TOO_LONG = 3 };

bool pingpong_make(Pingpong *pingpong, const Options *options, bool yields) {
  const int *sizes = options->sizes, count = options->count;
  size_t largest = sizeof(Window), received = sizeof(Window);
  for (int i = 0; i < count; i++) {
    size_t size = (size_t)sizes[i], window = size * (size_t)window_length(sizes[i], 0);
    if (size > largest) largest = size;
    if (window > received) received = window;
  }
  if (largest > received) received = largest;
  *pingpong = (Pingpong){
      .sizes = sizes, .count = count, .repeats = options->repeats, .is_exact = options->is_exact, .yields = yields};
  pingpong->out = malloc(largest);
  pingpong->in = malloc(received);
  pingpong->times = malloc((size_t)options->repeats * sizeof(double));
  if (!pingpong->out || !pingpong->in || !pingpong->times) {
    pingpong_free(pingpong);
    return false;
  }
  // A page that was never written costs a fault in the first message, and may be one page for all addresses.
  memset(pingpong->out, 1, largest);
  memset(pingpong->in, 1, received);
  return true;
}

void pingpong_free(Pingpong *pingpong) {
  free(pingpong->out);
  free(pingpong->in);
  free(pingpong->times);
  *pingpong = (Pingpong){0};
}

static void send(const Pingpong *pingpong, int size, int partner) {
  blocking_send(pingpong->out, size, partner, PING, pingpong->yields);
}

static void receive(const Pingpong *pingpong, int size, int partner) {
  blocking_receive(pingpong->in, size, partner, PING, pingpong->yields, MPI_STATUS_IGNORE);
}

static double round_trip(const Pingpong *pingpong, int size, int partner) {
  double start = now_us();
  send(pingpong, size, partner);
  receive(pingpong, size, partner);
  return now_us() - start;
}

static bool is_enough(int done, double elapsed_us) {
  return (elapsed_us >= LONG_US && done >= ENOUGH_FOR_LONG) ||
         (elapsed_us >= TOO_LONG_US && done >= ENOUGH_FOR_TOO_LONG);
}

// Round trips until the smallest time stops falling, or an exact number. Returns the number.
static int measure(const Pingpong *pingpong, int size, int partner) {
  double start = now_us();
  for (int i = 0; i < WARM_UPS && now_us() - start < WARM_UP_US; i++) round_trip(pingpong, size, partner);

  double smallest = INFINITY, reference = INFINITY;
  int done = 0, stable = 0;
  start = now_us();
  while (done < pingpong->repeats &&
         (pingpong->is_exact || (stable < STABLE_BATCHES && !is_enough(done, now_us() - start)))) {
    double time = round_trip(pingpong, size, partner);
    pingpong->times[done++] = time / 2;
    if (time < smallest) smallest = time;
    if (done % BATCH != 0) continue;
    bool is_stable = smallest >= reference * (1 - STABLE_PERCENT / 100.0);
    stable = is_stable ? stable + 1 : 0;
    if (!is_stable) reference = smallest;
  }
  return done;
}

static double time_of_send(const Pingpong *pingpong, int size, int partner) {
  double smallest = INFINITY;
  for (int i = 0; i < SENDS_TIMED; i++) {
    double start = now_us();
    MPI_Send(pingpong->out, size, MPI_BYTE, partner, PING, MPI_COMM_WORLD);
    double time = now_us() - start;
    receive(pingpong, size, partner);
    if (time < smallest) smallest = time;
  }
  return smallest;
}

static int smallest_size(const Pingpong *pingpong) {
  int found = 0;
  for (int i = 1; i < pingpong->count; i++)
    if (pingpong->sizes[i] < pingpong->sizes[found]) found = i;
  return found;
}

void pingpong_lead(const Pingpong *pingpong, int partner, Record *record) {
  for (int i = 0; i < pingpong->count; i++) {
    int size = pingpong->sizes[i];
    int repeats = measure(pingpong, size, partner);
    Statistics found = statistics_of(pingpong->times, repeats);
    if (i == smallest_size(pingpong)) record->overhead = (float)time_of_send(pingpong, size, partner);

    Window window = window_for(size, found.median);
    MPI_Send(&window, sizeof window, MPI_BYTE, partner, ENOUGH, MPI_COMM_WORLD);
    Bandwidth bandwidth = window_lead(window, partner, pingpong->out, pingpong->in, pingpong->yields);
    record->sizes[i] = (Sized){
        .repeats = (uint32_t)repeats,
        .min = (float)found.min,
        .median = (float)found.median,
        .p95 = (float)found.p95,
        .mean = (float)found.mean,
        .std = (float)found.std,
        .forward = (float)bandwidth.forward,
        .backward = (float)bandwidth.backward,
    };
  }
}

// Sends everything back until the leader ends the series and requests a window size.
static Window echo(const Pingpong *pingpong, int size, int partner) {
  size_t space = (size_t)size > sizeof(Window) ? (size_t)size : sizeof(Window);
  for (;;) {
    MPI_Status status;
    blocking_receive(pingpong->in, (int)space, partner, MPI_ANY_TAG, pingpong->yields, &status);
    if (status.MPI_TAG == ENOUGH) break;
    send(pingpong, size, partner);
  }
  Window window;
  memcpy(&window, pingpong->in, sizeof window);
  return window;
}

void pingpong_follow(const Pingpong *pingpong, int partner) {
  for (int i = 0; i < pingpong->count; i++) {
    Window window = echo(pingpong, pingpong->sizes[i], partner);
    window_follow(window, partner, pingpong->out, pingpong->in, pingpong->yields);
  }
}
