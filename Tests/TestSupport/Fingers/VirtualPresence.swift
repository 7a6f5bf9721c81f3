internal import Glibc
internal import System

/// A directory whose `thumblatch-presence` is the one with virtual readers.
///
/// Beside it are the file that names its reader, and a PAM stack.
public struct VirtualPresence: Sendable {
  /// The directory.
  ///
  /// Other programs can be added to it.
  public let directory: String
  /// The program.
  public var program: String { directory + "/thumblatch-presence" }

  /// Assembles the directory.
  ///
  /// `stack` is the text of the PAM service, with `@` for its directory. Without it the installed
  /// one is used. `settings` are further lines after the reader's, such as the address of a bus.
  /// With `others`, every user has access to the directory.
  public init(
    reader: VirtualReader? = nil,
    settings: [String] = [],
    stack: String? = nil,
    openToOthers: Bool = false
  ) throws {
    directory = try makeTemporaryDirectory()
    let place = try Directory(path: directory)
    try Self.copy(BuiltPrograms.path("thumblatch-presence-virtual"), to: program)
    let lines = (reader.map { [$0.variable] } ?? []) + settings
    try place.create("virtual-reader.conf").write(lines.joined(separator: "\n") + "\n")
    let services = try place.openDirectory("pam.d", create: true)
    if let stack {
      let text = stack.split(separator: "@", omittingEmptySubsequences: false)
        .joined(separator: directory + "/pam.d")
      try services.create("thumblatch").write(text + "\n")
    } else {
      let installed = BuiltPrograms.sourceDirectory + "/Sources/Installed/etc/pam.d/thumblatch"
      try Self.copy(installed, to: directory + "/pam.d/thumblatch")
    }
    guard openToOthers else { return }
    for (path, mode) in [
      ("", 0o755), ("/pam.d", 0o755), ("/pam.d/thumblatch", 0o644),
      ("/virtual-reader.conf", 0o644),
    ] {
      unsafe chmod(directory + path, mode_t(mode))
    }
  }

  /// The directory of the PAM service.
  public var services: String { directory + "/pam.d" }

  /// Lets every user write to the PAM service.
  public func makeWritableByOthers() { unsafe chmod(services + "/thumblatch", 0o666) }

  /// Removes the directory.
  public func remove() { removeTemporaryDirectory(directory) }

  private static func copy(_ path: String, to target: String) throws {
    let child = try ChildProcess(
      path: "/bin/cp",
      arguments: ["--reflink=auto", path, target],
      environment: ["PATH=/bin"],
      descriptors: [-1, 1, 2]
    )
    guard try child.wait() == .exited(0) else { throw SystemError("cp", code: EIO, subject: path) }
  }
}
