internal import Configuration

/// Why provider files cannot be used.
public enum ProviderFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The environment names no home.
  case noHome
  /// There is no provider of this name.
  case missing(String)
  /// What stands in a file is wrong; the text names file, line and key.
  case wrong(String)
  /// A file or a directory cannot be read; why.
  case unreadable(String)
  /// Other users could change a file, and so choose where passwords go.
  case unsafe(path: String)
  /// A file of the person's holds a client secret, and other users may read it.
  case exposed(path: String)

  /// What is wrong, in one clause.
  public var description: String {
    switch self {
    case .noHome: "no place for provider files: HOME is not set"
    case .missing(let name): "no such provider: \(name)"
    case .wrong(let text), .unreadable(let text): text
    case .unsafe(let path): "\(path) could be changed by other users"
    case .exposed(let path): "\(path) holds a client_secret, and other users may read it"
    }
  }

  /// What to do about it; `nil` if the description says it.
  public var remedy: String? {
    switch self {
    case .noHome: "set HOME, or XDG_CONFIG_HOME"
    case .missing: nil
    case .wrong: "correct the file"
    case .unreadable: nil
    case .unsafe: "find out who did; then: chown and chmod go-w"
    case .exposed(let path): "chmod 600 \(path)"
    }
  }
}
