// libcurl for Swift. curl_easy_setopt(3) and curl_easy_getinfo(3) are variadic, so Swift cannot
// call them. There is one typed function for each kind of argument.
#pragma once

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// --- Memory that is wiped before it is freed (curl_global_init_mem(3)). libcurl copies a request's
// body and headers into its own buffers. With malloc(3) the token would stay in freed memory.

// The size is stored before each block; 16 bytes keep the alignment of malloc(3).
enum { ccurl_prefix = 16 };

static inline void *ccurl_malloc(size_t size) {
  if (size > SIZE_MAX - ccurl_prefix) return NULL;
  unsigned char *block = malloc(ccurl_prefix + size);
  if (block == NULL) return NULL;
  memcpy(block, &size, sizeof size);
  return block + ccurl_prefix;
}

static inline void ccurl_free(void *pointer) {
  if (pointer == NULL) return;
  unsigned char *block = (unsigned char *)pointer - ccurl_prefix;
  size_t size;
  memcpy(&size, block, sizeof size);
  explicit_bzero(block, ccurl_prefix + size);
  free(block);
}

static inline void *ccurl_realloc(void *pointer, size_t size) {
  void *grown = ccurl_malloc(size);
  if (grown == NULL || pointer == NULL) return grown;
  size_t before;
  memcpy(&before, (unsigned char *)pointer - ccurl_prefix, sizeof before);
  memcpy(grown, pointer, before < size ? before : size);
  ccurl_free(pointer);
  return grown;
}

static inline void *ccurl_calloc(size_t count, size_t size) {
  if (size != 0 && count > SIZE_MAX / size) return NULL;
  void *pointer = ccurl_malloc(count * size);
  if (pointer != NULL) memset(pointer, 0, count * size);
  return pointer;
}

static inline char *ccurl_strdup(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = ccurl_malloc(size);
  if (copy != NULL) memcpy(copy, text, size);
  return copy;
}

static inline CURLcode ccurl_global_init(void) {
  return curl_global_init_mem(
      CURL_GLOBAL_DEFAULT, ccurl_malloc, ccurl_free, ccurl_realloc, ccurl_strdup, ccurl_calloc);
}

static inline const curl_version_info_data *ccurl_info(void) {
  return curl_version_info(CURLVERSION_NOW);
}

// --- curl_easy_setopt(3)

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

// libcurl copies the string. NULL resets the option to "none".
static inline CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_blob(
    CURL *handle, CURLoption option, const void *bytes, size_t count) {
  struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
  return curl_easy_setopt(handle, option, &blob);
}

// CURLOPT_POSTFIELDS(3): "the data pointed to is NOT copied by the library". With NULL libcurl
// would call a read callback for the body; "" is an empty body.
static inline CURLcode ccurl_set_body(CURL *handle, const void *bytes, size_t count) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  if (code != CURLE_OK) return code;
  return curl_easy_setopt(handle, CURLOPT_POSTFIELDS, bytes != NULL ? bytes : "");
}

typedef size_t (*ccurl_data_function)(char *bytes, size_t size, size_t count, void *context);
typedef int (*ccurl_before_function)(
    void *context, char *peer, char *own, int peer_port, int own_port);

static inline CURLcode ccurl_set_write(CURL *handle, ccurl_data_function function, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, function);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

static inline CURLcode ccurl_set_header(CURL *handle, ccurl_data_function function, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, function);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
}

// CURLOPT_PREREQFUNCTION(3): called "after a connection has been established ... and before the
// request is sent".
static inline CURLcode ccurl_set_before_request(
    CURL *handle, ccurl_before_function function, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
}

typedef curl_socket_t (*ccurl_open_function)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);

// CURLOPT_OPENSOCKETFUNCTION(3): called before the connection to each address, including a proxy's.
// CURL_SOCKET_BAD means "an unrecoverable error" for that address.
static inline CURLcode ccurl_set_open(CURL *handle, ccurl_open_function function, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
}

typedef int (*ccurl_close_function)(void *context, curl_socket_t socket);

