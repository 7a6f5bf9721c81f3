/// The schema of the store, as an ordered list of named steps.
///
/// `user_version` is the number of completed steps. A released step never changes: a change is a
/// further step.
struct Schema {
  /// One step from one schema to the next.
  struct Migration {
    let name: String
    let statements: [String]
  }

  let migrations: [Migration]

  /// The version number of a store with this schema.
  var version: Int { migrations.count }

  /// `TLvt` in the header of the file.
  ///
  /// sqlite.org/fileformat2.html: the field is for "databases used as application file-formats".
  static let applicationID: Int32 = 0x544c_7674
  /// `TLbv`: the seven schemas of programs before the first release.
  static let unreleasedApplicationID: Int32 = 0x544c_6276

  static let current = Schema(migrations: [
    Migration(name: "accounts, tokens, intents, prints, keys, lockouts, audit", statements: tables)
  ])

  private static let tables = [
    """
    CREATE TABLE meta (
      key TEXT NOT NULL PRIMARY KEY CHECK (length(key) BETWEEN 1 AND 64),
      value BLOB NOT NULL CHECK (length(value) <= 65536)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE accounts (
      id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
      name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
      owner INTEGER NOT NULL CHECK (owner BETWEEN 0 AND 4294967295),
      provider TEXT NOT NULL CHECK (length(provider) BETWEEN 1 AND 64),
      provider_settings BLOB NOT NULL CHECK (length(provider_settings) <= 1048576),
      sealed_client_secret BLOB CHECK (length(sealed_client_secret) BETWEEN 1 AND 4096),
      exportable INTEGER NOT NULL CHECK (exportable IN (0, 1)),
      binding BLOB NOT NULL CHECK (length(binding) = 32),
      subject TEXT CHECK (length(subject) <= 4096),
      email TEXT CHECK (length(email) <= 4096),
      display_name TEXT CHECK (length(display_name) <= 4096),
      user_facts TEXT CHECK (length(user_facts) <= 8192),
      login_scope TEXT CHECK (length(login_scope) <= 4096),
      missing_scope TEXT CHECK (length(missing_scope) <= 4096),
      protection INTEGER NOT NULL CHECK (protection BETWEEN 0 AND 255),
      generation INTEGER NOT NULL CHECK (generation >= 0),
      sealed_refresh_token BLOB CHECK (length(sealed_refresh_token) BETWEEN 1 AND 65536),
      state TEXT NOT NULL CHECK (state IN ('signed_out', 'signed_in', 'login_required')),
      cause TEXT CHECK (length(cause) <= 4096),
      created_at INTEGER NOT NULL,
      used_at INTEGER,
      refreshed_at INTEGER,
      UNIQUE (owner, name)
    ) STRICT
    """,
    """
    CREATE TABLE access_tokens (
      account BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      scope_set TEXT NOT NULL CHECK (length(scope_set) <= 4096),
      granted_scope TEXT CHECK (length(granted_scope) <= 4096),
      token TEXT NOT NULL CHECK (length(token) BETWEEN 1 AND 65536),
      token_type TEXT NOT NULL CHECK (length(token_type) BETWEEN 1 AND 256),
      expires_at INTEGER,
      stored_at INTEGER NOT NULL,
      requested_lifetime INTEGER,
      PRIMARY KEY (account, scope_set)
    ) STRICT
    """,
    """
    CREATE TABLE intents (
      account BLOB NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
      intent BLOB NOT NULL UNIQUE CHECK (length(intent) = 32),
      purpose TEXT NOT NULL CHECK (purpose IN ('refresh', 'login', 'register')),
      generation INTEGER NOT NULL CHECK (generation >= 0),
      started_at INTEGER NOT NULL,
      boot_id BLOB NOT NULL CHECK (length(boot_id) = 16),
      boot_instant INTEGER NOT NULL,
      attempts INTEGER NOT NULL CHECK (attempts >= 0),
      not_before INTEGER NOT NULL,
      wait_seconds INTEGER NOT NULL CHECK (wait_seconds >= 0),
      uncertain INTEGER NOT NULL CHECK (uncertain IN (0, 1)),
      context BLOB NOT NULL CHECK (length(context) <= 1048576)
    ) STRICT
    """,
    """
    CREATE TABLE prints (
      id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
      owner INTEGER NOT NULL CHECK (owner BETWEEN 0 AND 4294967295),
      finger TEXT NOT NULL CHECK (length(finger) BETWEEN 1 AND 64),
      driver TEXT NOT NULL CHECK (length(driver) BETWEEN 1 AND 256),
      device TEXT NOT NULL CHECK (length(device) <= 256),
      sealed BLOB NOT NULL CHECK (length(sealed) BETWEEN 1 AND 4194304),
      enrolled_at INTEGER NOT NULL,
      UNIQUE (owner, finger)
    ) STRICT
    """,
    """
    CREATE TABLE former_prints (
      id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
      owner INTEGER NOT NULL CHECK (owner BETWEEN 0 AND 4294967295),
      finger TEXT NOT NULL CHECK (length(finger) BETWEEN 1 AND 64),
      driver TEXT NOT NULL CHECK (length(driver) BETWEEN 1 AND 256),
      device TEXT NOT NULL CHECK (length(device) <= 256),
      sealed BLOB NOT NULL CHECK (length(sealed) BETWEEN 1 AND 4194304),
      enrolled_at INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE security_keys (
      id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
      owner INTEGER NOT NULL CHECK (owner BETWEEN 0 AND 4294967295),
      name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
      sealed BLOB NOT NULL CHECK (length(sealed) BETWEEN 1 AND 4096),
      enrolled_at INTEGER NOT NULL,
      UNIQUE (owner, name)
    ) STRICT
    """,
    """
    CREATE TABLE lockouts (
      owner INTEGER NOT NULL PRIMARY KEY CHECK (owner BETWEEN 0 AND 4294967295),
      failures INTEGER NOT NULL CHECK (failures >= 0),
      password_only INTEGER NOT NULL CHECK (password_only IN (0, 1))
    ) STRICT
    """,
    """
    CREATE TABLE password_waits (
      owner INTEGER NOT NULL PRIMARY KEY CHECK (owner BETWEEN 0 AND 4294967295),
      failures INTEGER NOT NULL CHECK (failures >= 0),
      boot_id BLOB NOT NULL CHECK (length(boot_id) = 16),
      not_before INTEGER NOT NULL,
      wait_seconds INTEGER NOT NULL CHECK (wait_seconds >= 0)
    ) STRICT
    """,
    """
    CREATE TABLE enrolled_sets (
      owner INTEGER NOT NULL PRIMARY KEY CHECK (owner BETWEEN 0 AND 4294967295),
      code BLOB NOT NULL CHECK (length(code) = 32),
      source TEXT NOT NULL CHECK (length(source) BETWEEN 1 AND 32),
      fingers TEXT NOT NULL CHECK (length(fingers) <= 4096),
      confirmed_at INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE audit (
      number INTEGER NOT NULL PRIMARY KEY CHECK (number >= 1),
      time INTEGER NOT NULL,
      owner INTEGER NOT NULL CHECK (owner BETWEEN 0 AND 4294967295),
      event TEXT NOT NULL CHECK (length(event) BETWEEN 1 AND 64),
      outcome TEXT NOT NULL CHECK (length(outcome) BETWEEN 1 AND 64),
      account_id BLOB CHECK (length(account_id) = 16),
      account TEXT CHECK (length(account) <= 256),
      method TEXT CHECK (length(method) <= 64),
      requester TEXT CHECK (length(requester) <= 4096),
      detail TEXT CHECK (length(detail) <= 4096),
      mac BLOB NOT NULL CHECK (length(mac) = 32)
    ) STRICT
    """,
    "CREATE INDEX audit_by_time ON audit (time)",
  ]
}
