internal import Glibc
public import System

/// Controls libfprint's virtual reader, like a person who puts fingers on it.
///
/// It listens while an operation has it open. Each command is one connection. Wait for `ready`
/// first, because an earlier command does not count.
public struct VirtualReader: Sendable {
  /// The kinds of the library's virtual readers.
  public enum Kind: String, Sendable, CaseIterable {
    /// Only verifies, and compares names.
    case device = "FP_VIRTUAL_DEVICE"
    /// Identifies as well, and compares names.
    case storage = "FP_VIRTUAL_DEVICE_STORAGE"
    /// Takes images, and matches them as a real reader of images does.
    case image = "FP_VIRTUAL_IMAGE"
  }

  /// The kind of the reader.
  public let kind: Kind
  /// The directory of the socket.
  public let directory: String
  /// The path of the socket, short enough for a socket address.
  public var socketPath: String { directory + "/s" }
  /// The line that names the reader to a program: `NAME=path`.
  public var variable: String { "\(kind.rawValue)=\(socketPath)" }

  /// A reader with its own socket, which the first operation makes.
  public init(_ kind: Kind) throws {
    self.kind = kind
    directory = try makeTemporaryDirectory()
  }

  /// Makes it the one reader of this process, and removes it afterwards.
  ///
  /// All variables are made before the first change, so that a change only replaces a pointer.
  /// Other threads may read variables at any time.
  @discardableResult
  public func connected<Value>(_ body: () throws -> Value) rethrows -> Value {
    Self.prepare
    unsafe setenv(kind.rawValue, socketPath, 1)
    defer { unsafe setenv(kind.rawValue, "", 1) }
    return try body()
  }

  /// Removes the socket and its directory.
  public func remove() { removeTemporaryDirectory(directory) }

  /// Whether the reader is open, that is, whether a process still listens.
  ///
  /// A child that another test has forked holds a copy of the socket until its exec, so a single
  /// connection proves nothing.
  public var isOpen: Bool {
    !eventually { (try? connect()) == nil }
  }

  /// Sends a command, and returns when the reader has read it.
  public func send(_ command: String) throws {
    let connection = try connect()
    // Not by write(2): if the reader has closed the connection, SIGPIPE would end this process.
    _ = unsafe try Array(command.utf8).withUnsafeBytes { unsafe try connection.send($0) }
    var byte: UInt8 = 0
    // The reader closes the connection once it has read the command.
    _ = unsafe try withUnsafeMutableBytes(of: &byte) { unsafe try connection.read(into: $0) }
  }

  /// The prints that the reader itself stores, in the order of their names.
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

/// Lets every user reach the file at a path (chmod(2), 0777).
public func letOthersEnter(_ path: String) {
  unsafe chmod(path, 0o777)
}
