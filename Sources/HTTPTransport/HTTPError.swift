internal import CCurl

/// Why there is no answer, in the two cases that a refresh must tell apart.
public enum HTTPError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The request is not one that may be sent, and nothing was tried.
  case refused(Refusal)

  /// No byte of the request left this machine: the connection was never ready for it.
  case notSent(Reason, code: UInt32)

  /// The request was sent, perhaps, and no whole answer came: nobody knows whether it took effect.
  case interrupted(Reason, code: UInt32)

  /// What was wrong with a request.
  public enum Refusal: String, Equatable, Sendable {
    case method
    case url
    case plainText = "plain text to another machine"
    case header
    case pin
    case authorities
    case proxy
    case limit
    case memory
  }

  /// Where it went wrong; the raw value is the `reason` of the helper's messages.
  public enum Reason: String, Equatable, Sendable, CaseIterable {
    case resolve
    case connect
    case tls
    case pin
    case timeout
    case reset
    case truncated
    case tooLarge = "too_large"
    /// Every address is of this machine or of its link, where this request may not go.
    case local
    case other
  }

  /// The word for this error in the helper's messages.
  public var reason: Reason {
    switch self {
    case .refused: .other
    case .notSent(let reason, _): reason
    case .interrupted(let reason, _): reason
    }
  }

  /// What happened, with libcurl's own words for the code (curl_easy_strerror(3)).
  public var description: String {
    switch self {
    case .refused(let refusal): "not sent: the request's \(refusal.rawValue) is not allowed"
    case .notSent(let reason, let code): "not sent: \(reason.rawValue): \(Self.text(code))"
    case .interrupted(let reason, let code): "interrupted: \(reason.rawValue): \(Self.text(code))"
    }
  }

  private static func text(_ code: UInt32) -> String {
    unsafe String(cString: curl_easy_strerror(CURLcode(rawValue: code)))
  }
}

extension HTTPError.Reason {
  /// What a code of libcurl-errors(3) says about a connection that was not ready yet.
  init(beforeRequest code: CURLcode, _ transfer: Transfer) {
    if transfer.hasMetLocalAddress {
      self = .local
      return
    }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .resolve
    case CURLE_COULDNT_CONNECT, CURLE_PROXY: self = .connect
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: self = .pin
    case CURLE_OPERATION_TIMEDOUT: self = .timeout
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_INITFAILED:
      self = .tls
    // A proxy that refuses or drops the tunnel.
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING: self = .connect
    default: self = .other
    }
  }

  /// What a code of libcurl-errors(3) says about a request that was on its way.
  init(afterRequest code: CURLcode) {
    switch code {
    case CURLE_OPERATION_TIMEDOUT: self = .timeout
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING: self = .reset
    case CURLE_PARTIAL_FILE: self = .truncated
    default: self = .other
    }
  }
}
