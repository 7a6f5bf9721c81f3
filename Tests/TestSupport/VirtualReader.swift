internal import Glibc
public import System

/// libfprint's virtual reader, as the one who puts fingers on it sees it.
///
/// It listens while an operation has it open. A command is one connection: wait for `ready` first,
/// because what comes before does not count.
public struct VirtualReader: Sendable {
  /// Which of the library's virtual readers.
  public enum Kind: String, Sendable, CaseIterable {
    /// Verifies only; compares names.
    case device = "FP_VIRTUAL_DEVICE"
    /// Identifies as well; compares names.
    case storage = "FP_VIRTUAL_DEVICE_STORAGE"
    /// Takes images, and matches them as a real reader of images does.
    case image = "FP_VIRTUAL_IMAGE"
  }

  /// Which reader it is.
  public let kind: Kind
  /// The directory of the socket.
  public let directory: String
  /// The socket, short enough for an address.
  public var socketPath: String { directory + "/s" }
  /// The line that names it to a program: `NAME=path`.
  public var variable: String { "\(kind.rawValue)=\(socketPath)" }

  /// A reader with a socket of its own, which the first operation makes.
  public init(_ kind: Kind) throws {
    self.kind = kind
    directory = try makeTemporaryDirectory()
  }

  /// Makes it the one reader of this process, and takes it away afterwards.
  ///
  /// The variables are all made before the first change, so that a change only replaces a pointer:
  /// other threads may look variables up at any time.
  @discardableResult
  public func connected<Value>(_ body: () throws -> Value) rethrows -> Value {
    Self.prepare
    unsafe setenv(kind.rawValue, socketPath, 1)
    defer { unsafe setenv(kind.rawValue, "", 1) }
    return try body()
  }

  /// Removes the socket and its directory.
  public func remove() { removeTemporaryDirectory(directory) }

  /// Whether anyone goes on listening: the reader is open.
  ///
  /// A child that another test has forked holds a copy of the socket until its exec, so that one
  /// connection alone proves nothing.
  public var isOpen: Bool {
    !eventually { (try? connect()) == nil }
  }

  /// Sends a command, and returns when the reader has taken it.
  public func send(_ command: String) throws {
    let connection = try connect()
    // Not by write(2), which would end this process where the reader has closed.
    _ = unsafe try Array(command.utf8).withUnsafeBytes { unsafe try connection.send($0) }
    var byte: UInt8 = 0
    // The reader closes the connection once it has read the command.
    _ = unsafe try withUnsafeMutableBytes(of: &byte) { unsafe try connection.read(into: $0) }
  }

  /// What the reader stores itself, in the order of the names.
  public func list() throws -> [String] {
    let connection = try connect()
    _ = unsafe try Array("LIST".utf8).withUnsafeBytes { unsafe try connection.send($0) }
    connection.shutDownSending()
    let text = String(decoding: try connection.readAll(limit: 65536), as: UTF8.self)
    return text.split(separator: "\n").map(String.init).sorted()
  }

  /// A connection to the socket.
  public func connect() throws(SystemError) -> Descriptor {
    try UnixSocket.connect(in: try Directory(path: directory), name: "s")
  }

  private static let prepare: Void = {
    for kind in Kind.allCases { unsafe setenv(kind.rawValue, "", 1) }
  }()
}

/// Lets every user reach what is at a path (chmod(2), 0777).
public func letOthersEnter(_ path: String) {
  unsafe chmod(path, 0o777)
}
