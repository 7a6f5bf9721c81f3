import SecretMemory
import SecretService

/// A store in memory, whose items a test locks and unlocks.
final class MemoryStore: SecretStore {
  private(set) var kept: [SecretItem] = []
  private var secrets: [String: SharedSecret] = [:]
  private var last = 0
  /// Whether all items are locked but those that a prompt has unlocked.
  var isLocked = true
  /// The items that the last prompt unlocked, as a vault keeps them.
  private var unlocked: Set<String> = []

  func items() throws(SecretServiceError) -> [SecretItem] {
    kept.map { item in
      SecretItem(
        id: item.id,
        label: item.label,
        attributes: item.attributes,
        contentType: item.contentType,
        created: item.created,
        modified: item.modified,
        isLocked: isLocked(item.id)
      )
    }
  }

  private func isLocked(_ id: String) -> Bool { isLocked && !unlocked.contains(id) }

  func item(_ id: String) throws(SecretServiceError) -> SecretItem? {
    try items().first { $0.id == id }
  }

  func secret(of id: String, requester: String) throws(SecretServiceError) -> SharedSecret {
    guard !isLocked(id) else { throw .isLocked }
    guard let secret = secrets[id] else { throw .failed("none") }
    return secret
  }

  func add(_ change: SecretChange) throws(SecretServiceError) -> String {
    last += 1
    keep(change, as: "i\(last)")
    return "i\(last)"
  }

  func lock() throws(SecretServiceError) { (isLocked, unlocked) = (true, []) }

  /// Gives an item another id, like renaming its account.
  func rename(_ id: String, to name: String) {
    guard let item = kept.first(where: { $0.id == id }) else { return }
    kept.removeAll { $0.id == id }
    kept.append(
      SecretItem(
        id: name,
        label: item.label,
        attributes: item.attributes,
        contentType: item.contentType,
        created: item.created,
        modified: item.modified,
        isLocked: true
      )
    )
    secrets[name] = secrets[id]
  }

  /// Carries out the work, as after a passed check.
  func perform(_ action: SecretWork.Action) {
    switch action {
    case .unlock(let ids): unlocked = Set(ids)
    case .remove(let id): kept.removeAll { $0.id == id }
    case .change(let id, let change): keep(change, as: id)
    }
  }

  private func keep(_ change: SecretChange, as id: String) {
    let present = kept.first { $0.id == id }
    kept.removeAll { $0.id == id }
    kept.append(
      SecretItem(
        id: id,
        label: change.label ?? present?.label ?? "",
        attributes: change.attributes ?? present?.attributes ?? [:],
        contentType: change.content?.type ?? present?.contentType ?? "",
        created: present?.created ?? 1,
        modified: 2,
        isLocked: true
      )
    )
    if let content = change.content { secrets[id] = content.secret }
  }
}
