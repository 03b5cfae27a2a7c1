#include "relocations.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "../dispatch/copies.h"
#include "../dispatch/dispatch.h"
#include "../dispatch/library.h"
#include "../hash.h"
#include "../lock.h"
#include "slot_names.h"

extern "C" {
// dlsym.S: calls the second, and goes on to dlsym as if it had been called itself.
void *rankwise_dlsym(void *handle, const char *name);
void rankwise_before_dlsym();
}

namespace rankwise::relocations {
namespace {

constexpr std::uintptr_t page_bytes = 4096;

#if defined(__x86_64__)
constexpr unsigned relocation_jump_slot = R_X86_64_JUMP_SLOT;
constexpr unsigned relocation_global_data = R_X86_64_GLOB_DAT;
constexpr unsigned relocation_absolute = R_X86_64_64;
#elif defined(__aarch64__)
constexpr unsigned relocation_jump_slot = R_AARCH64_JUMP_SLOT;
constexpr unsigned relocation_global_data = R_AARCH64_GLOB_DAT;
constexpr unsigned relocation_absolute = R_AARCH64_ABS64;
#endif

bool is_binding_name(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash != nullptr ? slash + 1 : path;
  static constexpr const char *prefixes[] = {"libmpi_mpifh", "libmpi_usempi", "libmpi_abi_f", "libmpichf",
                                             "libmpifort"};
  for (const char *prefix : prefixes) {
    if (strncmp(name, prefix, strlen(prefix)) == 0) return true;
  }
  return false;
}

// What redirect() needs of an object's dynamic section.
struct Dynamic {
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  const ElfW(Rela) * tables[2] = {nullptr, nullptr};
  std::size_t counts[2] = {0, 0};

  explicit Dynamic(const dl_phdr_info &info) {
    const ElfW(Dyn) *entry = nullptr;
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      if (info.dlpi_phdr[i].p_type == PT_DYNAMIC) {
        entry = reinterpret_cast<const ElfW(Dyn) *>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
      }
    }
    for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
      switch (entry->d_tag) {
        case DT_SYMTAB:
          symbols = reinterpret_cast<const ElfW(Sym) *>(entry->d_un.d_ptr);
          break;
        case DT_STRTAB:
          names = reinterpret_cast<const char *>(entry->d_un.d_ptr);
          break;
        case DT_JMPREL:
          tables[0] = reinterpret_cast<const ElfW(Rela) *>(entry->d_un.d_ptr);
          break;
        case DT_PLTRELSZ:
          counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
          break;
        case DT_RELA:
          tables[1] = reinterpret_cast<const ElfW(Rela) *>(entry->d_un.d_ptr);
          break;
        case DT_RELASZ:
          counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
          break;
        default:
          break;
      }
    }
  }

  bool usable() const { return symbols != nullptr && names != nullptr; }
};

// What the MPI library has of the functions whose relocations are redirected, by slot; [1] under its PMPI_ name.
enum class Has : std::uint8_t { unknown, asked, no, yes };
Has has[2][static_cast<int>(Slot::count)] = {};

void answer() {
  for (int profiling = 0; profiling < 2; ++profiling) {
    for (int slot = 0; slot < static_cast<int>(Slot::count); ++slot) {
      if (has[profiling][slot] != Has::asked) continue;
      char name[128];
      snprintf(name, sizeof name, "%s%s", profiling != 0 ? "P" : "", slot_facts[slot].name);
      has[profiling][slot] = library::function(name) != nullptr ? Has::yes : Has::no;
    }
  }
}

// Relocations are often read-only when the program runs; the page keeps the rights it had.
struct Protection {
  std::uintptr_t start = 0;
  std::uintptr_t end = 0;
  explicit Protection(const dl_phdr_info &info) {
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      if (info.dlpi_phdr[i].p_type == PT_GNU_RELRO) {
        start = info.dlpi_addr + info.dlpi_phdr[i].p_vaddr;
        end = start + info.dlpi_phdr[i].p_memsz;
      }
    }
  }
  bool covers(const void *address) const {
    const auto value = reinterpret_cast<std::uintptr_t>(address);
    return value >= start && value < end;
  }
};

