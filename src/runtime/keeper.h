// Starts the node's keeper (src/keeper).
#ifndef RANKWISE_KEEPER_H
#define RANKWISE_KEEPER_H

namespace rankwise::keeper {

// Starts it detached from the program, with `file_count` of our descriptors as its first files; false, with errno, on
// failure. The program neither gets a signal nor finds a child to wait for.
bool start(const char *const *arguments, const int *files, int file_count);

}  // namespace rankwise::keeper

#endif
