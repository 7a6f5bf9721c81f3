internal import Glibc

/// A program of this project, found and checked.
///
/// It is beside the running program or in the packages' directory. PATH is never searched: any user
/// could own a directory in it, and the program receives tokens and passwords.
package struct InstalledProgram: Sendable, Equatable {
  /// The packages' directory for programs that people do not call.
  package static let libexec = "/usr/libexec/thumblatch"

  /// The whole environment of a program of this project that another one starts.
  ///
  /// A caller's locale, proxy, library path or malloc settings must not reach a process that holds
  /// secrets, and no variable selects a reader.
  package static let environment = [
    "PATH=/usr/bin:/bin",
    "LANG=C.UTF-8",
    // A backtrace would print registers, which may hold a password or a key.
    "SWIFT_BACKTRACE=enable=no",
  ]

  package let path: String
  private let stamp: FileStamp

  /// Whether both are the same file under the same path.
  ///
  /// A package update puts another file there.
  package static func == (first: InstalledProgram, second: InstalledProgram) -> Bool {
    first.path == second.path && first.stamp.isOfSameFile(as: second.stamp)
  }

  /// Why a program cannot be used.
  package enum Flaw: Error, Equatable, Sendable, CustomStringConvertible {
    /// None of these directories has it.
    case missing(name: String, directories: [String])
    /// A user other than root and this one could change it or its directory.
    case unsafe(path: String, reason: String)

    /// The problem and its remedy.
    package var description: String {
      switch self {
      case .missing(let name, let directories):
        "\(name) is not in \(directories.joined(separator: " or ")): install it again"
      case .unsafe(let path, let reason): "\(path) is not used: \(reason)"
      }
    }
  }

  /// Finds a program beside the running one, then in `libexec`.
  package init(_ name: String) throws(Flaw) {
    let own = (try? ThisProcess.programDirectory()) ?? Self.libexec
    try self.init(name, directories: own == Self.libexec ? [own] : [own, Self.libexec])
  }

  /// Finds a program for an app, whose own directory does not hold the programs.
  package init(forApp name: String) throws(Flaw) {
    try self.init(
      name,
      directories: Self.directories(
        around: try? ThisProcess.programDirectory(),
        home: ThisProcess.environment("HOME")
      )
    )
  }

  /// The directories that an app searches, in this order: its own, its installation prefix, those
  /// of packages and administrators, and a person's (`Scripts/build --prefix`).
  package static func directories(around own: String?, home: String?) -> [String] {
    var directories: [String] = []
    if let own {
      directories.append(own)
      if let slash = own.lastIndex(of: "/") {
        directories.append(own[..<slash] + "/libexec/thumblatch")
      }
    }
    directories += [libexec, "/usr/local/libexec/thumblatch"]
    if let home, home.hasPrefix("/") { directories.append(home + "/.local/libexec/thumblatch") }
    return directories.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Finds the first match in these directories; an unsafe match is an error and is not skipped.
  package init(_ name: String, directories: [String]) throws(Flaw) {
    for directory in directories {
      let path = directory + "/" + name
      let flaw: String?
      let stamp: FileStamp?
      do throws(SystemError) {
        let opened = try Directory(path: directory)
        stamp = try opened.stamp(name)
        let file = try opened.openForReading(name)
        let (program, around) = (try file.status(), try opened.descriptor.status())
        flaw =
          Self.flaw(of: program, as: .regular, at: path)
          ?? Self.flaw(of: around, as: .directory, at: directory)
      } catch {
        if error.code == ENOENT || error.code == ENOTDIR { continue }
        throw .unsafe(path: path, reason: "\(error)")
      }
      if let flaw { throw .unsafe(path: path, reason: flaw) }
      guard let stamp else { continue }
      self.path = path
      self.stamp = stamp
      return
    }
    throw .missing(name: name, directories: directories)
  }

  private static func flaw(
    of status: FileStatus,
    as kind: FileKind,
    at path: String
  ) -> String? {
    guard status.kind == kind else { return "it is not a regular file in a directory" }
    switch FileOwner(of: status, at: path) {
    case .root, .own: break
    case .other(let user): return "it or its directory belongs to user \(user)"
    case .hidden(let doubt): return "\(doubt): \(doubt.remedy)"
    }
    return status.mode & 0o022 == 0 ? nil : "others may write to it or to its directory"
  }
}

extension InstalledProgram {
  /// Whether a process runs a program of this project, by its executable file and that file's
  /// owner.
  ///
  /// False too if this process may not see the file: for another user's process, or one that
  /// refuses dumps.
  package static func isRun(by process: Int32) -> Bool {
    guard let path = try? ThisProcess.program(of: "\(process)"),
      let slash = path.lastIndex(of: "/")
    else { return false }
    let program = try? InstalledProgram(String(path[path.index(after: slash)...]))
    return program?.path == path
  }
}
