// The program's communicators, and the cells on each: one collective with messages of about one size.
#ifndef RANKWISE_ONLINE_COMMUNICATORS_H
#define RANKWISE_ONLINE_COMMUNICATORS_H

#include <cstdint>

#include "library.h"
#include "plan.h"
#include "race.h"

namespace rankwise::online {

using library::Word;

struct Cell {
  Cell *next;
  Collective collective;
  int size_bits, number;
  std::int64_t low, high;  // bytes of the messages, as far as they are known
  bool has_in_place, has_other_order;
  int planned[kMostArms + 1];  // numbers in the plan, by arm of the race
  std::int64_t begin[kMostCalls], end[kMostCalls];
  Race race;
};

struct Communicator {
  Communicator *next;
  Word handle;
  int processes, rank, number;  // processes: 0 where nothing is tried
  bool is_agreed, has_one_clock;
  Cell *cells;
  int cell_count;
  Word *shadows;  // by arm of the plan: 0 until created
};

namespace communicators {

// The state of a communicator; nullptr if nothing can be tried.
Communicator *find(Word handle);

// The cell of a call; nullptr if nothing can be tried. All members reach the same result.
Cell *cell_of(Communicator &comm, Collective collective, std::int64_t bytes);

// A communicator with the same members on which the library uses an algorithm; the program's communicator if it can't
// be created. All members ask at the same call. Adds the time that this takes to `ns`.
Word with_algorithm(Communicator &comm, int planned, std::int64_t *ns);

// Called before the program frees it. Frees everything that belongs to it.
void forget(Word handle);

void each(void (*what)(Communicator &comm));

}  // namespace communicators

}  // namespace rankwise::online

#endif
