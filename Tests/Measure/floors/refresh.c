// The minimum of any refresh: one POST that brings another refresh token, one write of the answer
// into a preallocated file, one commit of SQLite. Each is made durable.
//
// usage: refresh PORT SLOT DATABASE
// Standard input has the token, and then a line for each round. Each is answered with the
// nanoseconds of the POST, the write and the commit.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static char answer[65536], token[4096];

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void fail(const char *what) {
  fprintf(stderr, "refresh: %s\n", what);
  exit(1);
}

// Sends the token, and takes the next one from the answer.
static size_t post(int port) {
  struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(port)};
  there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int own = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(own, (struct sockaddr *)&there, sizeof there) != 0) fail("connect");
  char body[8192], request[16384];
  int size = snprintf(body, sizeof body, "{\"refresh_token\":\"%s\"}", token);
  int count = snprintf(request, sizeof request,
    "POST /auth/refresh HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    "Content-Length: %d\r\n\r\n%s", size, body);
  if (write(own, request, count) != count) fail("write");
  size_t got = 0;
  ssize_t part;
  while ((part = read(own, answer + got, sizeof answer - 1 - got)) > 0) got += part;
  close(own);
  answer[got] = 0;
  char *next = strstr(answer, "\"refresh_token\": \"");
  if (next == NULL) fail("no token came back");
  next += strlen("\"refresh_token\": \"");
  size_t length = strcspn(next, "\"");
  if (length >= sizeof token) fail("a token that long");
  memcpy(token, next, length);
  token[length] = 0;
  return got;
}

static void run(sqlite3 *store, const char *sql) {
  if (sqlite3_exec(store, sql, NULL, NULL, NULL) != SQLITE_OK) fail(sqlite3_errmsg(store));
}

int main(int count, char **arguments) {
  char line[16];
  if (count != 4 || fgets(token, sizeof token, stdin) == NULL) fail("PORT SLOT DATABASE <TOKEN");
  token[strcspn(token, "\n")] = 0;
  int slot = open(arguments[2], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  static char zeroes[65536];
  if (slot < 0 || pwrite(slot, zeroes, sizeof zeroes, 0) != sizeof zeroes || fsync(slot) != 0) fail("slot");
  sqlite3 *store;
  if (sqlite3_open(arguments[3], &store) != SQLITE_OK) fail("database");
  run(store, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
    "CREATE TABLE boxes (id INTEGER PRIMARY KEY, box BLOB);"
    "INSERT INTO boxes VALUES (1, zeroblob(300))");
  while (fgets(line, sizeof line, stdin) != NULL) {
    long long begun = now();
    size_t size = post(atoi(arguments[1]));
    long long posted = now();
    if (pwrite(slot, answer, size, 0) != (ssize_t)size || fdatasync(slot) != 0) fail("slot");
    long long kept = now();
    run(store, "UPDATE boxes SET box = randomblob(300) WHERE id = 1");
    printf("%lld %lld %lld\n", posted - begun, kept - posted, now() - kept);
    fflush(stdout);
  }
  return 0;
}
