// A library for LD_PRELOAD, so that a program with libfprint can run on the recording of a reader.
// It plays the recorded steps that the program does not make. It also adds what no recording has:
// the reader is in use, slow, or unplugged.
//
//   READER_STEPS    the recorded steps between open and close, such as "clear enroll list identify"
//   READER_FINGER   the recorded finger, such as "left-index"; without it the recording has none
//   READER_BUSY     this many claims of the reader fail, as if another program used it
//   READER_UNPLUG   open, armed, stage, transfer or close: when the reader is unplugged
//   READER_CLOSE    how many milliseconds longer the reader takes to close
//   READER_LATE     a path: no verdict is reported until there is a file, for two minutes at most
//   READER_KEEPS    this many deletions fail, and the reader keeps the print
//   READER_EAGER    no pause between two looks for results, so that a limit of processor time ends the program
//   READER_LOG      a file for each reset, claim, refused claim ("busy"), verdict that is held back,
//                   work for the reader during that, deletion and unplugging
//   READER_CONTROL  a descriptor: a byte asks the replay to unplug the reader, a byte answers
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fprint.h>
#include <linux/ioctl.h>
#include <linux/usbdevice_fs.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define MOST_STEPS 32

static char **steps;
static int step;
static bool has_identify, has_verify;
static bool is_open, is_armed, is_playing, is_gone, was_unplugged;
static FpPrint *enrolled;
static FpFinger finger = FP_FINGER_UNKNOWN;
static FpEnrollProgress progress;
static FpMatchCb report;
static _Atomic bool is_held;

static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

static void note(const char *what) {
  const char *path = setting("READER_LOG");
  int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0) return;
  dprintf(file, "%s\n", what);
  close(file);
}

static void unplug(const char *point) {
  const char *wanted = setting("READER_UNPLUG"), *control = setting("READER_CONTROL");
  if (is_playing || was_unplugged || !wanted || !control || strcmp(wanted, point)) return;
  was_unplugged = true;
  note("unplug");
  char byte = 'u';
  if (write(atoi(control), &byte, 1) != 1 || read(atoi(control), &byte, 1) != 1) abort();
  is_gone = true;
}

// The descriptor of a recording is always ready, so the thread of libusb asks for results without a pause.
// It waits a little here, as it would wait for the kernel.
static void pause_if_idle(int result) {
  static _Thread_local int empty;
  int error = errno;
  empty = result < 0 ? empty + 1 : 0;
  if (empty > 8 && !setting("READER_EAGER")) poll(NULL, 0, 1);
  errno = error;
}

// The program clears the variables that libfprint obeys. This one makes drivers replay recordings.
int unsetenv(const char *name) {
  return strcmp(name, "FP_DEVICE_EMULATION") ? NEXT(unsetenv)(name) : 0;
}

int ioctl(int descriptor, unsigned long request, ...) {
  static int claims;
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (request == USBDEVFS_RESET) note("reset");
  if (request == USBDEVFS_CLAIMINTERFACE) {
    note("claim");
    if (setting("READER_BUSY") && claims++ < atoi(setting("READER_BUSY"))) {
      note("busy");
      errno = EBUSY;
      return -1;
    }
  }
  if (request == USBDEVFS_SUBMITURB && is_armed) unplug("transfer");
  // The kernel's answer for a missing device, whatever the recording has after this point.
  int result;
  if (is_gone && _IOC_TYPE(request) == 'U') {
    errno = ENODEV;
    result = -1;
  } else {
    result = NEXT(ioctl)(descriptor, request, argument);
  }
  if (request == USBDEVFS_REAPURBNDELAY) pause_if_idle(result);
  return result;
}

// The recorded steps, checked against the program's own.

__attribute__((constructor)) static void read_steps(void) {
  const char *text = setting("READER_STEPS");
  if (!text) return;
  steps = calloc(MOST_STEPS + 1, sizeof *steps);
  char *copy = strdup(text), *word = strtok(copy, " ");
  for (int count = 0; word && count < MOST_STEPS; word = strtok(NULL, " ")) {
    has_identify |= !strcmp(word, "identify");
    has_verify |= !strcmp(word, "verify");
    steps[count++] = word;
  }
}

