#include <sqlite3.h>

// Swift does not see the macro SQLITE_TRANSIENT: SQLite copies the bytes before it returns.

static inline int sqlite_bind_copied_text(
    sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

static inline int sqlite_bind_copied_blob(
    sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
