import TestSupport

/// The faults that the test plants.
extension DoctorTests {
  /// A planted fault, and the finding that is expected for it.
  struct Fault: Sendable, CustomStringConvertible {
    let name: String
    let level: String
    let remedy: String
    /// Run as root before the start: `$S` is the state, `$P` the provider files, `$B` the programs,
    /// `$U` the user.
    var plant = ":"
    /// Run as the person in the shell that runs `doctor`.
    var before = ":"
    /// Whether the engine runs while the fault is planted.
    var engineRuns = false
    /// Run as root afterwards.
    var undo = ":"
    var description: String { "\(name): \(plant == ":" ? before : plant)" }
  }

  private static func sql(_ statements: String) -> String {
    """
    python3 -c 'import sqlite3, sys; s = sqlite3.connect(sys.argv[1], isolation_level=None); \
    s.executescript(sys.argv[2])' $S/vault.db "\(statements)"
    """
  }

  static let faults: [Fault] = [
    Fault(
      name: "programs",
      level: "problem",
      remedy: "install",
      plant: "rm $B/thumblatch-exchange"
    ),
    Fault(
      name: "programs",
      level: "problem",
      remedy: "install",
      plant: "rm $B/thumblatch-presence"
    ),
    Fault(
      name: "programs",
      level: "problem",
      remedy: "chmod go-w",
      plant: "chmod 777 $B/thumblatchd"
    ),
    Fault(
      name: "programs",
      level: "problem",
      remedy: "chmod 755",
      plant: "chmod 644 $B/thumblatch-exchange"
    ),
    Fault(name: "state-directory", level: "problem", remedy: "chmod 700", plant: "chmod 755 $S"),
    Fault(name: "state-directory", level: "problem", remedy: "chmod 700", plant: "chmod 300 $S"),
    Fault(
      name: "state-directory",
      level: "problem",
      remedy: "remove it",
      plant: "mv $S $S.x; ln -s $S.x $S"
    ),
    Fault(
      name: "state-directory",
      level: "problem",
      remedy: "of your own",
      plant: "chown 0 $S"
    ),
    Fault(
      name: "state-directory",
      level: "problem",
      remedy: "begins with /",
      before: "export THUMBLATCH_STATE_DIR=vault"
    ),
    Fault(
      name: "free-space",
      level: "problem",
      remedy: "make room",
      plant: """
        mv $S $S.x; mkdir $S; mount -t tmpfs -o size=900k,mode=0700,uid=$U none $S; cp -a $S.x/. $S
        """,
      undo: "umount -l $S"
    ),
    Fault(
      name: "providers",
      level: "problem",
      remedy: "correct",
      plant: "echo nonsense >>$P/dev.conf"
    ),
    Fault(
      name: "providers",
      level: "problem",
      remedy: "chmod go-w",
      plant: "chmod 666 $P/dev.conf"
    ),
    Fault(name: "providers", level: "problem", remedy: "chmod 700", plant: "chmod 777 $P"),
    Fault(
      name: "proxy",
      level: "warning",
      remedy: "--proxy",
      before: "export HTTPS_PROXY=http://evil.example"
    ),
    Fault(
      name: "certificates",
      level: "warning",
      remedy: "--ca",
      before: "export SSL_CERT_FILE=/tmp/x.pem"
    ),
    Fault(
      name: "environment",
      level: "warning",
      remedy: "THUMBLATCH_STATE_DIR",
      before: "export THUMBLATCH_STATEDIR=/tmp/x"
    ),
    Fault(name: "locale", level: "warning", remedy: "UTF-8", before: "export LC_ALL=C"),
    Fault(name: "open-files", level: "warning", remedy: "ulimit -n", before: "ulimit -n 128"),
    Fault(name: "umask", level: "warning", remedy: "umask 022", before: "umask 0777"),
    Fault(name: "memory", level: "warning", remedy: "RLIMIT_MEMLOCK", before: "ulimit -l 0"),
    Fault(
      name: "password",
      level: "problem",
      remedy: "install",
      plant: "rm $B/pam.d/thumblatch"
    ),
    Fault(
      name: "password",
      level: "problem",
      remedy: "pam_fprintd",
      plant: "echo 'auth sufficient pam_fprintd.so' >>$B/pam.d/thumblatch"
    ),
    Fault(
      name: "password",
      level: "problem",
      remedy: "chmod go-w",
      plant: "chmod 666 $B/pam.d/thumblatch"
    ),
    Fault(
      name: "engine",
      level: "problem",
      remedy: "restore device-secret",
      plant: "rm $S/device-secret"
    ),
    Fault(
      name: "engine",
      level: "problem",
      remedy: "restore device-secret",
      plant: "truncate -s 31 $S/device-secret"
    ),
    Fault(
      name: "engine",
      level: "problem",
      remedy: "chmod",
      plant: "chmod 644 $S/device-secret"
    ),
    Fault(
      name: "device-secret",
      level: "problem",
      remedy: "chmod",
      plant: "chmod 644 $S/device-secret",
      engineRuns: true
    ),
    Fault(
      name: "engine",
      level: "problem",
      remedy: "restore",
      plant: "printf 'this is no database' >$S/vault.db"
    ),
    Fault(
      name: "engine",
      level: "problem",
      remedy: "newer program",
      plant: "printf '\\0\\0\\0\\143' | dd of=$S/vault.db bs=1 seek=60 conv=notrunc status=none"
    ),
    Fault(
      name: "store",
      level: "problem",
      remedy: "restore",
      plant: sql(
        "PRAGMA ignore_check_constraints = ON; UPDATE accounts SET display_name = printf('%5000d', 1)"
      )
    ),
    Fault(
      name: "store-files",
      level: "problem",
      remedy: "/vault.db",
      plant: "chmod 640 $S/vault.db"
    ),
    Fault(name: "slots", level: "problem", remedy: "account remove", plant: "rm $S/slots/*"),
    Fault(name: "slots", level: "problem", remedy: "chmod", plant: "chmod 644 $S/slots/*"),
    Fault(
      name: "slots",
      level: "warning",
      remedy: "next start",
      plant: "cp -p $S/slots/* $S/slots/00112233445566778899aabbccddeeff",
      engineRuns: true
    ),
    Fault(
      name: "token-files",
      level: "problem",
      remedy: "remove tokens/me",
      plant: "chmod 644 $S/tokens/me"
    ),
    Fault(
      name: "token-files",
      level: "warning",
      remedy: "remove it",
      plant: "cp -p $S/tokens/me $S/tokens/stranger",
      engineRuns: true
    ),
    Fault(
      name: "rollback-counter",
      level: "warning",
      remedy: "the next refresh writes it again",
      plant: "echo damaged >$S/rollback-counter",
      engineRuns: true
    ),
    Fault(
      name: "accounts",
      level: "problem",
      remedy: "login me --provider dev",
      plant: sql("UPDATE accounts SET provider_settings = x'00'")
    ),
    Fault(
      name: "accounts",
      level: "warning",
      remedy: "login me",
      plant: sql("UPDATE accounts SET state = 'login_required', cause = 'answer lost'")
    ),
    Fault(
      name: "clock-audit",
      level: "problem",
      remedy: "timedatectl",
      plant: sql("UPDATE audit SET time = time + 86400")
    ),
    Fault(
      name: "reader",
      level: "warning",
      remedy: "system password",
      plant: "rm $B/virtual-reader.conf"
    ),
  ]
}
