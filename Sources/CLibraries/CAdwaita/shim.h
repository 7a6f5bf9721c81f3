// libadwaita with GTK, the parts of GLib that Swift does not import, and the main queue of
// libdispatch.
#pragma once
// Functions that later versions deprecate stay usable: the programs are built for libadwaita 1.2.
#define ADW_DISABLE_DEPRECATION_WARNINGS
#define GDK_DISABLE_DEPRECATION_WARNINGS
#include <adwaita.h>
#include <glib-unix.h>
#include <libintl.h>
#include <sys/timerfd.h>
#include <time.h>

// libdispatch, private/private.h: the eventfd(2) that is readable while the main queue has work, and
// the function that runs this work. A main loop of another library uses them.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *);

// The Swift runtime, stdlib/public/Concurrency/Executor: the hook takes each job that would go to the
// pool of threads.
extern __attribute__((swiftcall)) void (*swift_task_enqueueGlobal_hook)(void *job, void *original);
__attribute__((swiftcall)) void swift_task_enqueueMainExecutor(void *job);

static __attribute__((swiftcall)) void cadwaita_enqueue(void *job, void *original) {
  (void)original;
  swift_task_enqueueMainExecutor(job);
}
// From now on all jobs run on the main thread.
static inline void cadwaita_use_no_pool(void) { swift_task_enqueueGlobal_hook = cadwaita_enqueue; }

// The English text of an error number (strerrordesc_np(3)); NULL if there is none. The header hides it
// from programs that do not define _GNU_SOURCE.
extern const char *strerrordesc_np(int code);

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

// A descriptor that is readable after so many milliseconds of CLOCK_BOOTTIME (timerfd_create(2)); -1 if
// there is none.
static inline int cadwaita_timer(long milliseconds) {
  long count = milliseconds > 0 ? milliseconds : 0;
  // A time of 0 would disarm it.
  struct itimerspec end = {
      .it_value = {.tv_sec = count / 1000, .tv_nsec = count % 1000 * 1000000 + 1}};
  int timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  if (timer >= 0) timerfd_settime(timer, 0, &end, NULL);
  return timer;
}

// gdk/x11/gdkx.h, whose X11 names are not wanted: a window with the time 0 "should not be focused
// when it is mapped". GTK may be built without X11.
extern void gdk_x11_surface_set_user_time(GdkSurface *surface, guint32 time) __attribute__((weak));
static inline void cadwaita_take_no_focus(GdkSurface *surface) {
  GType type = g_type_from_name("GdkX11Surface");
  if (type != 0 && g_type_is_a(G_OBJECT_TYPE(surface), type) && gdk_x11_surface_set_user_time)
    gdk_x11_surface_set_user_time(surface, 0);
}

static inline GType cadwaita_type_uint(void) { return G_TYPE_UINT; }

// A GListModel whose items have no content: the view makes it from the position. An item exists
// only while it is shown, so a long list costs as much as a short one.
typedef struct {
  GObject object;
  guint count;
} CadwaitaPositions;

static inline GType cadwaita_positions_item_type(GListModel *list) {
  (void)list;
  return G_TYPE_OBJECT;
}
static inline guint cadwaita_positions_count(GListModel *list) {
  return ((CadwaitaPositions *)list)->count;
}
static inline gpointer cadwaita_positions_item(GListModel *list, guint position) {
  return position < cadwaita_positions_count(list) ? g_object_new(G_TYPE_OBJECT, NULL) : NULL;
}
static inline void cadwaita_positions_implement(gpointer interface, gpointer content) {
  (void)content;
  GListModelInterface *model = interface;
  model->get_item_type = cadwaita_positions_item_type;
  model->get_n_items = cadwaita_positions_count;
  model->get_item = cadwaita_positions_item;
}
static inline GType cadwaita_positions_type(void) {
  GType type = g_type_from_name("CadwaitaPositions");
  if (type != 0) return type;
  const GInterfaceInfo model = {.interface_init = cadwaita_positions_implement};
  type = g_type_register_static_simple(
      G_TYPE_OBJECT, "CadwaitaPositions", sizeof(GObjectClass), NULL, sizeof(CadwaitaPositions), NULL,
      G_TYPE_FLAG_NONE);
  g_type_add_interface_static(type, G_TYPE_LIST_MODEL, &model);
  return type;
}
static inline void *cadwaita_positions_new(void) { return g_object_new(cadwaita_positions_type(), NULL); }
static inline void cadwaita_positions_change(void *list, guint position, guint removed, guint added) {
  CadwaitaPositions *positions = list;
  positions->count = positions->count - removed + added;
  g_list_model_items_changed(G_LIST_MODEL(positions), position, removed, added);
}
