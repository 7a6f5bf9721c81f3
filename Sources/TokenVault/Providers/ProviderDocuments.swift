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
  ///
  /// Anyone can make up the name of a key. The first time comes at once, however lately they were
  /// read: a provider may have changed them since.
  static let keyPatience: Int64 = 60
  /// The most documents of a kind.
  static let most = 64

  private struct Document<Content> {
    let content: Content
    let read: BootInstant
  }

  private var metadata: [Source: Document<ServerMetadata>] = [:]
  private var keys: [Source: Document<KeySet>] = [:]
  private var rereads: [Source: Document<Void>] = [:]
  private var keyFailures: [Source: Document<VaultFailure>] = [:]

  /// The metadata that was read here lately.
  func metadata(_ source: Source, at now: BootInstant) -> ServerMetadata? {
    guard let document = metadata[source], now.seconds(since: document.read) < Self.lifetime
    else { return nil }
    return document.content
  }

  /// The keys that were read here lately.
  ///
  /// With `isMissingOne` only if they were read again for that a moment ago.
  func keys(_ source: Source, isMissingOne: Bool = false, at now: BootInstant) -> KeySet? {
    guard let document = keys[source], now.seconds(since: document.read) < Self.lifetime else {
      return nil
    }
    guard isMissingOne else { return document.content }
    guard let reread = rereads[source], now.seconds(since: reread.read) < Self.keyPatience else {
      return nil
    }
    return document.content
  }

  /// Keys are read again because one was missing.
  mutating func noteReread(_ source: Source, at now: BootInstant) {
    Self.put((), source, into: &rereads, at: now)
  }

  /// Why the keys could not be read here a moment ago.
  ///
  /// - Returns: nil once they may be asked for again. What it says of waiting is as of now.
  func keyFailure(_ source: Source, at now: BootInstant) -> VaultFailure? {
    guard let failure = keyFailures[source] else { return nil }
    func left(_ asked: Int64?) -> Int64? {
      let patience = max(Self.keyPatience, min(asked ?? 0, Vault.longestWait))
      let left = patience - now.seconds(since: failure.read)
      return left > 0 ? left : nil
    }
    switch failure.content {
    case .providerUnavailable(let message, let asked, let status):
      return left(asked).map { .providerUnavailable(message, retryAfter: $0, status: status) }
    case .unavailable(let why, let message, let asked, let status):
      return left(asked).map { .unavailable(why, message, retryAfter: $0, status: status) }
    case .offline(let message, let asked, _):
      return left(asked).map { .offline(message, retryAfter: $0) }
    default: return left(nil).map { _ in failure.content }
    }
  }

  mutating func noteKeyFailure(_ failure: VaultFailure, _ source: Source, at now: BootInstant) {
    Self.put(failure, source, into: &keyFailures, at: now)
  }

  mutating func put(_ content: ServerMetadata, _ source: Source, at now: BootInstant) {
    Self.put(content, source, into: &metadata, at: now)
  }

  mutating func put(_ content: KeySet, _ source: Source, at now: BootInstant) {
    keyFailures[source] = nil
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
