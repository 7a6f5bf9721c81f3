import HTTPTransport
import HelperInterface
import SecretMemory

extension HTTPAnswer {
  /// What the engine gets as the body.
  consuming func reply(to call: ExchangeCall) throws(HTTPError) -> SharedSecret {
    guard call.wantsLocation else { return SharedSecret(takeBody()) }
    do throws(SecretMemoryError) {
      return SharedSecret(try SecretBytes(copying: Array((location ?? "").utf8)))
    } catch {
      throw .refused(.memory)
    }
  }
}
