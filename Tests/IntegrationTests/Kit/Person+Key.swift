import TestSupport
import Testing

/// A person's security key.
extension Person {
  /// Makes this key the only device.
  func plug(_ key: SoftwareKey) throws {
    try IntegrationTests.shell(
      """
      chown \(user.name) \(key.path)
      echo KEY=\(key.path) >\(programs)/virtual-reader.conf
      """
    )
  }

  /// Plugs in the virtual reader, and a key or none.
  func plugReader(beside key: SoftwareKey?) throws {
    let nodes = key.map { " KEY=\($0.path)" } ?? ""
    try IntegrationTests.shell(
      """
      printf '%s\\n' FP_VIRTUAL_DEVICE=\(readerDirectory)/s\(nodes) \
        >\(programs)/virtual-reader.conf
      """
    )
  }

  /// Enrols the key as `blue`.
  func enroll(_ key: SoftwareKey, pin: String? = nil) throws {
    let options = pin == nil ? [] : ["--with-pin"]
    let terminal = try terminal(list: ["keys", "enroll", "blue"] + options)
    if let pin {
      try terminal.expect("PIN of the security key:")
      try terminal.enter(pin)
    }
    try terminal.expect("System password for")
    try terminal.enter(Self.systemPassword)
    try terminal.expect("Touch the security key.")
    try key.say("touch")
    try terminal.expect("the security key 'blue' is enrolled")
    try terminal.end()
  }

  /// Protects the account `me` by a touch, and closes its window.
  func protect(by key: SoftwareKey, pin: String? = nil) throws {
    let terminal = try terminal("presence", "enable", "me")
    try terminal.expect("Touch the security key to turn on presence protection")
    if let pin {
      try terminal.expect("PIN of the security key")
      try terminal.enter(pin)
    }
    try key.say("touch")
    try terminal.end()
    try run("lock").succeeded()
  }
}
