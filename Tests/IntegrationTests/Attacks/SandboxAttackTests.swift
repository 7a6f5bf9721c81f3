import Glibc
import System
import TestSupport
import Testing

/// Files and servers of other users, in sandboxes that show them as root's.
@Suite(.serialized)
struct SandboxAttackTests {
  /// Another user of the machine.
  private static let other = 4444
  private let person: Someone

  init() throws {
    person = try Someone()
  }

  private var own: String { "\(person.user.user):\(person.user.user):1" }

  /// Runs a command in a user namespace, after root has prepared the mounts.
  ///
  /// `/usr/libexec/thumblatch` holds root's copies of the programs.
  private func run(
    _ map: String,
    before: String = "",
    variables: [String] = [],
    _ command: [String] = [Someone.installed + "/thumblatch", "--version"]
  ) throws -> Someone.Outcome {
    let script = """
      umask 022
      mount -t tmpfs -o mode=755 none /usr/libexec; mkdir \(Someone.installed)
      cp \(person.programs)/thumblatch \(person.programs)/thumblatch-cli \(Someone.installed)
      mount -t tmpfs -o mode=755 none /run; mkdir /run/thumblatch
      mount -t tmpfs -o mode=755 none /srv
      \(before)
      exec "$0" "$@"
      """
    let words = ["/usr/bin/unshare", "--mount", "/bin/sh", "-ec", script] + person.namespace(map)
    return try person.run(by: words, command, variables: variables)
  }

  private func refuses(_ outcome: Someone.Outcome, _ text: String) {
    #expect(outcome.end == .exited(6), "\(outcome)")
    #expect(outcome.text.contains(text), "\(outcome)")
  }

  @Test
  func rootsProgramsAreUsed() throws {
    try run(own).succeeded()
    try run("0:0:1,\(own)").succeeded()
  }

  /// A file of that user would look like root's.
  @Test
  func aNamespaceThatMapsTheNumberOfHiddenUsersIsRefused() throws {
    let text = "where user 65534 stands for several users: install it as your own user"
    refuses(try run("\(own),65534:\(Self.other):1"), text)
    refuses(try run("65534:\(person.user.user):1"), text)
    // Rootless containers map a range.
    refuses(try run("0:\(person.user.user):1,1:100000:65535"), text)
  }

  @Test
  func whereRootIsShownAHiddenOwnerIsAnotherUser() throws {
    let before = "chown \(Self.other) \(Someone.installed)/*"
    refuses(try run("0:0:1,\(own)", before: before), "hides, and who is not root")
  }

  @Test(arguments: [
    "chmod 777 /usr/libexec", "chmod 1777 /usr/libexec",
    "chgrp 4444 /usr/libexec; chmod 775 /usr/libexec",
  ])
  func aDirectoryAboveThatOthersCanWriteIsRefused(before: String) throws {
    refuses(try run(own, before: before), "other users can write to /usr/libexec")
    // Where root is shown, the owners of the programs and of their directory tell enough.
    try run("0:0:1,\(own)", before: before).succeeded()
  }

  @Test
  func aProgramOfAnotherUserInADirectoryThatOthersCanWriteIsRefused() throws {
    let before = """
      chmod 1777 \(Someone.installed); chown \(Self.other) \(Someone.installed)/thumblatch-cli
      """
    refuses(try run(own, before: before), "can write to \(Someone.installed)")
  }

  /// An administrator may have given `/usr/local` to a user.
  @Test
  func anEngineOfAnotherUserInTheLocalDirectoryIsRefused() throws {
    let local = "/usr/local/libexec/thumblatch"
    let before = """
      mount -t tmpfs -o mode=755 none /usr/local; mkdir -p \(local)
      cp \(person.programs)/thumblatchd \(local); chown -R \(Self.other) /usr/local
      """
    let command = [Someone.installed + "/thumblatch", "account", "list", "--private"]
    let outcome = try run(own, before: before, command)
    refuses(outcome, "\(local)/thumblatchd is not safe to run: its owner is hidden")
    #expect(outcome.text.contains("another user may have made it"), "\(outcome)")
  }

  /// In a namespace without a map, this user has the number of all others.
  @Test
  func withoutAMapNoFileCountsAsOnesOwn() throws {
    try run("").succeeded()
    let before = "chown -R \(Self.other) \(Someone.installed); chmod 1777 /usr/libexec"
    refuses(try run("", before: before), "other users can write to /usr/libexec")
    let server = try run(
      "",
      before: server("/srv/other", by: Self.other),
      variables: ["THUMBLATCH_SOCKET=/srv/other/socket"],
      [Someone.installed + "/thumblatch", "status"]
    )
    refuses(server, "another user may have made it")
  }

  @Test
  func withoutProcNothingIsKnown() throws {
    let words = person.bubblewrap(["--tmpfs", "/proc/sys"])
    let outcome = try person.run(by: words, [Someone.installed + "/thumblatch", "--version"])
    refuses(outcome, "which has no /proc: mount /proc in the sandbox")
  }

  // MARK: - Servers

  /// Makes a directory with a server's socket of a user.
  ///
  /// The server would answer, and is refused before a byte is sent.
  private func server(_ directory: String, by user: Int) -> String {
    """
    mkdir -p \(directory); chown \(user) \(directory)
    mkfifo -m 666 \(directory)/ready
    /usr/bin/setpriv --reuid=\(user) --clear-groups /usr/bin/python3 -c '
    import socket, sys
    own = socket.socket(socket.AF_UNIX); own.bind(sys.argv[1] + "/socket"); own.listen(8)
    own.settimeout(60)
    open(sys.argv[1] + "/ready", "w").write("now\\n")
    own.accept()
    ' \(directory) >/dev/null 2>&1 </dev/null &
    grep -q now \(directory)/ready
    chmod 666 \(directory)/socket
    """
  }

  private func status(
    _ socket: String,
    before: String,
    map: String? = nil
  ) throws
    -> Someone.Outcome
  {
    try run(
      map ?? own,
      before: before,
      variables: ["THUMBLATCH_SOCKET=\(socket)"],
      [Someone.installed + "/thumblatch", "status"]
    )
  }

  @Test
  func aServerOfAHiddenUserIsRefusedOutsideTheServicesDirectory() throws {
    let outcome = try status("/srv/other/socket", before: server("/srv/other", by: Self.other))
    refuses(outcome, "another user may have made it")
    #expect(outcome.text.contains("thumblatch agent --socket"), "\(outcome)")
  }

  @Test
  func aLinkInTheServicesDirectoryLeadsToNoServer() throws {
    let before = """
      mkdir /srv/other; \(server("/srv/other/below", by: Self.other))
      ln -s /srv/other /run/thumblatch/link
      """
    let outcome = try status("/run/thumblatch/link/below/socket", before: before)
    refuses(outcome, "/run/thumblatch/link is a symbolic link")
  }

  @Test
  func aServiceWhoseOwnerIsNotKnownIsRefusedAndNotBypassed() throws {
    let before = """
      \(server("/run/thumblatch", by: 0)); mv /run/thumblatch/socket /run/thumblatch/io.thumblatch.Vault
      """
    // The programs are the person's own.
    let outcome = try run(
      "\(own),65534:\(Self.other):1",
      before: before + "; chown -R \(person.user.user) \(Someone.installed)",
      [Someone.installed + "/thumblatch", "status"]
    )
    refuses(outcome, "/run/thumblatch cannot be used: its owner is hidden in this sandbox")
    #expect(outcome.text.contains("thumblatch agent --socket"), "\(outcome)")
  }
}
