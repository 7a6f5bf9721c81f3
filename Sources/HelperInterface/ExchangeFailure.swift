extension ExchangeFailure {
  /// The problem in parentheses after a space, for the end of a message; empty for `other`.
  package var note: String { text.map { " (\($0))" } ?? "" }

  /// The problem, for people; `nil` if it is not known.
  private var text: String? {
    switch self {
    case .resolve: "its address was not found"
    case .connect: "no connection"
    case .refused: "the connection was refused"
    case .silent: "it accepted the connection but sent nothing"
    case .tls: "TLS failed"
    case .authority: "its certificate is from an authority that is not trusted here"
    case .expired: "its certificate has expired"
    case .notYetValid: "its certificate is not valid yet by this machine's clock"
    case .name: "its certificate is for another host"
    case .pin: "its key is not one of the pinned keys"
    case .timeout: "the request timed out"
    case .tooLarge: "the answer is too long"
    case .local: "its address is this machine's own or a link-local one"
    case .listener: "a program of another user listens there"
    case .other: nil
    }
  }
}
