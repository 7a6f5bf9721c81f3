// libfprint, and the parts of GLib that Swift does not import: casting and variadic
// macros.
#pragma once
#include <libfprint-2/fprint.h>

// g_signal_connect(3) for `notify::finger-status`.
static inline gulong cfprint_on_finger_status(
    FpDevice *device, void (*callback)(FpDevice *, GParamSpec *, gpointer), gpointer data) {
  return g_signal_connect(device, "notify::finger-status", G_CALLBACK(callback), data);
}

// g_signal_connect(3) for `notify::removed`.
static inline gulong cfprint_on_removed(
    FpDevice *device, void (*callback)(FpDevice *, GParamSpec *, gpointer), gpointer data) {
  return g_signal_connect(device, "notify::removed", G_CALLBACK(callback), data);
}

// g_object_get(3) of `removed`: whether the device was unplugged.
static inline gboolean cfprint_is_removed(FpDevice *device) {
  gboolean removed = FALSE;
  g_object_get(device, "removed", &removed, NULL);
  return removed;
}

// G_VARIANT_TYPE of static text: a GVariantType is the text itself.
static inline const GVariantType *cfprint_print_type(void) {
  return G_VARIANT_TYPE("(issbymsmsia{sv}v)");
}
static inline const GVariantType *cfprint_raw_type(void) { return G_VARIANT_TYPE("v"); }
static inline const GVariantType *cfprint_minutiae_type(void) {
  return G_VARIANT_TYPE("(a(aiaiai))");
}

// Undoes G_DEBUG=fatal-criticals, which GLib reads before main(): only errors are fatal again.
static inline void cfprint_reset_fatal_levels(void) {
  g_log_set_always_fatal((GLogLevelFlags)G_LOG_FATAL_MASK);
}
