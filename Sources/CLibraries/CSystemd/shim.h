// sd-bus(3) of libsystemd, loaded on demand: linking it costs each engine 0.7 MB (PSS), and most
// engines never use it.
#pragma once
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>

// The functions in use, by their names without `sd_bus_`.
struct csystemd {
  __typeof__(&sd_bus_new) new;
  __typeof__(&sd_bus_set_address) set_address;
  __typeof__(&sd_bus_set_bus_client) set_bus_client;
  __typeof__(&sd_bus_start) start;
  __typeof__(&sd_bus_flush_close_unref) flush_close_unref;
  __typeof__(&sd_bus_set_method_call_timeout) set_method_call_timeout;
  __typeof__(&sd_bus_call_method) call_method;
  __typeof__(&sd_bus_get_fd) get_fd;
  __typeof__(&sd_bus_get_events) get_events;
  __typeof__(&sd_bus_get_timeout) get_timeout;
  __typeof__(&sd_bus_process) process;
  __typeof__(&sd_bus_message_unref) message_unref;
  __typeof__(&sd_bus_message_get_sender) message_get_sender;
  __typeof__(&sd_bus_message_get_path) message_get_path;
  __typeof__(&sd_bus_message_get_interface) message_get_interface;
  __typeof__(&sd_bus_message_get_member) message_get_member;
  __typeof__(&sd_bus_message_is_signal) message_is_signal;
  __typeof__(&sd_bus_message_read_basic) message_read_basic;
  __typeof__(&sd_bus_message_enter_container) message_enter_container;
  __typeof__(&sd_bus_message_exit_container) message_exit_container;
  __typeof__(&sd_bus_message_skip) message_skip;
  __typeof__(&sd_bus_error_free) error_free;
};

