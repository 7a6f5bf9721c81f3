/// Searches a text for a secret in time proportional to both (Knuth, Morris and Pratt).
///
/// The provider controls both. A naive search takes time proportional to the product of their
/// lengths: a third of a second for an answer of 64 KiB.
struct SecretSearch {
  /// The failure table: for each position of the secret, how many preceding bytes equal its first
  /// bytes.
  ///
  /// It reveals how the secret repeats itself, but no byte of it.
  private let overlaps: [Int]

  init(_ secret: borrowing Span<UInt8>) {
    var overlaps = [Int](repeating: 0, count: secret.count)
    var overlap = 0
    for index in secret.indices.dropFirst() {
      while overlap > 0, secret[index] != secret[overlap] { overlap = overlaps[overlap - 1] }
      if secret[index] == secret[overlap] { overlap += 1 }
      overlaps[index] = overlap
    }
    self.overlaps = overlaps
  }

  /// Whether the text holds the secret that this search was made for.
  ///
  /// An empty secret is never found.
  func finds(_ secret: borrowing Span<UInt8>, in text: String) -> Bool {
    guard secret.count > 0 else { return false }
    var matched = 0
    for byte in text.utf8 {
      while matched > 0, byte != secret[matched] { matched = overlaps[matched - 1] }
      if byte == secret[matched] { matched += 1 }
      if matched == secret.count { return true }
    }
    return false
  }
}
