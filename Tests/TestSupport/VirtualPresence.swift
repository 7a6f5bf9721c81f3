internal import Glibc
internal import System

/// A directory in which `thumblatch-presence` is the one with virtual readers, with the file that
/// names its reader and a PAM stack beside it.
public struct VirtualPresence: Sendable {
  /// The directory; other programs can be put into it.
  public let directory: String
  /// The program.
  public var program: String { directory + "/thumblatch-presence" }

  /// Assembles the directory.
  ///
  /// `stack` is the text of the PAM service, in which `@` stands for its directory; without one
  /// it is the installed one. `settings` are further lines beside that of the reader, such as that
  /// of a bus. `others` may enter the directory if asked for.
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

  /// Removes all of it.
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