// Loads the library until the process ends; NULL with errno if it is missing.
static inline struct csystemd *csystemd_load(void) {
  void *handle = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  struct csystemd *found = handle == NULL ? NULL : calloc(1, sizeof *found);
  if (found == NULL) {
    errno = handle == NULL ? ENOENT : ENOMEM;
    return NULL;
  }
#define CSYSTEMD_TAKE(name) \
  found->name = (__typeof__(found->name))dlsym(handle, "sd_bus_" #name); \
  if (found->name == NULL) goto missing
  CSYSTEMD_TAKE(new);
  CSYSTEMD_TAKE(set_address);
  CSYSTEMD_TAKE(set_bus_client);
  CSYSTEMD_TAKE(start);
  CSYSTEMD_TAKE(flush_close_unref);
  CSYSTEMD_TAKE(set_method_call_timeout);
  CSYSTEMD_TAKE(call_method);
  CSYSTEMD_TAKE(get_fd);
  CSYSTEMD_TAKE(get_events);
  CSYSTEMD_TAKE(get_timeout);
  CSYSTEMD_TAKE(process);
  CSYSTEMD_TAKE(message_unref);
  CSYSTEMD_TAKE(message_get_sender);
  CSYSTEMD_TAKE(message_get_path);
  CSYSTEMD_TAKE(message_get_interface);
  CSYSTEMD_TAKE(message_get_member);
  CSYSTEMD_TAKE(message_is_signal);
  CSYSTEMD_TAKE(message_read_basic);
  CSYSTEMD_TAKE(message_enter_container);
  CSYSTEMD_TAKE(message_exit_container);
  CSYSTEMD_TAKE(message_skip);
  CSYSTEMD_TAKE(error_free);
#undef CSYSTEMD_TAKE
  return found;
missing:
  free(found);
  errno = ENOSYS;
  return NULL;
}

// sd_bus_start(3) at an address. The caller must close `bus` if it is not NULL, whatever the
// result.
static inline int csystemd_open(
    const struct csystemd *library, const char *address, uint64_t call_timeout, sd_bus **bus) {
  int code = library->new(bus);
  if (code < 0) return code;
  if ((code = library->set_address(*bus, address)) < 0) return code;
  if ((code = library->set_bus_client(*bus, 1)) < 0) return code;
  if ((code = library->set_method_call_timeout(*bus, call_timeout)) < 0) return code;
  return library->start(*bus);
}

static inline void csystemd_close(const struct csystemd *library, sd_bus *bus) {
  library->flush_close_unref(bus);
}

// sd_bus_call_method(3), which is variadic: with zero, one, two or four texts.
static inline int csystemd_call(
    const struct csystemd *library, sd_bus *bus, const char *destination, const char *path,
    const char *interface, const char *member, sd_bus_message **reply, const char *first,
    const char *second, const char *third, const char *fourth) {
  if (first == NULL) {
    return library->call_method(bus, destination, path, interface, member, NULL, reply, NULL);
  }
  if (second == NULL) {
    return library->call_method(
        bus, destination, path, interface, member, NULL, reply, "s", first);
  }
  if (third == NULL) {
    return library->call_method(
        bus, destination, path, interface, member, NULL, reply, "ss", first, second);
  }
  return library->call_method(
      bus, destination, path, interface, member, NULL, reply, "ssss", first, second, third, fourth);
}

// The same with one number. `error` gets the name of the received error, truncated to `room`, or
// nothing: the codes of logind's own errors are not fixed (sd-bus-errors(3)).
static inline int csystemd_call_number(
    const struct csystemd *library, sd_bus *bus, const char *destination, const char *path,
    const char *interface, const char *member, uint32_t number, sd_bus_message **reply, char *error,
    size_t room) {
  sd_bus_error found = SD_BUS_ERROR_NULL;
  int code = library->call_method(
      bus, destination, path, interface, member, &found, reply, "u", number);
  memset(error, 0, room);
  if (found.name != NULL) strncpy(error, found.name, room - 1);
  library->error_free(&found);
  return code;
}

static inline int csystemd_descriptor(const struct csystemd *library, sd_bus *bus) {
  return library->get_fd(bus);
}

// The events for poll(2).
static inline int csystemd_events(const struct csystemd *library, sd_bus *bus) {
  return library->get_events(bus);
}

// Whether sd_bus_process(3) must be called at some time even without events.
static inline int csystemd_has_timeout(const struct csystemd *library, sd_bus *bus) {
  uint64_t time = UINT64_MAX;
  return library->get_timeout(bus, &time) >= 0 && time != UINT64_MAX;
}

static inline int csystemd_process(
    const struct csystemd *library, sd_bus *bus, sd_bus_message **message) {
  return library->process(bus, message);
}

static inline void csystemd_release(const struct csystemd *library, sd_bus_message *message) {
  library->message_unref(message);
}

static inline const char *csystemd_sender(
    const struct csystemd *library, sd_bus_message *message) {
  return library->message_get_sender(message);
}

static inline const char *csystemd_path(const struct csystemd *library, sd_bus_message *message) {
  return library->message_get_path(message);
}

static inline const char *csystemd_interface(
    const struct csystemd *library, sd_bus_message *message) {
  return library->message_get_interface(message);
}

static inline const char *csystemd_member(
    const struct csystemd *library, sd_bus_message *message) {
  return library->message_get_member(message);
}

static inline int csystemd_is_signal(const struct csystemd *library, sd_bus_message *message) {
  return library->message_is_signal(message, NULL, NULL);
}

static inline int csystemd_read(
    const struct csystemd *library, sd_bus_message *message, char type, void *value) {
  return library->message_read_basic(message, type, value);
}

static inline int csystemd_enter(
    const struct csystemd *library, sd_bus_message *message, char type, const char *contents) {
  return library->message_enter_container(message, type, contents);
}

static inline int csystemd_exit(const struct csystemd *library, sd_bus_message *message) {
  return library->message_exit_container(message);
}

static inline int csystemd_skip(
    const struct csystemd *library, sd_bus_message *message, const char *types) {
  return library->message_skip(message, types);
}
