// Named regions of the program, opened and closed by MPI_Pcontrol. The same name inside another region is another
// region.
#ifndef RANKWISE_REGIONS_H
#define RANKWISE_REGIONS_H

#include <cstdint>

namespace rankwise::regions {

// The innermost open region; 0 = the whole program.
inline std::uint32_t current = 0;

bool start();                  // makes region 0; false if there is no room
void enter(const char *name);  // opens a region inside the current one
void leave(const char *name);  // closes the innermost region of that name and those inside it; nullptr = innermost
void stop();                   // closes all open regions
void stop_later();             // after stop(): the program has continued
void start_again();            // reopens region 0

}  // namespace rankwise::regions

#endif
