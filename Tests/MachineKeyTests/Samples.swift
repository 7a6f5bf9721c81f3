import MachineKey
import SecretMemory

/// Made by another implementation (Python's hmac and cryptography).
enum Samples {
  static let directory = [UInt8](1...16)
  static let machineKey = [UInt8](100..<132)
  static let identifier = bytes(hex: "5925a9e51f59eb13")
  static let file = [UInt8](200..<232)
  static let root = bytes(hex: "0e5dd09a9373ffd6d62c3aada73843d3f321905a201b86c9d3138307e1fba2a9")
  static let code = "000G-40R4-0M30-E209-185G-R38E-1W81-24GK-B9"
  static let codeSecret = bytes(
    hex: "d31c90666bff19eb3f4e8fe8afd90627b36495a6006318e59ab38eeea51a022e"
  )
  static let tpmSecret = [UInt8](repeating: 7, count: 32)
  static let authorization = bytes(
    hex: "8a2f94eb9fe9c9f9f6438bb88c06a4ea1374eb7f99300a809f2bbac47fec2cf3"
  )
  static let recoverySlot = bytes(
    hex:
      "544c534c4f543031020102030405060708090a0b0c0d0e0f10e80300005925a9"
      + "e51f59eb13a0a1a2a3a4a5a6a70000404142434445464748494a4b4c4d4e4f50"
      + "5152535455565758595a5b5c5d5e5f808182838485868788898a8beb7f262d63"
      + "b144dc2253ff7aee158b087c4cd0b5d4c478246463b4e2869316e621fd7f20a7"
      + "052c2a8321defa1eedb3db"
  )
  static let tpmSlot = bytes(
    hex:
      "544c534c4f543031010102030405060708090a0b0c0d0e0f10ffffffff5925a9"
      + "e51f59eb13a0a1a2a3a4a5a6a73b000000000000000000000000002200000b4e"
      + "4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e04"
      + "00505249560300505542404142434445464748494a4b4c4d4e4f505152535455"
      + "565758595a5b5c5d5e5f808182838485868788898a8bdd24877e08aadff1d55c"
      + "52c334da4383457f36bc8bc314da23661d1927a99bd1e531011ef5856bd70c7f"
      + "5741eb54c1c7"
  )
  static let securityKeySecret = [UInt8](repeating: 9, count: 32)
  static let securityKeySlot = bytes(
    hex:
      "544c534c4f543031030102030405060708090a0b0c0d0e0f10e80300005925a9"
      + "e51f59eb13a0a1a2a3a4a5a6a7a300014000c1c1c1c1c1c1c1c1c1c1c1c1c1c1"
      + "c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1"
      + "c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1000102030405060708090a0b0c0d"
      + "0e0f101112131415161718191a1b1c1d1e1f6465666768696a6b6c6d6e6f7071"
      + "72737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f9091"
      + "92939495969798999a9b9c9d9e9fa0a1a2a3404142434445464748494a4b4c4d"
      + "4e4f505152535455565758595a5b5c5d5e5f808182838485868788898a8bf99f"
      + "e89e34b7a583521a8bc986d060f92a0510b2c51f846127e1ec8a32e6a7331d1d"
      + "afe850f9d9f4bf29563703d0ce2e"
  )
  static let completeState = bytes(
    hex:
      "544c4d4b455930310102030405060708090a0b0c0d0e0f105925a9e51f59eb13"
      + "026abe587be3e749910d36284237564a52527b1cee896b60e8de1825fe97aa9f"
      + "de"
  )

  static func key() throws -> MachineKey { try MachineKey(SecretBytes(copying: machineKey)) }
}

func bytes(hex: String) -> [UInt8] {
  let digits = Array(hex)
  return stride(from: 0, to: digits.count, by: 2).map { index in
    UInt8(String(digits[index...index + 1]), radix: 16) ?? 0
  }
}

func bytes(of secret: borrowing SecretBytes) -> [UInt8] {
  unsafe secret.withUnsafeBytes { unsafe [UInt8]($0) }
}
