internal import PresenceTerms
public import System
public import Varlink
public import VaultInterface

/// Why the vault could not be reached, or the error that it answered.
///
/// `description` makes the text, and `remedy` says what a person can do.
public enum VaultClientError: Error, Sendable {
  /// Neither THUMBLATCH_STATE_DIR, XDG_STATE_HOME nor HOME names an absolute path.
  case noStateDirectory
  /// A variable of the environment that must be an absolute path is not one.
  case notAbsolute(variable: String)
  /// A variable of the environment that must be a path is not UTF-8.
  case notText(variable: String)
  /// The state directory, or a directory above it, is not safe to use or cannot be made.
  case unsafeDirectory(path: String, reason: String, remedy: String)
  /// The administrator forbids vaults beside the service, or their rule cannot be read.
  case privateForbidden(reason: String)
  /// The engine program was not found at the expected paths.
  case engineMissing(places: [String])
  /// Another user could change the engine program.
  case engineUnsafe(path: String, reason: String)
  /// The program that sends a request cannot be used, for this reason.
  case exchangeHelperMissing(reason: String)
  /// The engine ended before it listened.
  ///
  /// The text is its own reason.
  case engineFailed(reason: String)
  /// The engine found the vault damaged, newer, or not safe to use, and changed nothing.
  case unsafeVault(reason: String, remedy: String?)
  /// A socket exists, but no server answers there.
  case unreachable(place: String, cause: SystemError)
  /// The server runs as a user who must not be trusted with the data.
  case wrongServer(user: UInt32)
  /// The server closed the connection without a reply.
  case disconnected
  /// No reply came in time.
  case timedOut
  /// The interrupt descriptor became readable.
  case interrupted
  /// A call of this client is longer than a message may be, and was not sent.
  case callTooLong(maximum: Int)
  /// A message of the engine was larger than 64 KiB, or did not match the interface file.
  case malformed(MessageError)
  /// The engine does not know the method, or a parameter: it is older than this client.
  case notUnderstood(VarlinkError)
  /// An error that this client does not know: the engine is newer.
  case unknownError(String)
  /// The vault's own error.
  case refused(VaultError)
  /// The engine asks for one presence check after the other.
  case asksWithoutEnd
  /// A system call failed.
  case system(SystemError)

  init(_ error: ConversationError) {
    self =
      switch error {
      case .ended: .disconnected
      case .interrupted: .interrupted
      case .timedOut: .timedOut
      case .malformed(let error): .malformed(error)
      case .system(let error): .system(error)
      }
  }
}

extension VaultClientError: CustomStringConvertible {
  /// The problem in one clause, without a secret.
  public var description: String {
    switch self {
    case .noStateDirectory: "no directory for the vault: HOME is not set to an absolute path"
    case .notAbsolute(let variable): "\(variable) is not an absolute path"
    case .notText(let variable): "\(variable) is not UTF-8"
    case .unsafeDirectory(let path, let reason, _): "\(path) cannot be used: \(reason)"
    case .privateForbidden(let reason): reason
    case .engineMissing: "the engine, thumblatchd, was not found"
    case .engineUnsafe(let path, let reason): "\(path) is not safe to run: \(reason)"
    case .exchangeHelperMissing(let reason): reason
    case .unsafeVault(let reason, _): reason
    case .engineFailed(let reason): "the engine did not start: \(reason)"
    case .unreachable(let place, let cause): "the vault at \(place) does not answer (\(cause))"
    case .wrongServer(let user): "the server at the vault's socket runs as user \(user)"
    case .disconnected: "the engine closed the connection"
    case .timedOut: "the engine did not answer in time"
    case .interrupted: "interrupted"
    case .callTooLong(let maximum):
      "the request is longer than \(maximum) bytes, so it was not sent to the vault"
    case .malformed(let error): "the engine sent a message that cannot be read: \(error)"
    case .notUnderstood(let error):
      "the engine does not understand this program: \(Self.text(error))"
    case .unknownError(let name): "the engine sent an unknown error, \(name)"
    case .refused(let error): "\(error)"
    case .asksWithoutEnd: "the vault keeps asking for presence checks"
    case .system(let error): "\(error)"
    }
  }

  /// The reason why an engine does not understand a call.
  private static func text(_ error: VarlinkError) -> String {
    switch error {
    case .interfaceNotFound(let name), .methodNotFound(let name), .methodNotImplemented(let name):
      "it has no \(name)"
    case .invalidParameter(let name): "the parameter \(name) is not valid"
    case .permissionDenied: "the call is not allowed"
    case .expectedMore: "the call needs several replies"
    }
  }

  /// Whether the engine may have carried out the failed call, which must not be sent again.
  public func leavesInDoubt(_ again: Repetition) -> Bool {
    switch (self, again) {
    case (.disconnected, .never), (.timedOut, .never): true
    default: false
    }
  }

  /// The advice for the person; `nil` if there is no advice.
  public var remedy: String? {
    switch self {
    case .noStateDirectory: "set HOME, or THUMBLATCH_STATE_DIR"
    case .notAbsolute: "give a path that begins with /"
    case .unsafeDirectory(_, _, let remedy): remedy
    case .unsafeVault(_, let remedy): remedy ?? "nothing was changed"
    case .privateForbidden:
      "use the vault of the service, without --private, or the socket of an agent"
    case .engineMissing(let places): "install it in \(places.joined(separator: " or "))"
    case .engineUnsafe(let path, _):
      "it must belong to you or root and be writable by its owner only: chmod go-w \(path)"
    case .unreachable: "try again later, or use --private for your own vault"
    case .wrongServer: "nothing was sent to it"
    case .disconnected, .timedOut: "the request may have been carried out; try again"
    case .system(let error): error.limit?.remedy
    default: nil
    }
  }
}

extension VaultClientError {
  /// The end of a check that the person gave up before the engine knew its result.
  package static var cancelled: VaultClientError {
    .refused(.presenceFailed(.cancelled, message: "", methods: []))
  }
}