void set(void **place, void *target, const Protection &read_only) {
  if (__atomic_load_n(place, __ATOMIC_RELAXED) == target) return;
  void *page = reinterpret_cast<void *>(reinterpret_cast<std::uintptr_t>(place) & ~(page_bytes - 1));
  const bool locked = read_only.covers(place);
  if (locked && mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) return;
  __atomic_store_n(place, target, __ATOMIC_RELEASE);
  if (locked) mprotect(page, page_bytes, PROT_READ);
}

// Calls visit(name, symbol, place) for each reference of an object to a function or variable of another one.
template <class Visit>
void for_each_reference(const dl_phdr_info &info, Visit visit) {
  const Dynamic dynamic(info);
  if (!dynamic.usable()) return;
  for (int t = 0; t < 2; ++t) {
    for (std::size_t i = 0; dynamic.tables[t] != nullptr && i < dynamic.counts[t]; ++i) {
      const ElfW(Rela) &relocation = dynamic.tables[t][i];
      const auto type = static_cast<unsigned>(ELF64_R_TYPE(relocation.r_info));
      if (type != relocation_jump_slot && type != relocation_global_data && type != relocation_absolute) continue;
      const ElfW(Sym) &symbol = dynamic.symbols[ELF64_R_SYM(relocation.r_info)];
      if (symbol.st_shndx != SHN_UNDEF) continue;
      visit(dynamic.names + symbol.st_name, symbol, reinterpret_cast<void **>(info.dlpi_addr + relocation.r_offset));
    }
  }
}

// The objects that have been walked. When it is full, the others are walked every time.
class Walked {
 public:
  bool contains(const void *object) { return *slot_of(object) == object; }
  void add(const void *object) {
    const void **slot = slot_of(object);
    if (used_ * 2 < slots && *slot == nullptr) {
      *slot = object;
      ++used_;
    }
  }
  void clear() {
    for (const void *&object : objects_) object = nullptr;
    used_ = 0;
  }

 private:
  static constexpr unsigned bits = 11;
  static constexpr std::size_t slots = std::size_t{1} << bits;

  const void **slot_of(const void *object) {
    std::size_t i = scatter(reinterpret_cast<std::uintptr_t>(object)) >> (64 - bits);
    while (objects_[i] != nullptr && objects_[i] != object) i = (i + 1) % slots;
    return &objects_[i];
  }

  const void *objects_[slots] = {};
  std::size_t used_ = 0;
};

// What the loader has done so far.
struct Loads {
  unsigned long long adds = 0;
  unsigned long long subs = 0;
};

struct State {
  Lock lock;
  Walked walked;
  Loads loads;
  bool mpi = false;  // an MPI library was there
  bool asked = false;
  void *own_base = nullptr;
};
State state;

int read_loads(dl_phdr_info *info, std::size_t /*bytes*/, void *loads) {
  *static_cast<Loads *>(loads) = {info->dlpi_adds, info->dlpi_subs};
  return 1;
}

// Redirects one reference; false if it must wait for an answer of the MPI library.
bool redirect_reference(const char *name, void **place, bool fortran, const Protection &read_only) {
  if (name[0] == 'd' && strcmp(name, "dlsym") == 0) {
    set(place, reinterpret_cast<void *>(&rankwise_dlsym), read_only);
    return true;
  }
  const bool profiling_name = name[0] == 'P';
  if (!state.mpi || (profiling_name ? !fortran : name[0] != 'M')) return true;
  const int slot = slot_named(profiling_name ? name + 1 : name);
  if (slot < 0 || (!profiling_name && slot_facts[slot].exported)) return true;
  Has &answer = has[profiling_name ? 1 : 0][slot];
  if (answer == Has::unknown) answer = Has::asked;
  if (answer == Has::asked) return false;
  // A weak reference to what the library lacks must stay empty.
  if (answer == Has::yes) set(place, dispatch::symbol(static_cast<Slot>(slot)), read_only);
  return true;
}

