#pragma once
#include <sqlite3.h>
#include <string.h>

// sqlite3_db_config is variadic. "The second int is set to the new value", which is returned in
// *now, because the caller must notice a setting that did not take effect.
static inline int csqlite_configure(sqlite3 *database, int setting, int value, int *now) {
  return sqlite3_db_config(database, setting, value, now);
}

// SQLITE_TRANSIENT is a cast that Swift does not import: it makes SQLite copy the bytes.
static inline int csqlite_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  // "If the third parameter to sqlite3_bind_blob() is a NULL pointer then the fourth parameter is
  // ignored and the end result is the same as sqlite3_bind_null()": an empty blob is not NULL.
  if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}
static inline int csqlite_bind_text(
    sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
  if (count == 0) bytes = "";
  return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// The default file system layer, except that it uses names unchanged. SQLite's own layer resolves
// every link. Then /proc/self/fd/N/name would become the directory's path at that moment. The log
// and the journal would be made at that path, even if it leads elsewhere later. With unchanged names
// every file is opened through the descriptor. (SQLite opens all of them with O_NOFOLLOW.)
static inline int csqlite_same_name(
    sqlite3_vfs *layer, const char *name, int capacity, char *result) {
  (void)layer;
  size_t count = strlen(name) + 1;
  if (capacity < 0 || count > (size_t)capacity) return SQLITE_CANTOPEN;
  memcpy(result, name, count);
  return SQLITE_OK;
}
#define CSQLITE_LAYER "thumblatch"
// Call it once in a process.
static inline int csqlite_register_layer(void) {
  static sqlite3_vfs layer;
  int code = sqlite3_initialize();
  if (code != SQLITE_OK) return code;
  sqlite3_vfs *base = sqlite3_vfs_find("unix");
  if (base == NULL) return SQLITE_NOTFOUND;
  layer = *base;
  layer.pNext = NULL;
  layer.zName = CSQLITE_LAYER;
  layer.xFullPathname = csqlite_same_name;
  return sqlite3_vfs_register(&layer, 0);
}
