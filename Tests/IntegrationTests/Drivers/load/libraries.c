// The memory of a process that has loaded libcrypto, sealed something, and opened a database. It
// prints "ready" and waits for the end of its input.
//
// usage: libraries DATABASE
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sqlite3.h>
#include <stdio.h>

int main(int argc, char **argv) {
  unsigned char key[32], nonce[12], text[64] = {0}, sealed[80];
  int count;
  sqlite3 *database;
  if (argc != 2 || RAND_bytes(key, sizeof key) != 1 || RAND_bytes(nonce, sizeof nonce) != 1) return 1;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  if (EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) != 1) return 1;
  if (EVP_EncryptUpdate(context, sealed, &count, text, sizeof text) != 1) return 1;
  EVP_CIPHER_CTX_free(context);
  if (sqlite3_open(argv[1], &database) != SQLITE_OK) return 1;
  if (sqlite3_exec(database, "SELECT count(*) FROM sqlite_master", 0, 0, 0) != SQLITE_OK) return 1;
  puts("ready");
  fflush(stdout);
  getchar();
  return sqlite3_close(database) != SQLITE_OK;
}
