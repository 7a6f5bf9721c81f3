import Glibc
import MachineFiles
import System
import TestSupport
import Testing

/// A scratch directory in place of `/etc/thumblatch`, which this user may own.
struct MachineScratch {
  let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  var path: String { scratch.path }
  var files: MachineDirectory { MachineDirectory(path: path, owners: [ThisProcess.user]) }
  var check: ConfigurationCheck { ConfigurationCheck(files) }
  /// The findings without the path of the directory, errors with a star.
  var findings: [String] {
    check.findings.map { ($0.isError ? "* " : "") + $0.description.replacing(path + "/", with: "") }
  }

  func folder(_ name: String) throws {
    _ = try scratch.open().openDirectory(name, create: true)
  }

  /// Writes a file, also in one folder of the directory.
  func write(_ name: String, _ text: String, mode: UInt32 = 0o644) throws {
    try write(name, Array(text.utf8), mode: mode)
  }

  func write(_ name: String, _ bytes: [UInt8], mode: UInt32 = 0o644) throws {
    let parts = name.split(separator: "/").map(String.init)
    if parts.count == 2 { try folder(parts[0]) }
    let folder = parts.count == 2 ? path + "/" + parts[0] : path
    try Directory(path: folder).create(parts.last ?? name).write(bytes)
    try #require(unsafe chmod(path + "/" + name, mode) == 0)
  }
}
