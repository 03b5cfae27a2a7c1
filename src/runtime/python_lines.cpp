#include "python_lines.h"

#include <dlfcn.h>

#include <atomic>
#include <cstring>

#include "format.h"
#include "hash.h"

namespace rankwise::python_lines {
namespace {

// The functions of the interpreter that we use, all in its stable interface; its objects are opaque to us.
struct Interpreter {
  int (*is_initialized)();
  int (*ensure_lock)();
  void (*release_lock)(int before);
  void *(*frame)();  // a borrowed reference, as utf8's; the others are ours
  void *(*code_of)(void *frame);
  int (*line_of)(void *frame);
  void *(*attribute)(void *of, const char *name);
  const char *(*utf8)(void *text);
  void (*decrement)(void *object);
  void (*take_error)(void **type, void **value, void **trace);
  void (*give_error)(void *type, void *value, void *trace);
};

template <class Function>
bool find(Function &function, const char *name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

bool find_all(Interpreter &python) {
  return find(python.is_initialized, "Py_IsInitialized") && find(python.ensure_lock, "PyGILState_Ensure") &&
         find(python.release_lock, "PyGILState_Release") && find(python.frame, "PyEval_GetFrame") &&
         find(python.code_of, "PyFrame_GetCode") && find(python.line_of, "PyFrame_GetLineNumber") &&
         find(python.attribute, "PyObject_GetAttrString") && find(python.utf8, "PyUnicode_AsUTF8") &&
         find(python.decrement, "Py_DecRef") && find(python.take_error, "PyErr_Fetch") &&
         find(python.give_error, "PyErr_Restore");
}

// nullptr if the interpreter lacks one of them (Python before 3.9).
const Interpreter *interpreter() {
  static constinit Interpreter python{};
  static constinit std::atomic<bool> asked{false};
  static constinit bool has_all = false;
  if (!asked.load(std::memory_order_acquire)) {
    has_all = find_all(python);  // (of several threads all write the same)
    asked.store(true, std::memory_order_release);
  }
  return has_all ? &python : nullptr;
}

// Lines that have been seen: open addressing, linear probing. Used only with the interpreter's lock held.
struct Line {
  void *code;  // of the function: kept alive, so that its address is not reused
  int line;
  std::uint32_t site;
};
constexpr unsigned bits = 12;
Line lines[1U << bits];
unsigned line_count = 0;

std::uint32_t ask(const Interpreter &python, void *code, int line, SiteOf site_of) {
  void *type = nullptr;
  void *value = nullptr;
  void *trace = nullptr;
  python.take_error(&type, &value, &trace);  // the program may just be handling one
  void *name = python.attribute(code, "co_filename");
  const char *source = name != nullptr ? python.utf8(name) : nullptr;
  const std::uint32_t found = source != nullptr ? site_of(source, line) : RANKWISE_SITE_UNKNOWN;
  if (name != nullptr) python.decrement(name);
  python.give_error(type, value, trace);
  return found;
}

// Takes over the reference to `code`.
std::uint32_t site_of_line(const Interpreter &python, void *code, int line, SiteOf site_of) {
  const std::uint64_t key = reinterpret_cast<std::uintptr_t>(code) + static_cast<std::uint64_t>(line);
  auto slot = static_cast<unsigned>(scatter(key) >> (64 - bits));
  while (lines[slot].code != nullptr && (lines[slot].code != code || lines[slot].line != line)) {
    slot = (slot + 1) % (1U << bits);
  }
  Line &known = lines[slot];
  if (known.code != nullptr) {
    python.decrement(code);
    return known.site;
  }
  if (line_count == RANKWISE_MOST_SITES) {
    python.decrement(code);
    return RANKWISE_SITE_UNKNOWN;
  }
  ++line_count;
  known = {code, line, ask(python, code, line, site_of)};
  return known.site;
}

}  // namespace

bool is_extension(const char *path) {
  return strstr(path, ".cpython-") != nullptr || strstr(path, ".abi3.") != nullptr;
}

std::uint32_t site(SiteOf site_of, std::uint32_t otherwise) {
  const Interpreter *python = interpreter();
  // (It is over when mpi4py finalizes MPI.)
  if (python == nullptr || python->is_initialized() == 0) return otherwise;
  const int before = python->ensure_lock();
  std::uint32_t found = otherwise;
  void *frame = python->frame();
  const int line = frame != nullptr ? python->line_of(frame) : 0;
  void *code = line > 0 ? python->code_of(frame) : nullptr;
  if (code != nullptr) found = site_of_line(*python, code, line, site_of);
  python->release_lock(before);
  return found;
}

}  // namespace rankwise::python_lines
