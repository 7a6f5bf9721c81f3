import Glibc
import System
import Testing

@testable import Storage

/// The program that changes a vault and is killed during the change.
enum Writer {
  static func path() throws -> String { try ThisProcess.programDirectory() + "/StorageWriter" }
}

/// The lines that a writer reported.
struct Report: ~Copyable {
  let descriptor: Descriptor
  private let path: String

  init(_ scratch: Scratch) throws {
    path = scratch.base + "/report"
    let number = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw SystemError("open", code: errno) }
    descriptor = Descriptor(owning: number)
  }

  func lines() throws -> [String] {
    String(decoding: try Files.contents(path), as: UTF8.self).split(separator: "\n").map(
      String.init
    )
  }
}
