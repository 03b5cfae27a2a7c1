#include "relocations.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "../dispatch/dispatch.h"
#include "../dispatch/library.h"

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

// Position of "MPI_X" among the slots, -1 if it is none of them.
int slot_named(const char *name) {
  for (int i = 0; i < static_cast<int>(Slot::count); ++i) {
    if (strcmp(slot_facts[i].name, name) == 0) return i;
  }
  return -1;
}

// The address that a reference to `name` in this object must lead to, nullptr to leave it.
void *target_of(const char *name, bool fortran) {
  const bool profiling_name = strncmp(name, "PMPI_", 5) == 0;
  if (profiling_name ? !fortran : strncmp(name, "MPI_", 4) != 0) return nullptr;
  const char *plain = profiling_name ? name + 1 : name;
  const int slot = slot_named(plain);
  if (slot < 0 || (!profiling_name && slot_facts[slot].exported)) return nullptr;
  // A weak reference to what the library lacks must stay empty.
  return library::function(name) == nullptr ? nullptr : dispatch::symbol(static_cast<Slot>(slot));
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

int redirect_object(dl_phdr_info *info, std::size_t /*bytes*/, void *own_base) {
  const char *path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  if (reinterpret_cast<void *>(info->dlpi_addr) == own_base || library::is_mpi_library(path)) return 0;
  const bool fortran = is_binding_name(path);
  const Protection read_only(*info);
  for_each_reference(*info, [&](const char *name, const ElfW(Sym) &, void **place) {
    void *target = target_of(name, fortran);
    if (target != nullptr) set(place, target, read_only);
  });
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

// Programs that are linked to an MPI library: before their first call, so that MPI_Init itself is seen.
[[gnu::constructor]] void at_start() {
  if (library::abi() == RANKWISE_ABI_NONE) {
    dl_iterate_phdr(empty_weak_references, nullptr);
  } else if (std::getenv("RANKWISE_DIR") != nullptr) {
    redirect();
  }
}

}  // namespace

void redirect() {
  Dl_info own{};
  dladdr(reinterpret_cast<const void *>(&redirect_object), &own);
  dl_iterate_phdr(redirect_object, own.dli_fbase);
}

bool is_fortran_binding(const void *address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr && is_binding_name(info.dli_fname);
}

}  // namespace rankwise::relocations
