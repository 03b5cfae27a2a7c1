// Lines of Python: where the innermost function of Python stands that has called an extension module such as mpi4py's.
// Only if it is asked for, since the interpreter is asked about each call.
#ifndef RANKWISE_PYTHON_LINES_H
#define RANKWISE_PYTHON_LINES_H

#include <cstdint>

namespace rankwise::python_lines {

inline constinit bool wanted = false;

// Whether an object of this path is an extension module that calls what it calls for lines of Python.
bool is_extension(const char *path);

using SiteOf = std::uint32_t (*)(const char *source, int line);

// The site of the line where the calling thread is; `site_of` is asked for it the first time that the line is seen, and
// is given the path of the source as the interpreter has it. `otherwise` if there is no interpreter, or no line.
//
// RATIONALE: takes the interpreter's lock for that, which mpi4py gives away in most calls: nothing else is certain that
// the line stays while we read it.
std::uint32_t site(SiteOf site_of, std::uint32_t otherwise);

}  // namespace rankwise::python_lines

#endif
