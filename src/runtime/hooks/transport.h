// The interface of a hook in the transport of an MPI library: openmpi_pml.h for Open MPI, the source files of mpich/
// for MPICH. Each hook is tried to find out whether it fits.
#ifndef RANKWISE_HOOKS_TRANSPORT_H
#define RANKWISE_HOOKS_TRANSPORT_H

#include <cstddef>
#include <cstdint>

namespace rankwise::transports {

// The properties of the MPI library that a hook may query.
struct Library {
  int (*largest_tag)();  // the value of MPI_TAG_UB; 0 if MPICH doesn't report it, nullptr in Open MPI
};

struct Transport {
  const char *name;    // in the counters file, see rankwise_header.transport
  std::uint32_t sees;  // rankwise_transport_sees

  // Before MPI is initialised: puts the hook in place. False if the library has no such transport.
  bool (*prepare)();

  // After that: whether the library uses this transport in this run.
  bool (*in_use)();

  // Checks that the library's internals match our assumptions. nullptr if the hook works; else the reason.
  const char *(*start)(const Library &library);

  // Takes the hook out again, as far as possible: before MPI is closed, and if start() has failed.
  void (*stop)();
};

// The maximum number in a build.
inline constexpr std::size_t most = 4;

// Of the given hooks, the working one is used from start() to stop(); the first is tried first. All of them are
// prepared. `RANKWISE_INSIDE=off` disables all of them.
void prepare(const Transport *const *offered, std::size_t count);
void start(const Library &library);
void stop();

// A hook has seen more than it promised.
void also_sees(std::uint32_t sees);

// A message contradicts an assumption of a hook: nothing more is booked, and the profile contains the reason.
void contradicted(const char *note);

}  // namespace rankwise::transports

#endif
