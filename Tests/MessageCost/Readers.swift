import Configuration
import HelperInterface
import SecretMemory
import Varlink
import VarlinkMethods
import VaultInterface

/// The decoding of an arrived message as the method that it names.
enum Readers {
  /// Reads a call as the engine or a helper does.
  static func readCall(_ message: [UInt8], on interface: VarlinkInterface) {
    var buffer = MessageBuffer(interface)
    guard append(message, to: &buffer), let call = try? buffer.nextCall() else { return }
    if interface === VarlinkInterface.vault {
      _ = try? VaultRequest(call)
    } else {
      _ = try? HelperRequest(call)
    }
  }

  /// The provider that a call of `TestProvider` gives; `nil` for other calls.
  static func provider(in message: [UInt8]) -> VaultProvider? {
    var buffer = MessageBuffer(.vault)
    guard append(message, to: &buffer), let call = try? buffer.nextCall(),
      case .testProvider(let content)? = try? VaultRequest(call)
    else { return nil }
    return content.provider
  }

  /// Reads the settings as the engine does for each call that gives a provider.
  static func readSettings(of given: VaultProvider) {
    _ = try? Provider(
      name: ProviderName(given.name),
      settings: given.settings,
      clientSecret: given.clientSecret.map(ClientSecret.init)
    )
  }

  /// Reads a reply as the caller of `method` does.
  static func readReply(_ message: [UInt8], to method: String, on interface: VarlinkInterface) {
    var buffer = MessageBuffer(interface)
    guard append(message, to: &buffer), let reply = try? buffer.nextReply() else { return }
    if let method = methods["\(interface.name).\(method)"] { read(reply, to: method) }
  }

  /// The methods of an interface whose replies are not read here.
  static func missing(of messages: Messages) -> [String] {
    messages.methods.filter { methods["\(messages.interface.name).\($0)"] == nil }
  }

  private static func append(_ message: [UInt8], to buffer: inout MessageBuffer) -> Bool {
    unsafe (message + [0]).withUnsafeBytes { bytes in
      (unsafe try? buffer.append(bytes)) != nil
    }
  }

  private static func read<Method: VarlinkMethod>(_ reply: VarlinkReply, to method: Method.Type) {
    _ = try? VaultError(decoding: reply)
    _ = try? reply.result(of: method)
  }

  private static let methods: [String: any VarlinkMethod.Type] = Dictionary(
    uniqueKeysWithValues: VarlinkMethods.all.map { ($0.method, $0) }
  )
}
