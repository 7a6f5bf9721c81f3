internal import Configuration

/// Why provider files cannot be used.
package enum ProviderFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The environment does not name a home directory.
  case noHome
  /// No provider has this name.
  case missing(String)
  /// The content of a file is wrong; the text names file, line and key.
  case wrong(String)
  /// A file or a directory cannot be read, with the reason.
  case unreadable(String)
  /// Other users could change a file, and so choose the server that receives passwords.
  case unsafe(path: String)
  /// A person's file holds a client secret, but other users may read it.
  case exposed(path: String)
  /// A person's file has other settings than the provider of an account in a backup.
  case differs(provider: String, account: String, path: String)

  package var description: String {
    switch self {
    case .noHome: "no directory for provider files: HOME is not set to an absolute path"
    case .missing(let name): "no such provider: \(name)"
    case .wrong(let text), .unreadable(let text): text
    case .unsafe(let path): "other users can change \(path)"
    case .exposed(let path): "\(path) holds a client_secret, and other users can read it"
    case .differs(let provider, let account, _):
      "your provider \(provider) has other settings than the provider of \(account) in the backup"
    }
  }

  /// The remedy; `nil` if the description is enough.
  package var remedy: String? {
    switch self {
    case .noHome: "set HOME, or XDG_CONFIG_HOME"
    case .missing: nil
    case .wrong: "correct the file"
    case .unreadable: nil
    case .unsafe: "find out who changed it; then use chown, and chmod go-w"
    case .exposed(let path): "chmod 600 \(path)"
    case .differs(_, _, let path): "rename \(path), or remove it"
    }
  }
}
