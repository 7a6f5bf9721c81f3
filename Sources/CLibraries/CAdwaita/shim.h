// libadwaita with GTK, the parts of GLib that Swift does not import, and the main queue of
// libdispatch.
#pragma once
// What later versions deprecate stays usable: the programs are built for libadwaita 1.2.
#define ADW_DISABLE_DEPRECATION_WARNINGS
#define GDK_DISABLE_DEPRECATION_WARNINGS
#include <adwaita.h>
#include <glib-unix.h>

// libdispatch, private/private.h: the eventfd(2) that is readable while the main queue has work, and
// the function that runs this work. A main loop of another library uses them.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *);

static inline GType cadwaita_type_string(void) { return G_TYPE_STRING; }
static inline GType cadwaita_type_boolean(void) { return G_TYPE_BOOLEAN; }
static inline GType cadwaita_type_int(void) { return G_TYPE_INT; }
static inline GType cadwaita_type_object(void) { return G_TYPE_OBJECT; }
static inline gboolean cadwaita_holds(const GValue *value, GType type) {
  return G_VALUE_HOLDS(value, type);
}
static inline gboolean cadwaita_is(void *instance, GType type) {
  return G_TYPE_CHECK_INSTANCE_TYPE(instance, type);
}
// The size of a GClosure, whose bit fields Swift does not import.
static inline GClosure *cadwaita_closure(
    void *content, GClosureMarshal marshal, GClosureNotify release) {
  GClosure *closure = g_closure_new_simple(sizeof(GClosure), content);
  g_closure_set_marshal(closure, marshal);
  g_closure_add_finalize_notifier(closure, content, release);
  return closure;
}
static inline void *cadwaita_content(GClosure *closure) { return closure->data; }