static gboolean suspend(gpointer device) {
  // A driver may need its reader for it.
  if (is_gone) return G_SOURCE_REMOVE;
  // Its result does not matter: the recording shows whether it was right.
  fp_device_suspend_sync(device, NULL, NULL);
  fp_device_resume_sync(device, NULL, NULL);
  return G_SOURCE_REMOVE;
}

static FpFinger recorded_finger(void) {
  const char *name = setting("READER_FINGER");
  GEnumValue *value =
      name ? g_enum_get_value_by_nick(g_type_class_ref(FP_TYPE_FINGER), name) : NULL;
  return value ? value->value : FP_FINGER_UNKNOWN;
}

// A program that only checks gets the recorded print of an earlier process.
static void play_enroll(FpDevice *device, GError **error) {
  finger = recorded_finger();
  FpPrint *template = fp_print_new(device);
  NEXT(fp_print_set_finger)(template, finger);
  FpPrint *print = fp_device_enroll_sync(device, template, NULL, NULL, NULL, error);
  if (print) g_object_unref(print);
}

static void play(FpDevice *device, const char *word) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) prints = g_ptr_array_new();
  g_autoptr(FpPrint) match = NULL;
  gboolean matches;
  if (enrolled) g_ptr_array_add(prints, enrolled);
  if (!strcmp(word, "enroll") && !enrolled) play_enroll(device, &error);
  if (!strcmp(word, "clear")) fp_device_clear_storage_sync(device, NULL, &error);
  if (!strcmp(word, "list")) {
    GPtrArray *found = fp_device_list_prints_sync(device, NULL, &error);
    if (found) g_ptr_array_unref(found);
  }
  if (!strcmp(word, "verify"))
    fp_device_verify_sync(device, enrolled, NULL, NULL, NULL, &matches, NULL, &error);
  if (!strcmp(word, "identify"))
    fp_device_identify_sync(device, prints, NULL, NULL, NULL, &match, NULL, &error);
  if (!strcmp(word, "delete")) fp_device_delete_print_sync(device, enrolled, NULL, &error);
  if (!strcmp(word, "suspend")) g_idle_add_full(G_PRIORITY_HIGH, suspend, device, NULL);
  if (error) fprintf(stderr, "steps: %s: %s\n", word, error->message);
}

// Plays the recorded steps before a step of the program, which comes next.
static void play_until(FpDevice *device, const char *word) {
  if (!steps || is_playing) return;
  int found = step;
  while (steps[found] && strcmp(steps[found], word)) found++;
  if (!steps[found]) return;
  is_playing = true;
  while (step < found) play(device, steps[step++]);
  is_playing = false;
  step++;
}

static gboolean refuse(gpointer task) {
  g_task_return_error(task, g_error_new(FP_DEVICE_ERROR, FP_DEVICE_ERROR_GENERAL, "print kept"));
  g_object_unref(task);
  return G_SOURCE_REMOVE;
}

static gboolean complete(gpointer task) {
  g_task_return_boolean(task, TRUE);
  g_object_unref(task);
  return G_SOURCE_REMOVE;
}

static void complete_later(FpDevice *device, GAsyncReadyCallback callback, gpointer data) {
  g_idle_add(complete, g_task_new(device, NULL, callback, data));
}

// libfprint's functions, as the program calls them.

void fp_device_open(
    FpDevice *device, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data) {
  unplug("open");
  // The recording was made with one open.
  if (is_open) return complete_later(device, callback, data);
  NEXT(fp_device_open)(device, cancellable, callback, data);
}

gboolean fp_device_open_finish(FpDevice *device, GAsyncResult *result, GError **error) {
  is_open = NEXT(fp_device_open_finish)(device, result, error);
  return is_open;
}

typedef struct {
  FpDevice *device;
  GAsyncReadyCallback callback;
  gpointer data;
} Closing;

static gboolean close_now(gpointer data) {
  Closing *closing = data;
  if (steps && steps[step]) {
    complete_later(closing->device, closing->callback, closing->data);
  } else {
    is_open = false;
    NEXT(fp_device_close)(closing->device, NULL, closing->callback, closing->data);
  }
  g_free(closing);
  return G_SOURCE_REMOVE;
}

