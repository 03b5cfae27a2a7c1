// Only in librankwise_monitoring.so: this symbol tells every copy of the runtime that the program is linked
// with it, and may query its own counters.
extern "C" {
[[gnu::visibility("default")]] extern const char rankwise_linked;
const char rankwise_linked = 0;
}
