// The references of a loaded object to functions and variables of others: its relocations, as the loader has left them.
#ifndef RANKWISE_HOOKS_REFERENCES_H
#define RANKWISE_HOOKS_REFERENCES_H

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace rankwise::references {

#if defined(__x86_64__)
constexpr unsigned relocation_jump_slot = R_X86_64_JUMP_SLOT;
constexpr unsigned relocation_global_data = R_X86_64_GLOB_DAT;
constexpr unsigned relocation_absolute = R_X86_64_64;
#elif defined(__aarch64__)
constexpr unsigned relocation_jump_slot = R_AARCH64_JUMP_SLOT;
constexpr unsigned relocation_global_data = R_AARCH64_GLOB_DAT;
constexpr unsigned relocation_absolute = R_AARCH64_ABS64;
#endif

// The data of an object's dynamic section that for_each() needs.
struct Dynamic {
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  const ElfW(Rela) * tables[2] = {nullptr, nullptr};
  std::size_t counts[2] = {0, 0};
  std::size_t relative = 0;  // of the second table, so many at its head are no references

  explicit Dynamic(const dl_phdr_info &info) {
    const ElfW(Dyn) *entry = nullptr;
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      if (info.dlpi_phdr[i].p_type == PT_DYNAMIC) {
        entry = reinterpret_cast<const ElfW(Dyn) *>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
      }
    }
    std::uintptr_t values[DT_JMPREL + 1] = {};
    for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag > 0 && entry->d_tag <= DT_JMPREL) values[entry->d_tag] = entry->d_un.d_val;
      if (entry->d_tag == DT_RELACOUNT) relative = entry->d_un.d_val;
    }
    symbols = reinterpret_cast<const ElfW(Sym) *>(address(values[DT_SYMTAB], info));
    names = reinterpret_cast<const char *>(address(values[DT_STRTAB], info));
    tables[0] = reinterpret_cast<const ElfW(Rela) *>(address(values[DT_JMPREL], info));
    tables[1] = reinterpret_cast<const ElfW(Rela) *>(address(values[DT_RELA], info));
    counts[0] = values[DT_PLTRELSZ] / sizeof(ElfW(Rela));
    counts[1] = values[DT_RELASZ] / sizeof(ElfW(Rela));
  }

  // glibc has put addresses into the section. musl has left the offsets of the file, relative to the start of the
  // object.
  static std::uintptr_t address(std::uintptr_t value, const dl_phdr_info &info) {
    return value != 0 && value < info.dlpi_addr ? info.dlpi_addr + value : value;
  }

  bool usable() const { return symbols != nullptr && names != nullptr; }
};

// Calls visit(name, symbol, place) for each reference of an object to a function or variable of another one.
template <class Visit>
void for_each(const dl_phdr_info &info, Visit visit) {
  const Dynamic dynamic(info);
  if (!dynamic.usable()) return;
  for (int t = 0; t < 2; ++t) {
    const std::size_t first = t == 0 ? 0 : dynamic.relative;
    for (std::size_t i = first; dynamic.tables[t] != nullptr && i < dynamic.counts[t]; ++i) {
      const ElfW(Rela) &relocation = dynamic.tables[t][i];
      const auto type = static_cast<unsigned>(ELF64_R_TYPE(relocation.r_info));
      if (type != relocation_jump_slot && type != relocation_global_data && type != relocation_absolute) continue;
      const ElfW(Sym) &symbol = dynamic.symbols[ELF64_R_SYM(relocation.r_info)];
      if (symbol.st_shndx != SHN_UNDEF) continue;
      visit(dynamic.names + symbol.st_name, symbol, reinterpret_cast<void **>(info.dlpi_addr + relocation.r_offset));
    }
  }
}

// Whether an address lies in the object. A reference with an address in its own object is not bound yet: it leads to
// the loader, which looks the name up at the first call.
inline bool lies_in(const void *address, const dl_phdr_info &info) {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info.dlpi_phdr[i];
    const std::uintptr_t start = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && value >= start && value < start + segment.p_memsz) return true;
  }
  return false;
}

// Depends on the kernel: on AArch64 4, 16 or 64 KiB.
inline std::uintptr_t page_bytes() {
  static const std::uintptr_t bytes = getauxval(AT_PAGESZ);
  return bytes;
}

// The part of an object's references that the loader has made read-only.
struct Protection {
  std::uintptr_t start = 0;
  std::uintptr_t end = 0;

  explicit Protection(const dl_phdr_info &info) {
    const std::uintptr_t whole_pages = ~(page_bytes() - 1);
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      if (info.dlpi_phdr[i].p_type != PT_GNU_RELRO) continue;
      // As loaders do: the rest of the last page may have variables.
      start = (info.dlpi_addr + info.dlpi_phdr[i].p_vaddr) & whole_pages;
      end = (info.dlpi_addr + info.dlpi_phdr[i].p_vaddr + info.dlpi_phdr[i].p_memsz) & whole_pages;
    }
  }

  bool covers(const void *address) const {
    const auto value = reinterpret_cast<std::uintptr_t>(address);
    return value >= start && value < end;
  }
};

// Redirects a reference; its page keeps the rights it had. False if the kernel refuses.
inline bool set(void **place, void *target, const Protection &read_only) {
  if (__atomic_load_n(place, __ATOMIC_RELAXED) == target) return true;
  void *page = reinterpret_cast<void *>(reinterpret_cast<std::uintptr_t>(place) & ~(page_bytes() - 1));
  const bool locked = read_only.covers(place);
  if (locked && mprotect(page, page_bytes(), PROT_READ | PROT_WRITE) != 0) return false;
  __atomic_store_n(place, target, __ATOMIC_RELEASE);
  if (locked) mprotect(page, page_bytes(), PROT_READ);
  return true;
}

}  // namespace rankwise::references

#endif
