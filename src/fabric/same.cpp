// Texts that are the same.
#include <cstdint>
#include <new>
#include <string_view>
#include <unordered_map>

#include "rankwise/fabric.h"

__attribute__((visibility("default"))) int rankwise_find_same(const char *text, const std::int64_t *place,
                                                              const std::int32_t *size, std::int64_t count,
                                                              std::int64_t *first) {
  try {
    std::unordered_map<std::string_view, std::int64_t> known;
    for (std::int64_t number = 0; number < count; number++) {
      const std::string_view here(text + place[number], static_cast<std::size_t>(size[number]));
      first[number] = known.try_emplace(here, number).first->second;
    }
    return 0;
  } catch (const std::bad_alloc &) {
    return RANKWISE_NO_SPACE;
  }
}
