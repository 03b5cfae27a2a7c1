// Redirects references as src/runtime/hooks/references.h does, on a kernel whose pages are as large as the argument
// says: getauxval and mprotect are those of this program. Prints what became of it. tests/unit/test_references.py
#include "../../src/runtime/hooks/references.h"

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace {

unsigned long pages = 0;  // bytes
bool refuses = false;

alignas(65536) char object[4 * 65536];

}  // namespace

extern "C" {
unsigned long getauxval(unsigned long type) noexcept { return type == AT_PAGESZ ? pages : 0; }

int mprotect(void *address, std::size_t bytes, int rights) noexcept {
  const auto offset = static_cast<char *>(address) - object;
  // As a kernel does.
  const bool whole = reinterpret_cast<std::uintptr_t>(address) % pages == 0;
  if (whole && !refuses) printf("%s %td %zu\n", (rights & PROT_WRITE) != 0 ? "open" : "close", offset, bytes);
  return whole && !refuses ? 0 : -1;
}
}

int main(int, char **argv) {
  pages = std::strtoul(argv[1], nullptr, 10);
  ElfW(Phdr) header{};
  header.p_type = PT_GNU_RELRO;
  header.p_vaddr = 65536 + 4096;
  header.p_memsz = 65536;  // up to the second page of 4 KiB in a page of 64 KiB
  dl_phdr_info info{};
  info.dlpi_addr = reinterpret_cast<ElfW(Addr)>(object);
  info.dlpi_phdr = &header;
  info.dlpi_phnum = 1;
  const rankwise::references::Protection read_only(info);
  int target = 0;
  for (const long offset : {65536L + 4096, 65536L + 20480, 131072L, 131072L + 4096}) {
    auto **place = reinterpret_cast<void **>(object + offset);
    const bool done = rankwise::references::set(place, &target, read_only);
    printf("%ld %s\n", offset, done && *place == &target ? "set" : "not set");
  }
  refuses = true;
  auto **place = reinterpret_cast<void **>(object + 65536L + 8192);
  const bool done = rankwise::references::set(place, &target, read_only);
  printf("refused %s\n", done || *place != nullptr ? "set" : "not set");
}
