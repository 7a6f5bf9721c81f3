import Glibc
import HTTPTransport
import HelperInterface
import System

// A client's own request with its access token.
extension ExchangeHelper {
  /// The descriptors of the answer's body (`output`) and of the request's body (`input`).
  private static let output: Int32 = 3
  private static let input: Int32 = 4

  /// Performs a client's request with the client's own access token: without slot and seal.
  static func perform(_ call: HelperRequestCall) -> HelperRequestReply {
    Confinement.setLifetime(to: min(max(call.timeout, 0), 600_000) / 1000 + 10)
    var request = HTTPRequest(method: call.httpMethod, url: call.url)
    request.headers = call.headers
    request.authorities = call.ca
    request.pins = call.pins
    request.proxy = call.proxy
    if let listeners = call.listeners { request.loopbackUsers = HTTPRequest.users(listeners) }
    request.timeout = call.timeout
    request.connectTimeout = call.connectTimeout ?? request.connectTimeout
    request.maximumBody = call.maximumBody
    do throws(HTTPError) {
      guard fcntl(output, F_GETFD) >= 0 else { return .notSent(.other) }
      let head: HTTPHead
      if call.sendsBody {
        let mapping = unsafe mapped(input)
        guard let body = unsafe mapping else { return .notSent(.other) }
        head = unsafe try request.send(body: body, to: output)
      } else {
        head = unsafe try request.send(body: nil, to: output)
      }
      return .answered(
        status: head.status,
        length: head.length,
        contentType: head.contentType,
        location: head.location,
        headers: head.headers
      )
    } catch {
      return error.isNotSent ? .notSent(error.failure, user: error.user) : .lost(error.failure)
    }
  }

  /// Maps the content of a file of at most `maximumStream` bytes (mmap(2)), until the process ends.
  private static func mapped(_ number: Int32) -> UnsafeRawBufferPointer? {
    var status = stat()
    guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= HTTPRequest.maximumStream
    else { return nil }
    let size = Int(status.st_size)
    // mmap(2): a length of 0 is EINVAL.
    guard size > 0 else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
    let address = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, number, 0)
    guard unsafe address != MAP_FAILED else { return nil }
    return unsafe UnsafeRawBufferPointer(start: address, count: size)
  }
}
