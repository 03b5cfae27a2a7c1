// Messages of the runtime to the user, on stderr: at most one line per process unless the program requests more.
#ifndef RANKWISE_REPORT_H
#define RANKWISE_REPORT_H

namespace rankwise {

// Prints "rankwise: <text>" once, from the first process of each node only, so that a job of a thousand ranks
// doesn't print a thousand lines. Further calls do nothing.
[[gnu::format(printf, 1, 2)]] void say_once(const char *format, ...);

// Prints such a line each time that the program requests something: the caller ensures that one process does.
[[gnu::format(printf, 1, 2)]] void say(const char *format, ...);

}  // namespace rankwise

#endif
