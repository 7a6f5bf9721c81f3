// libmicrohttpd(3). MHD_start_daemon is variadic, and its options must end with MHD_OPTION_END.
#pragma once
#include <arpa/inet.h>
#include <microhttpd.h>

// Listens on 127.0.0.1, on this port, or on any free one if it is 0, with one separate thread.
static inline struct MHD_Daemon *cmicrohttpd_start(
  uint16_t port, unsigned int connections, unsigned int timeout, size_t memory,
  MHD_AccessHandlerCallback answer, void *context, MHD_RequestCompletedCallback completed) {
  struct sockaddr_in address = {
    .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  return MHD_start_daemon(
    MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, port, NULL, NULL, answer, context,
    MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT, connections,
    MHD_OPTION_CONNECTION_TIMEOUT, timeout, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
    MHD_OPTION_NOTIFY_COMPLETED, completed, context, MHD_OPTION_END);
}

static inline uint16_t cmicrohttpd_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}
