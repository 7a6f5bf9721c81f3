import Cryptography
import HTTPTransport
import HelperInterface
import SecretMemory
import System
import Varlink

// Initializes libraries before the first request.
extension ExchangeHelper {
  /// Does what every request with a slot needs at first, once, and nothing else.
  static let initializedLibraries: Void = {
    HTTPRequest.initializeLibrary()
    guard let key = try? SecretBytes.random(count: 32), let context = try? context().encoded,
      let seal = try? Seal(key: SharedSecret(key), context: context)
    else { return }
    _ = try? seal.image(of: .notSent(reason: HTTPError.Reason.other.rawValue))
  }()

  /// Runs one exchange with itself, whose request goes nowhere.
  ///
  /// At first use libraries and types initialize themselves, which takes 3 ms of a request. The
  /// address is refused before there is a socket (`LocalAddress`), and its slot's descriptor is not
  /// writable.
  static func rehearse() {
    guard let (ours, theirs) = try? UnixSocket.pair() else { return }
    let engine = Descriptor(owning: ours)
    let exchangeHelper = Descriptor(owning: theirs)
    HTTPRequest.prepare()
    guard let call = try? call(),
      let message = try? VarlinkCall(call, more: true).encoded(on: .helper)
    else { return }
    let sent = unsafe message.withUnsafeBytes { bytes in
      unsafe try? engine.send(bytes, passing: engine.number)
    }
    // A socket accepts a message of this size at once.
    guard sent == message.count else { return }
    _ = ExchangeHelper(rehearsalOn: exchangeHelper).run()
  }

  private static func call() throws -> ExchangeCall {
    ExchangeCall(
      httpMethod: "POST",
      url: "https://127.0.0.1:9/",
      headers: ["Content-Type: application/json"],
      body: SharedSecret(try SecretBytes(copying: Array("{}".utf8))),
      pins: [],
      timeout: 1000,
      maximumBody: HTTPRequest.defaultMaximumBody,
      key: SharedSecret(try SecretBytes.random(count: 32)),
      context: try context().encoded
    )
  }

  /// The context of a slot of no account.
  private static func context() throws -> BoxContext {
    try BoxContext(
      kind: .answer,
      vault: [UInt8](repeating: 0, count: 16),
      owner: 0,
      account: [UInt8](repeating: 0, count: 16),
      protection: .none,
      generation: 0,
      binding: [UInt8](repeating: 0, count: 32)
    )
  }
}
