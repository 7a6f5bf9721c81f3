internal import Configuration
internal import OAuth
internal import System

/// What providers say about themselves, kept for a while in memory alone.
///
/// It never decides where a token goes that is there already: that stands in the account.
struct ProviderDocuments {
  /// Where a document was read, and on which terms: another CA may have another one there.
  struct Source: Hashable {
    let issuer: String
    let url: String
    let terms: ExchangeTerms
  }

  /// How long a document is used, in seconds.
  static let lifetime: Int64 = 3600
  /// How often keys are read again because one was missing, in seconds.
  static let keyPatience: Int64 = 60
  /// The most documents of a kind.
  static let most = 64

  private struct Document<Content> {
    let content: Content
    let read: BootInstant
  }

  private var metadata: [Source: Document<ServerMetadata>] = [:]
  private var keys: [Source: Document<KeySet>] = [:]

  /// The metadata that was read here lately.
  func metadata(_ source: Source, at now: BootInstant) -> ServerMetadata? {
    guard let document = metadata[source], now.seconds(since: document.read) < Self.lifetime
    else { return nil }
    return document.content
  }

  /// The keys that were read here lately; with `isMissingOne` only those that were read just now.
  func keys(_ source: Source, isMissingOne: Bool = false, at now: BootInstant) -> KeySet? {
    guard let document = keys[source],
      now.seconds(since: document.read) < (isMissingOne ? Self.keyPatience : Self.lifetime)
    else { return nil }
    return document.content
  }

  mutating func put(_ content: ServerMetadata, _ source: Source, at now: BootInstant) {
    Self.put(content, source, into: &metadata, at: now)
  }

  mutating func put(_ content: KeySet, _ source: Source, at now: BootInstant) {
    Self.put(content, source, into: &keys, at: now)
  }

  private static func put<Content>(
    _ content: Content,
    _ source: Source,
    into documents: inout [Source: Document<Content>],
    at now: BootInstant
  ) {
    if documents.count >= most, documents[source] == nil,
      let oldest = documents.min(by: { $0.value.read < $1.value.read })
    {
      documents[oldest.key] = nil
    }
    documents[source] = Document(content: content, read: now)
  }
}
