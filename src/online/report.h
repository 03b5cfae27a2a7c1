// The trials, their cost and the winners: lines of JSON in the file HOST.PID of the directory RANKWISE_ONLINE. Rank 0
// of each communicator writes them; the last line about a cell is valid.
#ifndef RANKWISE_ONLINE_REPORT_H
#define RANKWISE_ONLINE_REPORT_H

#include <cstdint>

#include "communicators.h"
#include "plan.h"

namespace rankwise::online::report {

void begin(const char *directory, std::int64_t begin_ns);

void write(const Communicator &comm, const Cell &cell);

// All cells of a communicator.
void write(Communicator &comm);

// Reports that nothing is tried in the whole job.
void write_unfit(plan::Unfit why);

// Call at the end of the program.
void write_end();

// ns that exploring has cost this process.
extern std::int64_t spent;

}  // namespace rankwise::online::report

#endif
