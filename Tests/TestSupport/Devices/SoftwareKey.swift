internal import Synchronization
internal import System

/// A security key in software behind a pty: `Tests/SecurityKeys/software-key.py`.
public final class SoftwareKey: Sendable {
  /// The node of the key.
  public let path: String
  private let child: ChildProcess
  private let pipe: Mutex<LinePipe>

  /// Plugs a key in.
  ///
  /// - Parameters:
  ///   - state: the file of its credentials and PIN; a new key if it does not exist.
  ///   - pin: the PIN of a new key.
  ///   - options: `--verifies` and `--always-verifies`.
  /// - Throws: if it cannot be started. It needs the packages of `Scripts/setup`.
  public init(state: String, pin: String? = nil, _ options: [String] = []) throws {
    let (near, far) = try UnixSocket.pair()
    let theirs = Descriptor(owning: far)
    child = try ChildProcess(
      path: "/usr/bin/python3",
      arguments: ["-B", Self.program, state] + options + (pin == nil ? [] : ["--pin"]),
      environment: pin.map { ["KEY_PIN=" + $0] } ?? [],
      descriptors: [theirs.number, theirs.number, 2]
    )
    _ = consume theirs
    var pipe = LinePipe(Descriptor(owning: near))
    path = try pipe.readLine()
    self.pipe = Mutex(pipe)
  }

  deinit {
    child.kill()
    _ = try? child.wait()
  }

  private static var program: String {
    BuiltPrograms.sourceDirectory + "/Tests/SecurityKeys/software-key.py"
  }

  /// Says a line to the key, such as `touch`.
  public func say(_ line: String) throws {
    try pipe.withLock { try $0.write([UInt8](line.utf8)) }
  }

  /// Waits until the key has said this word, and returns all that it said before.
  @discardableResult
  public func wait(for word: String) throws -> [String] {
    try pipe.withLock { pipe in
      var said: [String] = []
      while case let line = try pipe.readLine(), line != word { said.append(line) }
      return said
    }
  }
}
