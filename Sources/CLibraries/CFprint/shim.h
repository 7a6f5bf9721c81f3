// libfprint, and what of GLib Swift does not import: casting and variadic macros.
#pragma once
#include <fprint.h>

// g_signal_connect(3) for `notify::finger-status`.
static inline gulong cfprint_on_finger_status(
    FpDevice *device, void (*callback)(FpDevice *, GParamSpec *, gpointer), gpointer data) {
  return g_signal_connect(device, "notify::finger-status", G_CALLBACK(callback), data);
}

// G_VARIANT_TYPE: `text` must be a valid type.
static inline const GVariantType *cfprint_variant_type(const char *text) {
  return G_VARIANT_TYPE(text);
}

// What G_DEBUG=fatal-criticals changed before main(): only errors end the process again.
static inline void cfprint_reset_fatal_levels(void) {
  g_log_set_always_fatal((GLogLevelFlags)G_LOG_FATAL_MASK);
}
