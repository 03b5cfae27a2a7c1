#include "transport.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../counters_file.h"
#include "../inside/inside.h"

namespace rankwise::transports {
namespace {

const Transport *prepared[most];
std::size_t prepared_count = 0;
const Transport *used = nullptr;
bool disabled = false;

void note(rankwise_transport_state state, const char *why) {
  rankwise_header *head = counters_file::header();
  head->transport_state = state;
  snprintf(head->transport_note, sizeof head->transport_note, "%s", why);
}

void use(const Transport *transport) {
  used = transport;
  rankwise_header *head = counters_file::header();
  snprintf(head->transport, sizeof head->transport, "%s", transport->name);
  also_sees(transport->sees);
  note(RANKWISE_TRANSPORT_ACTIVE, "");
  inside::choose();
  inside::active = true;
}

}  // namespace

void prepare(const Transport *const *offered, std::size_t count) {
  const char *wanted = std::getenv("RANKWISE_INSIDE");
  disabled = wanted != nullptr && strcmp(wanted, "off") == 0;
  prepared_count = 0;
  for (std::size_t i = 0; i < count && !disabled; ++i) {
    if (offered[i]->prepare()) prepared[prepared_count++] = offered[i];
  }
}

void start(const Library &library) {
  if (used != nullptr) return;
  if (disabled) return note(RANKWISE_TRANSPORT_DISABLED, "switched off by --no-inside");
  note(RANKWISE_TRANSPORT_NONE, prepared_count != 0 ? "this run uses no transport with a hook: try --see-all" : "");
  for (std::size_t i = 0; i < prepared_count; ++i) {
    if (used == nullptr) counters_file::header()->transport_sees = 0;  // it may add to it while it starts
    const bool tried = used == nullptr && prepared[i]->in_use();
    const char *why = tried ? prepared[i]->start(library) : nullptr;
    if (tried && why == nullptr) {
      use(prepared[i]);
      continue;
    }
    prepared[i]->stop();
    if (tried) note(RANKWISE_TRANSPORT_REFUSED, why);
  }
}

void stop() {
  inside::active = false;
  if (used != nullptr) used->stop();
  used = nullptr;
}

void also_sees(std::uint32_t sees) {
  __atomic_fetch_or(&counters_file::header()->transport_sees, sees, __ATOMIC_RELAXED);
}

void contradicted(const char *why) {
  inside::active = false;
  note(RANKWISE_TRANSPORT_STOPPED, why);
}

}  // namespace rankwise::transports
