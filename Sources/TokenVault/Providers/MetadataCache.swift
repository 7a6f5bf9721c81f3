internal import Configuration
internal import OAuth
internal import System

/// The metadata and keys that providers publish, cached in memory for a while.
///
/// They never decide where an existing token is sent: the account's record decides that.
struct MetadataCache {
  /// The location of a document, and the terms of the connection: with another CA the document may
  /// differ.
  struct Source: Hashable {
    let issuer: String
    let url: String
    let terms: ExchangeTerms
  }

  /// The lifetime of a document, in seconds.
  static let lifetime: Int64 = 3600
  /// The period of the rate limit for rereads of keys because one was missing, in seconds.
  static let keyPause: Int64 = 60
  /// The rate limit: the most rereads of one source in `keyPause`.
  ///
  /// It is for ID tokens that name invented keys. A reread does not wait, because a provider may
  /// change its keys twice within a minute.
  static let mostRereads = 3
  /// The limit of documents of one kind.
  static let most = 64

  private struct Document<Content> {
    let content: Content
    /// When its request was made.
    let read: BootInstant
  }

  private var metadata: [Source: Document<ServerMetadata>] = [:]
  private var keys: [Source: Document<KeySet>] = [:]
  /// The ends of the rereads within the last `keyPause`.
  private var rereads: [Source: Document<[BootInstant]>] = [:]
  private var keyFailures: [Source: Document<VaultFailure>] = [:]

  /// The cached metadata of this source; `nil` if there is none, or if it is too old.
  func metadata(_ source: Source, at now: BootInstant) -> ServerMetadata? {
    guard let document = metadata[source], now.seconds(since: document.read) < Self.lifetime
    else { return nil }
    return document.content
  }

  /// The cached keys of this source; `nil` if there are none, or if they are too old.
  ///
  /// With `isMissingOne`, also `nil` unless the limit of rereads is reached.
  func keys(_ source: Source, isMissingOne: Bool = false, at now: BootInstant) -> KeySet? {
    guard let document = keys[source], now.seconds(since: document.read) < Self.lifetime else {
      return nil
    }
    guard isMissingOne else { return document.content }
    return recentRereads(source, at: now).count < Self.mostRereads ? nil : document.content
  }

  private func recentRereads(_ source: Source, at now: BootInstant) -> [BootInstant] {
    (rereads[source]?.content ?? []).filter { now.seconds(since: $0) < Self.keyPause }
  }

  /// Notes that keys are read again because one was missing.
  mutating func noteReread(_ source: Source, at now: BootInstant) {
    Self.put(recentRereads(source, at: now) + [now], source, into: &rereads, at: now)
  }

  /// The reason why the keys could not be read a moment ago.
  ///
  /// - Returns: `nil` once they may be requested again. The wait in the failure counts from now.
  func keyFailure(_ source: Source, at now: BootInstant) -> VaultFailure? {
    guard let failure = keyFailures[source] else { return nil }
    func left(_ asked: Int64?) -> Int64? {
      let retryAfter = max(Self.keyPause, min(asked ?? 0, Vault.longestWait))
      let left = retryAfter - now.seconds(since: failure.read)
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

  /// Notes why keys could not be read, unless a later request has read them.
  mutating func noteKeyFailure(
    _ failure: VaultFailure,
    _ source: Source,
    begun: BootInstant,
    at now: BootInstant
  ) {
    if let known = keys[source], known.read > begun { return }
    Self.put(failure, source, into: &keyFailures, at: now)
  }

  /// Keeps metadata, unless a later request has read it.
  mutating func put(_ content: ServerMetadata, _ source: Source, begun: BootInstant) {
    Self.put(content, source, into: &metadata, at: begun)
  }

  /// Keeps keys, unless a later request has read them.
  mutating func put(_ content: KeySet, _ source: Source, begun: BootInstant) {
    if Self.put(content, source, into: &keys, at: begun) { keyFailures[source] = nil }
  }

  /// Keeps a document, unless a later request has read it.
  ///
  /// The answer to an earlier request may arrive last.
  ///
  /// - Returns: whether the document is kept.
  @discardableResult
  private static func put<Content>(
    _ content: Content,
    _ source: Source,
    into documents: inout [Source: Document<Content>],
    at now: BootInstant
  ) -> Bool {
    if let known = documents[source], known.read > now { return false }
    if documents.count >= most, documents[source] == nil,
      let oldest = documents.min(by: { $0.value.read < $1.value.read })
    {
      documents[oldest.key] = nil
    }
    documents[source] = Document(content: content, read: now)
    return true
  }
}