int redirect_object(dl_phdr_info *info, std::size_t /*bytes*/, void * /*unused*/) {
  const char *path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  if (state.walked.contains(info->dlpi_phdr)) return 0;
  bool done = true;
  if (reinterpret_cast<void *>(info->dlpi_addr) != state.own_base && !library::is_mpi_library(path)) {
    const bool fortran = is_binding_name(path);
    const Protection read_only(*info);
    for_each_reference(*info, [&](const char *name, const ElfW(Sym) &, void **place) {
      done = redirect_reference(name, place, fortran, read_only) && done;
    });
  }
  if (done) {
    state.walked.add(info->dlpi_phdr);
  } else {
    state.asked = true;
  }
  return 0;
}

// Without an MPI library, a weak reference to MPI must stay as empty as it would be without us: libraries that work
// with and without MPI ask it which of the two it is.
int empty_weak_references(dl_phdr_info *info, std::size_t /*bytes*/, void * /*unused*/) {
  const Protection read_only(*info);
  for_each_reference(*info, [&](const char *name, const ElfW(Sym) & symbol, void **place) {
    if (ELF64_ST_BIND(symbol.st_info) != STB_WEAK || strncmp(name, "MPI_", 4) != 0) return;
    const int slot = slot_named(name);
    if (slot >= 0 && slot_facts[slot].exported) set(place, nullptr, read_only);
  });
  return 0;
}

// A change of what the MPI library's own references of one name hold.
struct Exchange {
  const char *name;
  const void *expected;  // changed if they hold this; nullptr = whatever they hold
  void *target;
  int found;
};

int exchange(dl_phdr_info *info, std::size_t /*bytes*/, void *wanted) {
  auto &change = *static_cast<Exchange *>(wanted);
  if (info->dlpi_name == nullptr || !library::is_mpi_library(info->dlpi_name)) return 0;
  const Protection read_only(*info);
  for_each_reference(*info, [&](const char *name, const ElfW(Sym) &, void **place) {
    if (strcmp(name, change.name) != 0) return;
    ++change.found;
    if (change.target == nullptr) return;
    const void *held = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (change.expected == nullptr || held == change.expected) set(place, change.target, read_only);
  });
  return 0;
}

// Programs that are linked to an MPI library: before their first call, so that MPI_Init itself is seen.
[[gnu::constructor]] void at_start() {
  if (library::abi() == RANKWISE_ABI_NONE) dl_iterate_phdr(empty_weak_references, nullptr);
  if (copies::recording_wanted()) redirect();
}

}  // namespace

void redirect() {
  // Also called from dlsym, and that from anywhere: whoever comes second doesn't wait.
  if (!state.lock.try_acquire()) return;
  Loads now;
  dl_iterate_phdr(read_loads, &now);
  const bool mpi = state.mpi || library::abi() != RANKWISE_ABI_NONE;
  // Another object may have come to where one was; and what was walked without MPI was not looked at for MPI.
  if (now.subs != state.loads.subs || mpi != state.mpi) state.walked.clear();
  state.loads = now;
  state.mpi = mpi;
  if (state.own_base == nullptr) {
    Dl_info own{};
    dladdr(reinterpret_cast<const void *>(&redirect_object), &own);
    state.own_base = own.dli_fbase;
  }
  do {
    state.asked = false;
    dl_iterate_phdr(redirect_object, nullptr);
    answer();
  } while (state.asked);
  state.lock.release();
}

void *replace(const char *name, void *replacement) {
  Exchange change = {name, nullptr, nullptr, 0};
  dl_iterate_phdr(exchange, &change);
  if (change.found == 0) return nullptr;
  // RATIONALE: not what the reference holds, which before its first use may be a stub of the loader's.
  void *original = library::variable(name);
  if (original == nullptr) return nullptr;
  change.target = replacement;
  dl_iterate_phdr(exchange, &change);
  return original;
}

void put_back(const char *name, void *replacement, void *original) {
  Exchange change = {name, replacement, original, 0};
  dl_iterate_phdr(exchange, &change);
}

bool is_fortran_binding(const void *address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr && is_binding_name(info.dli_fname);
}

}  // namespace rankwise::relocations

void rankwise_before_dlsym() {
  using namespace rankwise::relocations;
  Loads now;
  dl_iterate_phdr(read_loads, &now);
  if (now.adds != state.loads.adds || now.subs != state.loads.subs) redirect();
}
