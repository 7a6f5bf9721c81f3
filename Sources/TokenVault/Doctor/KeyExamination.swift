internal import Configuration

extension Vault {
  /// Examines the records of the security keys.
  func examineKeys(_ found: inout Findings) throws(VaultFailure) {
    let keys = try enrolledKeys()
    guard !keys.isEmpty else {
      return found.ok("no security key is enrolled")
    }
    let names = keys.map { "'\($0.name)'" }.joined(separator: ", ")
    let count = keys.count == 1 ? "1 security key is" : "\(keys.count) security keys are"
    let verifies = try policy().key == .verify
    found.ok("\(count) enrolled: \(names)\(verifies ? "; each must verify its person" : "")")
  }
}
