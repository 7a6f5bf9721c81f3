internal import CCurl
internal import Glibc

/// Why there is no answer.
///
/// A refresh must distinguish "not sent" from "interrupted".
package enum HTTPError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The request is not allowed, and nothing was tried.
  case refused(Refusal)

  /// No byte of the request left this machine, because the connection was never ready.
  case notSent(Reason, code: UInt32)

  /// No byte of the request was sent, because a foreign program listens at the loopback address;
  /// its user, if known.
  case untrustedListener(user: UInt32?)

  /// The request may have been sent, but no complete answer came: its effect is unknown.
  case interrupted(Reason, code: UInt32)

  /// The part of a request that is not allowed.
  package enum Refusal: String, Equatable, Sendable {
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

  /// The stage of the failure; the raw value is the `reason` of the helper's messages.
  package enum Reason: String, Equatable, Sendable, CaseIterable {
    case resolve
    case connect
    /// The machine is reachable, but no program listens on the port (ECONNREFUSED).
    case refused
    /// A program accepted the connection but did not answer in time, not even the TLS handshake.
    case silent
    /// Any other TLS failure.
    case tls
    /// The certificate's authority is missing or not trusted.
    case authority
    /// The certificate has expired.
    case expired
    /// The certificate is not valid yet.
    case notYetValid = "not_yet_valid"
    /// The certificate belongs to another host.
    case name
    case pin
    case timeout
    case reset
    case truncated
    case tooLarge = "too_large"
    /// Every address belongs to this machine or its link, which this request must not reach.
    case local
    /// A program of another user listens at the loopback address.
    case listener
    case other
  }

  /// The helper's word for this error.
  package var reason: Reason {
    switch self {
    case .refused: .other
    case .notSent(let reason, _): reason
    case .untrustedListener: .listener
    case .interrupted(let reason, _): reason
    }
  }

  /// The problem, with libcurl's text for the code (curl_easy_strerror(3)).
  package var description: String {
    switch self {
    case .refused(let refusal): "not sent: the request's \(refusal.rawValue) is not allowed"
    case .notSent(let reason, let code): "not sent: \(reason.rawValue): \(Self.text(code))"
    case .untrustedListener(let user?): "not sent: user \(user) listens there"
    case .untrustedListener(nil): "not sent: it is not known which user listens there"
    case .interrupted(let reason, let code): "interrupted: \(reason.rawValue): \(Self.text(code))"
    }
  }

  private static func text(_ code: UInt32) -> String {
    unsafe String(cString: curl_easy_strerror(CURLcode(rawValue: code)))
  }
}

extension HTTPError {
  /// Translates a code of libcurl-errors(3) for a connection that was not ready yet.
  init(beforeRequest code: CURLcode, _ transfer: Transfer, _ handle: borrowing EasyHandle) {
    switch transfer.obstacle {
    case .listener(let user): self = .untrustedListener(user: user)
    case .local: self = .notSent(.local, code: code.rawValue)
    case nil: self = .notSent(Reason(beforeRequest: code, handle), code: code.rawValue)
    }
  }
}

extension HTTPError.Reason {
  fileprivate init(beforeRequest code: CURLcode, _ handle: borrowing EasyHandle) {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .resolve
    case CURLE_COULDNT_CONNECT: self = handle.systemError == ECONNREFUSED ? .refused : .connect
    case CURLE_PROXY: self = .connect
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: self = .pin
    case CURLE_OPERATION_TIMEDOUT: self = handle.hadConnection ? .silent : .timeout
    case CURLE_PEER_FAILED_VERIFICATION: self = Self(ofCertificate: handle.verification)
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_INITFAILED:
      self = .tls
    // A proxy that refuses or drops the tunnel.
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING: self = .connect
    default: self = .other
    }
  }

  /// Translates the result of verifying a certificate (X509_STORE_CTX_get_error(3)).
  ///
  /// A valid chain can fail here only by its name, which libcurl compares itself.
  init(ofCertificate error: Int) {
    switch error {
    // libcurl leaves 1 here until it has checked the chain and compared the name.
    case 0, 1, 62, 64: self = .name
    // The dates of the certificate, or of one above it.
    case 9: self = .notYetValid
    case 10: self = .expired
    // A missing issuer certificate, a signature without one, or a self-signed certificate.
    case 2, 18, 19, 20, 21, 27: self = .authority
    default: self = .tls
    }
  }

  /// Translates a code of libcurl-errors(3) for a request that was being sent.
  init(afterRequest code: CURLcode) {
    switch code {
    case CURLE_OPERATION_TIMEDOUT: self = .timeout
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING: self = .reset
    case CURLE_PARTIAL_FILE: self = .truncated
    default: self = .other
    }
  }
}
