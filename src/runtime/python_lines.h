// Lines of Python: the line of the innermost Python function that has called an extension module such as mpi4py's. Only
// on request, because the interpreter is queried at each call.
#ifndef RANKWISE_PYTHON_LINES_H
#define RANKWISE_PYTHON_LINES_H

#include <cstdint>

namespace rankwise::python_lines {

inline constinit bool wanted = false;

// Whether an object of this path is an extension module whose calls are made for lines of Python.
bool is_extension(const char *path);

using SiteOf = std::uint32_t (*)(const char *source, int line);

// The site of the current line of the calling thread. The first time that a line is seen, `site_of` is called for it,
// with the interpreter's path of the source. `otherwise` if there is no interpreter, or no line.
//
// RATIONALE: takes the interpreter's lock, which mpi4py releases in most calls: otherwise the line might disappear
// while we read it.
std::uint32_t site(SiteOf site_of, std::uint32_t otherwise);

}  // namespace rankwise::python_lines

#endif
