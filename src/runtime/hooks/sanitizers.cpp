// AddressSanitizer's runtime, where it is a shared library, refuses to start behind a preloaded one: it could miss
// calls that such a library takes for itself. We take none of those that it looks at, so the check is turned off, in
// the way that programs have for it. What the user sets in ASAN_OPTIONS comes on top.
extern "C" {
// Of its interface (sanitizer/asan_interface.h), which only compilers with the sanitizer have.
[[gnu::visibility("default")]] const char *__asan_default_options();  // NOLINT(bugprone-reserved-identifier)
}

const char *__asan_default_options() { return "verify_asan_link_order=0"; }  // NOLINT(bugprone-reserved-identifier)
