#include "objects.h"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <initializer_list>

#include "counters_file.h"
#include "dispatch/library.h"
#include "lock.h"
#include "python_lines.h"

namespace rankwise::objects {
namespace {

Lock lock;
rankwise_object *records[RANKWISE_MOST_OBJECTS];
std::uint32_t record_count = 0;
rankwise_section *section = nullptr;

struct Search {
  std::uintptr_t address;
  bool is_program = true;  // the loader lists the program first
  Where where;
};

void keep_end(char (&to)[RANKWISE_MOST_OBJECT_BYTES], const char *name) {
  const std::size_t length = strlen(name);
  const std::size_t kept = length < sizeof to - 1 ? length : sizeof to - 1;
  memcpy(to, name + (length - kept), kept + 1);
}

// The note that linkers write (--build-id).
void read_build_id(const dl_phdr_info &info, rankwise_object &object) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const char *at = reinterpret_cast<const char *>(info.dlpi_addr + segment.p_vaddr);
    std::size_t left = segment.p_memsz;
    ElfW(Nhdr) note;
    while (left >= sizeof note) {
      memcpy(&note, at, sizeof note);
      const std::size_t name = (std::size_t{note.n_namesz} + 3) & ~std::size_t{3};
      const std::size_t text = (std::size_t{note.n_descsz} + 3) & ~std::size_t{3};
      if (left - sizeof note < name || left - sizeof note - name < text) break;
      const char *owner = at + sizeof note;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(owner, "GNU", 4) == 0) {
        object.build_id_bytes = note.n_descsz < sizeof object.build_id ? note.n_descsz : sizeof object.build_id;
        memcpy(object.build_id, owner + name, object.build_id_bytes);
        return;
      }
      at += sizeof note + name + text;
      left -= sizeof note + name + text;
    }
  }
}

bool lies_in(const dl_phdr_info &info, std::uintptr_t address) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info.dlpi_phdr[i];
    const std::uintptr_t start = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= start && address - start < segment.p_memsz) return true;
  }
  return false;
}

bool begins_with_any(const char *path, std::initializer_list<const char *> beginnings) {
  const char *slash = strrchr(path, '/');
  const char *name = slash != nullptr ? slash + 1 : path;
  for (const char *beginning : beginnings) {
    if (strncmp(name, beginning, strlen(beginning)) == 0) return true;
  }
  return false;
}

Role role_of(const char *path, bool is_program) {
  if (is_program) return begins_with_any(path, {"python"}) ? Role::interpreter : Role::ordinary;
  if (library::belongs_to_mpi(path)) return Role::binding;
  if (begins_with_any(path, {"libpython"})) return Role::interpreter;
  if (begins_with_any(path, {"libc.so", "libc-", "libc.musl", "ld-musl", "libpthread"})) return Role::start;
  return python_lines::is_extension(path) ? Role::extension : Role::ordinary;
}

int look_at(dl_phdr_info *info, std::size_t /*bytes*/, void *wanted) {
  auto &search = *static_cast<Search *>(wanted);
  if (!lies_in(*info, search.address - 1)) {
    search.is_program = false;
    return 0;
  }
  const char *name = info->dlpi_name != nullptr ? info->dlpi_name : "";
  if (search.is_program) name = counters_file::header()->executable;
  Where &where = search.where;
  where.role = role_of(name, search.is_program);
  where.offset = search.address - info->dlpi_addr;
  where.rule = frames::rule_at(*info, search.address);
  if (where.role == Role::binding) return 1;
  read_build_id(*info, where.object);
  where.object.kind = search.is_program ? RANKWISE_OBJECT_PROGRAM : RANKWISE_OBJECT_LIBRARY;
  keep_end(where.object.name, name);
  return 1;
}

}  // namespace

Where find(std::uintptr_t address) {
  Search search{};
  search.address = address;
  dl_iterate_phdr(look_at, &search);
  return search.where;
}

bool index_of(const rankwise_object &object, std::uint32_t &index) {
  const Guard guard(lock);
  for (index = 0; index < record_count; ++index) {
    if (memcmp(records[index], &object, sizeof object) == 0) return true;
  }
  if (record_count == RANKWISE_MOST_OBJECTS) return false;
  auto *record = counters_file::next_record<rankwise_object>(section, RANKWISE_SECTION_OBJECTS, 14);
  if (record == nullptr) return false;
  *record = object;
  records[record_count++] = record;
  counters_file::publish(section);
  return true;
}

rankwise_object of_python(const char *source) {
  rankwise_object object{};
  object.kind = RANKWISE_OBJECT_PYTHON;
  keep_end(object.name, source);
  return object;
}

}  // namespace rankwise::objects
