#define _GNU_SOURCE
#include "clinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Sends the request; returns 0 or -errno.
static int ask_listeners(int number, int family, uint16_t port) {
  struct {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
  } question;
  memset(&question, 0, sizeof question);
  question.head.nlmsg_len = sizeof question;
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  question.body.sdiag_family = (uint8_t)family;
  question.body.sdiag_protocol = IPPROTO_TCP;
  question.body.idiag_states = 1u << 10;  // TCP_LISTEN: the kernel then walks no other sockets
  question.body.id.idiag_sport = htons(port);
  struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  ssize_t sent = sendto(
      number, &question, sizeof question, 0, (struct sockaddr *)&kernel, sizeof kernel);
  return sent < 0 ? -errno : 0;
}

// Reads the kernel's answer to its end, and appends to the `count` sockets found so far.
static ssize_t read_listeners(
    int number, struct clinux_listener *found, size_t room, size_t count) {
  _Alignas(struct nlmsghdr) char bytes[16384];
  for (;;) {
    struct sockaddr_nl sender = {0};
    struct iovec part = {bytes, sizeof bytes};
    struct msghdr message = {
      .msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &part, .msg_iovlen = 1};
    ssize_t got = recvmsg(number, &message, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -errno;
    if (message.msg_flags & MSG_TRUNC) return -EMSGSIZE;
    if (got == 0 || sender.nl_pid != 0) return -EPROTO;
    unsigned left = (unsigned)got;
    for (struct nlmsghdr *head = (void *)bytes; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
      // A socket came or went during the dump, so the answer may lack one.
      if (head->nlmsg_flags & NLM_F_DUMP_INTR) return -EAGAIN;
      if (head->nlmsg_type == NLMSG_ERROR) {
        if (head->nlmsg_len < NLMSG_LENGTH(sizeof(struct nlmsgerr))) return -EPROTO;
        int error = ((struct nlmsgerr *)NLMSG_DATA(head))->error;
        return error < 0 ? error : -EPROTO;
      }
      if (head->nlmsg_type == NLMSG_DONE) {
        int error = 0;
        if (head->nlmsg_len >= NLMSG_LENGTH(sizeof error)) memcpy(&error, NLMSG_DATA(head), sizeof error);
        return error < 0 ? error : (ssize_t)count;
      }
      if (head->nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg))) return -EPROTO;
      const struct inet_diag_msg *one = NLMSG_DATA(head);
      if (count < room) {
        memcpy(found[count].words, one->id.idiag_src, sizeof found[count].words);
        found[count].family = one->idiag_family;
        found[count].user = one->idiag_uid;
        found[count].inode = one->idiag_inode;
      }
      count++;
    }
  }
}

ssize_t clinux_listeners(
    int ipv4, uint16_t port, struct clinux_listener *found, size_t room) {
  int number = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (number < 0) return -errno;
  ssize_t result = ipv4 ? ask_listeners(number, AF_INET, port) : 0;
  if (ipv4 && result == 0) result = read_listeners(number, found, room, 0);
  if (result >= 0) {
    size_t count = (size_t)result;
    result = ask_listeners(number, AF_INET6, port);
    if (result == 0) result = read_listeners(number, found, room, count);
  }
  close(number);
  return result;
}
