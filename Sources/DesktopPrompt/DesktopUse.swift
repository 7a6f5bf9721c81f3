internal import VaultClient

/// A dialogue at the desktop, which keeps what fails there.
protocol DesktopUse: AnyObject {
  /// Why the desktop failed, if that ended the dialogue.
  var failure: DesktopError? { get set }
}

extension DesktopUse {
  /// Uses the desktop; what goes wrong there ends the dialogue, and is kept.
  func showing<Value>(
    _ body: () throws(DesktopError) -> Value
  ) throws(VaultClientError) -> Value {
    do throws(DesktopError) {
      return try body()
    } catch {
      failure = error
      throw .interrupted
    }
  }
}
