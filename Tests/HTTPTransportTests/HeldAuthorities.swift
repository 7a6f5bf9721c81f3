import Glibc
import HTTPTransport
import System
import TestSupport
import Testing

/// A directory of authorities that exchange helpers see in place of the system's.
///
/// Its file is a FIFO at first. A thread that reads it waits for the test (fifo(7)).
final class HeldAuthorities {
  /// The file's name.
  let name: String
  private let place: String
  private let scratch: ScratchDirectory
  private var writer: Int32 = -1

  init() throws {
    let path = try #require(AuthorityFiles.system.file)
    let slash = try #require(path.lastIndex(of: "/"))
    name = String(path[path.index(after: slash)...])
    place = String(path[..<slash])
    scratch = try ScratchDirectory()
    let made = unsafe mkfifo(scratch.path + "/" + name, 0o600)
    try #require(made == 0)
  }

  deinit {
    if writer >= 0 { close(writer) }
  }

  /// Starts an exchange helper that sees this directory, perhaps below another program.
  func exchangeHelper(tracedBy program: [String] = []) throws -> ExchangeHelperProcess {
    try ExchangeHelperProcess(
      "/usr/bin/unshare",
      arguments: [
        "--mount", "/bin/sh", "-ec", #"/bin/mount --bind "$0" "$1"; shift; exec "$@""#,
        scratch.path, place,
      ] + program + [BuiltPrograms.path("thumblatch-exchange")]
    )
  }

  /// Greets a helper, and waits until it has rehearsed, and its thread reads the file.
  ///
  /// The thread gets nothing until `release`.
  func waitForReader(in exchangeHelper: ExchangeHelperProcess) throws {
    #expect(try exchangeHelper.greet())
    // open(2): without a reader O_NONBLOCK gives ENXIO.
    let isOpen = eventually {
      writer = unsafe open(scratch.path + "/" + name, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      return writer >= 0
    }
    try #require(isOpen)
    // The thread begins in the rehearsal, after which the helper answers again.
    #expect(try exchangeHelper.greet())
  }

  /// Gives the reader this text, and the end of the file.
  func release(_ text: String) throws {
    let writing = Descriptor(owning: writer)
    writer = -1
    try writing.write(text)
  }

  /// Replaces the file, as a distribution's update does.
  func replace(by text: String) throws {
    let directory = try scratch.open()
    try directory.create("new").write(text)
    try directory.rename("new", to: name)
  }
}
