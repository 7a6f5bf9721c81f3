internal import Glibc
internal import System

/// A real user of this machine with a real password, for the duration of a test.
///
/// Making one needs root, as the tests of the system password do.
public struct ScratchUser: Sendable {
  /// The reason why the user could not be made or changed.
  public struct Failure: Error, CustomStringConvertible {
    /// The command that failed, and how.
    public let description: String
  }

  /// The user name.
  public let name: String
  /// The uid.
  public let user: UInt32

  /// Makes a user without a home or a shell (useradd(8)), and sets its password (chpasswd(8)).
  ///
  /// The password is public in the test, so it must give no access to this machine. The comment
  /// says which run the user is of: Scripts/test removes the users of a run that was interrupted.
  public init(password: String) throws {
    var bytes = [UInt8](repeating: 0, count: 4)
    unsafe try bytes.withUnsafeMutableBytes { unsafe try ThisProcess.fillRandom($0) }
    let name = "tl" + bytes.map { String($0, radix: 36) }.joined()
    self.name = name
    try Self.run(
      "/usr/sbin/useradd",
      [
        "--no-create-home", "--comment", runDirectory(), "--shell", "/usr/sbin/nologin", name,
      ]
    )
    var number: UInt32?
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      guard let space = buffer.baseAddress,
        unsafe getpwnam_r(name, &entry, space, buffer.count, &found) == 0
      else { return }
      number = unsafe found?.pointee.pw_uid
    }
    guard let number else { throw Failure(description: "useradd made no user") }
    user = number
    try setPassword(password)
  }

  /// Sets another password.
  public func setPassword(_ password: String) throws {
    try Self.run("/usr/sbin/chpasswd", [], input: "\(name):\(password)\n")
  }

  /// Changes the user (usermod(8)), with options such as `["--lock"]`.
  public func modify(_ arguments: [String]) throws {
    try Self.run("/usr/sbin/usermod", arguments + [name])
  }

  /// Changes the password's expiry (chage(1)).
  public func age(_ arguments: [String]) throws {
    try Self.run("/usr/bin/chage", arguments + [name])
  }

  /// Removes the password, so that the user needs none (passwd(1), -d).
  public func removePassword() throws {
    try Self.run("/usr/bin/passwd", ["--quiet", "--delete", name])
  }

  /// Deletes the user.
  public func remove() {
    try? Self.run("/usr/sbin/userdel", [name])
  }

  private static func run(_ path: String, _ arguments: [String], input: String = "") throws {
    // These commands lock the user database, and tests of one machine may run side by side.
    var end: ProcessEnd = .exited(0)
    for _ in 0..<20 {
      let (ours, theirs) = try UnixSocket.pair()
      let near = Descriptor(owning: ours)
      let far = Descriptor(owning: theirs)
      // Write before the start: a command that finds the database locked ends without reading.
      try near.write(input)
      _ = shutdown(near.number, Int32(SHUT_WR))
      let child = try ChildProcess(
        path: path,
        arguments: arguments,
        environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"],
        descriptors: [far.number, -1, -1]
      )
      end = try child.wait()
      if end == .exited(0) { return }
    }
    throw Failure(description: "\(path) \(arguments): \(end)")
  }
}
