import Glibc
import System
import TestSupport
import Testing

@testable import Commands

/// A file of this package that tests make, and that is checked in.
struct CheckedInFile: Sendable, CustomTestStringConvertible {
  /// The first lines of each file.
  static let origin = "Scripts/texts makes this from the verbs: edit those."

  /// From the root of the package.
  let path: String
  /// The new text, made from the old one.
  let make: @Sendable (String) throws -> String

  var testDescription: String { path }

  /// Fails if the file differs from the generated text, or writes it if `Scripts/texts` runs the
  /// test.
  func check() throws {
    let old = String(decoding: try InterfaceFile.read(path), as: UTF8.self)
    let new = try make(old)
    guard old != new else { return }
    if ThisProcess.environment("THUMBLATCH_WRITE_TEXTS") != nil {
      return try write(Array(new.utf8))
    }
    let pairs = zip(old.split(separator: "\n"), new.split(separator: "\n"))
    let (was, now) = pairs.first { $0 != $1 } ?? ("(its end)", "(another end)")
    Issue.record("\(path) is not up to date. Run Scripts/texts. \"\(was)\" would be \"\(now)\".")
  }

  /// Writes over the file, which keeps its mode.
  private func write(_ bytes: [UInt8]) throws {
    let whole = "\(BuiltPrograms.sourceDirectory)/\(path)"
    let file = unsafe fopen(whole, "w")
    guard unsafe file != nil else { throw SystemError("fopen", code: errno, subject: whole) }
    let count = unsafe fwrite(bytes, 1, bytes.count, file)
    guard unsafe fclose(file) == 0, count == bytes.count else {
      throw SystemError("fwrite", code: errno, subject: whole)
    }
  }
}
