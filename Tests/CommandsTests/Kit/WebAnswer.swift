import Glibc
import HelperInterface
import VaultClient

@testable import Commands

/// The answer to a command's own request.
struct WebAnswer: Sendable {
  let reply: HelperRequestReply
  let body: String

  /// The length of an answer is that of its body.
  init(_ reply: HelperRequestReply, _ body: String = "") {
    self.body = body
    guard case .answered(let status, _, let type, let location, let headers) = reply else {
      self.reply = reply
      return
    }
    self.reply = .answered(
      status: status,
      length: body.utf8.count,
      contentType: type,
      location: location,
      headers: headers
    )
  }
}

extension Session {
  /// Answers requests by their URL; an unknown one finds no network.
  func answer(_ answers: [String: WebAnswer]) {
    transmit = { call, _, output throws(VaultClientError) in
      guard let answer = answers[call.url] else { return .notSent(.resolve) }
      _ = unsafe Array(answer.body.utf8).withUnsafeBytes { bytes in
        unsafe write(output, bytes.baseAddress, bytes.count)
      }
      return answer.reply
    }
  }
}
