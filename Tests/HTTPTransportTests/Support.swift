import HTTPTransport
import JSON
import SecretMemory
import TestSupport

/// The outcome of a request, in a form that can be compared.
enum Ending: Equatable {
  case answered(Int)
  case failed(HTTPError)

  var error: HTTPError? {
    guard case .failed(let error) = self else { return nil }
    return error
  }
}

/// Sends a request and discards the body.
func ending(_ request: HTTPRequest) -> Ending {
  do throws(HTTPError) {
    return .answered(try request.send().status)
  } catch {
    return .failed(error)
  }
}

/// The reason why a request was not sent.
func notSent(_ request: HTTPRequest) -> HTTPError.Reason? {
  guard case .failed(.notSent(let reason, _)) = ending(request) else { return nil }
  return reason
}

/// The reason why an answer was incomplete.
func interrupted(_ request: HTTPRequest) -> HTTPError.Reason? {
  guard case .failed(.interrupted(let reason, _)) = ending(request) else { return nil }
  return reason
}

/// A POST of JSON text.
func post(_ url: String, _ body: String) throws -> HTTPRequest {
  var request = HTTPRequest(method: "POST", url: url)
  request.headers = ["Content-Type: application/json"]
  request.body = SharedSecret(try SecretBytes(copying: Array(body.utf8)))
  return request
}

/// The registration of an unused account.
func registration(at url: String, email: String = "a@example.org") throws -> HTTPRequest {
  try post(url + "/auth/register", #"{"email":"\#(email)","password":"correct horse"}"#)
}

/// The bytes of an answer's body, which are not secret in a test.
func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
  unsafe secret.withUnsafeBytes { unsafe Array($0) }
}

/// The members of an answer's body.
func members(_ secret: borrowing SecretBytes) throws -> JSONObject {
  guard case .object(let object) = try JSONReader.read(secret) else { return [:] }
  return object
}
