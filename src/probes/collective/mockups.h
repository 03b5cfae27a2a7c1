// Mock-ups: other calls that together do the same as a collective. If they take less time than the collective itself,
// the library has chosen badly for it. Sources: Traff, Gropp, Thakur, "Self-Consistent MPI Performance Guidelines",
// IEEE TPDS 21, 2010; Hunold, Carpen-Amarie, "Autotuning MPI Collectives using Performance Guidelines", 2018.
#pragma once

#include "calls.h"

typedef struct {
  const char *name;        // such as Reduce+Bcast
  const char *collective;  // which it is equivalent to
  int (*call)(const Operands *operands, MPI_Comm comm);
} Mockup;

// NULL if the collective has no mock-up with this name.
const Mockup *mockup_find(const char *name, const Collective *collective);
