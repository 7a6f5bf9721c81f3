internal import Glibc
internal import Storage
internal import System

/// A state directory of this process, under TMPDIR.
///
/// The caller of this program removes it.
final class ScratchVault: Sendable {
  let directory: StateDirectory

  init() throws {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = (parent + "/fuzz-XXXXXX").utf8CString.map { $0 }
    guard unsafe mkdtemp(&template) != nil else { throw SystemError("mkdtemp", code: errno) }
    let path = template.dropLast().map { String(UnicodeScalar(UInt8(bitPattern: $0))) }.joined()
    directory = try StateDirectory(path: path)
  }

  /// Writes a file in place of an existing one of that name.
  func write(_ bytes: [UInt8], as name: String) throws {
    try directory.root.unlink(name)
    try directory.root.create(name).write(bytes)
  }
}

extension ScratchVault {
  /// A slot that is overwritten in each run.
  struct Slot: Sendable {
    let directory: StateDirectory
    let account: [UInt8]

    /// Writes bytes at the start of the slot, and zeros after them.
    func fill(_ bytes: [UInt8]) throws {
      let whole = Array((bytes + [UInt8](repeating: 0, count: SlotFile.size)).prefix(SlotFile.size))
      let name = SlotFile.fileName(of: account)
      let file = try directory.slots.openForWriting(name)
      try file.write(whole)
    }
  }

  static let slot = made {
    let vault = try ScratchVault()
    let account = [UInt8](repeating: 2, count: 16)
    try SlotFile.create(in: vault.directory, account: account)
    return Slot(directory: vault.directory, account: account)
  }
}
