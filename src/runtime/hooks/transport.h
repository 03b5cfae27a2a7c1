// The interface of a hook in the transport of an MPI library: that of Open MPI is openmpi_pml.h, those of MPICH are the
// source files of mpich/. The one that fits is found by trying.
#ifndef RANKWISE_HOOKS_TRANSPORT_H
#define RANKWISE_HOOKS_TRANSPORT_H

#include <cstddef>
#include <cstdint>

namespace rankwise::transports {

// What a hook may ask the MPI library.
struct Library {
  int (*largest_tag)();  // the value of MPI_TAG_UB; 0 if MPICH doesn't tell, nullptr in Open MPI
};

struct Transport {
  const char *name;    // in the counters file, see rankwise_header.transport
  std::uint32_t sees;  // rankwise_transport_sees

  // Before MPI is initialised: puts the hook in place. False if the library has no such transport.
  bool (*prepare)();

  // After that: whether the library uses this transport in this run.
  bool (*in_use)();

  // Checks that the library's inside is what we know. nullptr if the hook works; else why it doesn't.
  const char *(*start)(const Library &library);

  // Takes the hook out again, as far as possible: before MPI is closed, and if start() has failed.
  void (*stop)();
};

// So many a build may offer.
inline constexpr std::size_t most = 4;

// Of those given, the one that works is used from start() to stop(); the first is tried first. All of them are
// prepared. `RANKWISE_INSIDE=off` keeps all of them out.
void prepare(const Transport *const *offered, std::size_t count);
void start(const Library &library);
void stop();

// A hook has seen more than it promised.
void also_sees(std::uint32_t sees);

// A message contradicts what a hook takes for granted: nothing more is booked, and the profile says why.
void contradicted(const char *note);

}  // namespace rankwise::transports

#endif