// CURLOPT_CLOSESOCKETFUNCTION(3): called for each socket of CURLOPT_OPENSOCKETFUNCTION(3). A connection
// keeps both values, so they must live as long as the handle.
static inline CURLcode ccurl_set_close(CURL *handle, ccurl_close_function function, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, function);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, context);
}

// The bytes of an address in network order, 4 or 16, and its port; 0 for another family.
static inline size_t ccurl_address_bytes(
    const struct curl_sockaddr *address, uint8_t bytes[16], uint16_t *port) {
  if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
    struct sockaddr_in found;
    memcpy(&found, &address->addr, sizeof found);
    memcpy(bytes, &found.sin_addr, 4);
    *port = ntohs(found.sin_port);
    return 4;
  }
  if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
    struct sockaddr_in6 found;
    memcpy(&found, &address->addr, sizeof found);
    memcpy(bytes, &found.sin6_addr, 16);
    *port = ntohs(found.sin6_port);
    return 16;
  }
  return 0;
}

// Opens the same socket as libcurl's default (socket(2)).
static inline curl_socket_t ccurl_socket(const struct curl_sockaddr *address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Whether a connection to an address would come from the same address: then a route of type local
// leads to this machine (ip-route(8)). connect(2) sends nothing on a datagram socket.
static inline bool ccurl_is_own(const struct curl_sockaddr *address) {
  uint8_t there[16];
  uint16_t port;
  size_t count = ccurl_address_bytes(address, there, &port);
  int probe = socket(address->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  union {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
  } own = {0};
  socklen_t size = sizeof own;
  bool is_known = connect(probe, &address->addr, address->addrlen) == 0 &&
      getsockname(probe, &own.any, &size) == 0 && own.any.sa_family == address->family;
  close(probe);
  const void *here = count == 4 ? (const void *)&own.four.sin_addr : &own.six.sin6_addr;
  return is_known && count != 0 && memcmp(here, there, count) == 0;
}

// Whether a socket has a connection (getpeername(2)).
static inline bool ccurl_is_connected(curl_socket_t socket) {
  struct sockaddr_storage peer;
  socklen_t size = sizeof peer;
  return getpeername(socket, (struct sockaddr *)&peer, &size) == 0;
}

// --- The certificate authorities of the system

// An empty store with the flags that libcurl gives to its own; NULL without memory.
static inline X509_STORE *ccurl_store(void) {
  X509_STORE *store = X509_STORE_new();
  if (store != NULL) {
    X509_STORE_set_flags(store, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN);
  }
  return store;
}

typedef CURLcode (*ccurl_context_function)(CURL *handle, void *tls, void *context);

// CURLOPT_SSL_CTX_FUNCTION(3): called for each new SSL_CTX, after libcurl has filled its own store.
static inline CURLcode ccurl_set_context(
    CURL *handle, ccurl_context_function function, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, function);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, context);
}

// --- The beginning of a TLS handshake, before the first request

// Makes a context of TLS, and a handshake's first message with a key. The message goes to a socket of this
// process, from which nothing reads (SSL_connect(3)). False if there was no message.
static inline bool ccurl_begin_handshake(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return false;
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  SSL *connection = context != NULL ? SSL_new(context) : NULL;
  bool has_begun = connection != NULL && SSL_set_fd(connection, ends[0]) == 1 &&
      SSL_get_error(connection, SSL_connect(connection)) == SSL_ERROR_WANT_READ;
  SSL_free(connection);
  SSL_CTX_free(context);
  close(ends[0]);
  close(ends[1]);
  return has_begun;
}

// --- curl_easy_getinfo(3)

static inline CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}

// The handle owns the text and frees it at cleanup.
static inline CURLcode ccurl_get_text(CURL *handle, CURLINFO info, const char **value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode ccurl_get_offset(CURL *handle, CURLINFO info, int64_t *value) {
  curl_off_t found = 0;
  CURLcode code = curl_easy_getinfo(handle, info, &found);
  *value = found;
  return code;
}