void fp_device_close(
    FpDevice *device, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data) {
  unplug("close");
  Closing *closing = g_new(Closing, 1);
  *closing = (Closing){device, callback, data};
  if (setting("READER_CLOSE"))
    g_timeout_add(atoi(setting("READER_CLOSE")), close_now, closing);
  else
    close_now(closing);
}

gboolean fp_device_has_feature(FpDevice *device, FpDeviceFeature feature) {
  if (feature == FP_DEVICE_FEATURE_IDENTIFY && has_verify && !has_identify) return FALSE;
  return NEXT(fp_device_has_feature)(device, feature);
}

// The print that the recorded driver wrote into the reader had no date, and mostly no finger.

void fp_print_set_enroll_date(FpPrint *print, const GDate *date) {
  if (!steps) NEXT(fp_print_set_enroll_date)(print, date);
}

void fp_print_set_finger(FpPrint *print, FpFinger wanted) {
  finger = wanted;
  if (!steps || setting("READER_FINGER")) NEXT(fp_print_set_finger)(print, wanted);
}

static void scanned(FpDevice *device, gint stages, FpPrint *print, gpointer data, GError *error) {
  progress(device, stages, print, data, error);
  unplug("stage");
}

void fp_device_enroll(
    FpDevice *device, FpPrint *template, GCancellable *cancellable, FpEnrollProgress callback,
    gpointer progress_data, GDestroyNotify destroy, GAsyncReadyCallback finished, gpointer data) {
  play_until(device, "enroll");
  is_armed |= !is_playing;
  progress = callback;
  NEXT(fp_device_enroll)
  (device, template, cancellable, callback ? scanned : NULL, progress_data, destroy, finished, data);
  unplug("armed");
}

FpPrint *fp_device_enroll_finish(FpDevice *device, GAsyncResult *result, GError **error) {
  FpPrint *print = NEXT(fp_device_enroll_finish)(device, result, error);
  if (!print || !steps) return print;
  g_set_object(&enrolled, print);
  NEXT(fp_print_set_finger)(print, finger);
  return print;
}

static void report_late(
    FpDevice *device, FpPrint *match, FpPrint *print, gpointer data, GError *error) {
  gint64 end = g_get_monotonic_time() + 120 * G_USEC_PER_SEC;
  is_held = true;
  note("held");
  // A driver may block, and then no timer of the program runs.
  while (access(setting("READER_LATE"), F_OK) && g_get_monotonic_time() < end) g_usleep(1000);
  is_held = false;
  report(device, match, print, data, error);
}

// The program has work for the thread of the reader, such as a cancel.
void g_main_context_wakeup(GMainContext *context) {
  if (is_held) note("work");
  NEXT(g_main_context_wakeup)(context);
}

// Arms the reader for a check, and returns the callback for its verdict.
static FpMatchCb arm(FpDevice *device, const char *word, FpMatchCb match) {
  play_until(device, word);
  is_armed |= !is_playing;
  if (!match || !setting("READER_LATE")) return match;
  report = match;
  return report_late;
}

void fp_device_verify(
    FpDevice *device, FpPrint *print, GCancellable *cancellable, FpMatchCb match, gpointer match_data,
    GDestroyNotify destroy, GAsyncReadyCallback finished, gpointer data) {
  FpMatchCb told = arm(device, "verify", match);
  NEXT(fp_device_verify)
  (device, print, cancellable, told, match_data, destroy, finished, data);
  unplug("armed");
}

void fp_device_identify(
    FpDevice *device, GPtrArray *prints, GCancellable *cancellable, FpMatchCb match,
    gpointer match_data, GDestroyNotify destroy, GAsyncReadyCallback finished, gpointer data) {
  FpMatchCb told = arm(device, "identify", match);
  NEXT(fp_device_identify)
  (device, prints, cancellable, told, match_data, destroy, finished, data);
  unplug("armed");
}

void fp_device_delete_print(
    FpDevice *device, FpPrint *print, GCancellable *cancellable, GAsyncReadyCallback callback,
    gpointer data) {
  static int deletions;
  play_until(device, "delete");
  note("delete");
  if (setting("READER_KEEPS") && deletions++ < atoi(setting("READER_KEEPS"))) {
    g_idle_add(refuse, g_task_new(device, NULL, callback, data));
    return;
  }
  NEXT(fp_device_delete_print)(device, print, cancellable, callback, data);
}
