internal import SystemBus

/// The Secret Service (org.freedesktop.secrets, specification 0.2 draft): one collection, whose
/// items are locked individually.
///
/// It uses no bus and no vault: its input is calls, and its output is answers, signals and work.
/// Sessions and prompts of one program do not exist for another.
package final class SecretService {
  /// The name of the service on the bus.
  package static let name = "org.freedesktop.secrets"
  /// The most bytes of a label or a content type.
  package static let longestText = 256
  /// The most attributes of an item.
  static let mostAttributes = 64
  /// The most items that one call names.
  static let mostNamed = 1024
  /// The most items that one prompt unlocks, because it names them.
  static let mostUnlocked = 64
  /// The most work of one program at once: libsecret shows a prompt for each item that it deletes.
  static let mostWork = SecretPrompts.mostOfOne
  /// The most work of all programs at once: each needs a thread and a call to the vault.
  static let mostWorkOfAll = 96

  let store: any SecretStore
  var sessions = SecretSessions()
  var prompts = SecretPrompts()
  private var work: [Int: SecretWork] = [:]
  private var lastWork = 0
  private var signals: [SecretSignal] = []
  private var cancelled: [Int] = []
  /// The items that the last prompt unlocked, until each is locked again.
  private var unlocked: Set<String> = []
  /// Whether the end of their window can be waited for.
  private var isWatchable = true
  /// How many prompts have unlocked items, now and when the wait for the end of a window began.
  private var (unlocks, watched) = (0, 0)

  package init(store: any SecretStore) { self.store = store }

  /// Carries out a call.
  package func handle(_ call: SecretCall) throws(SecretServiceError) -> SecretOutcome {
    guard let object = SecretObject(path: call.path) else { throw .noSuchObject }
    let interface = try call.interface(of: object)
    switch (interface.name, object) {
    case (SecretInterface.introspectable.name, _):
      return .answer([.text(try description(of: object, for: call.sender))])
    case (SecretInterface.properties.name, _): return try handleProperties(call, object)
    case (_, .service): return try handleService(call)
    case (_, .collection): return try handleCollection(call)
    case (_, .item(let id)): return try handleItem(call, id)
    case (_, .session(let id)):
      try sessions.close(id, of: call.sender)
      return .answer([])
    case (_, .prompt(let id)): return try handlePrompt(call, id)
    case (_, .folder): throw .unknownMethod
    }
  }

  /// Forgets a program that has left the bus.
  package func forget(_ sender: String) {
    sessions.closeAll(of: sender)
    prompts.removeAll(of: sender)
    cancelled += work.values.filter { $0.owner == sender }.map(\.number)
  }

  /// The signals to be sent since the last call.
  package func takeSignals() -> [SecretSignal] {
    defer { signals = [] }
    return signals
  }

  /// The work that is no longer needed since the last call.
  package func takeCancelled() -> [Int] {
    defer { cancelled = [] }
    return cancelled
  }

  // MARK: Prompts and work

  private func handlePrompt(
    _ call: SecretCall,
    _ id: String
  ) throws(SecretServiceError) -> SecretOutcome {
    let prompt = try prompts.prompt(id, of: call.sender)
    guard call.member == "Prompt" else {
      // The end of the work completes a shown prompt.
      if let number = prompt.work { cancelled.append(number) } else { complete(prompt, true) }
      return .answer([])
    }
    guard prompt.work == nil else { throw .failed("the prompt is shown already") }
    let work = try begin(prompt.action, call)
    prompts.begin(id, work.number)
    return .begin(work)
  }

  private func complete(_ prompt: SecretPrompts.Prompt, _ isDismissed: Bool) {
    prompts.remove(prompt.id)
    signal(
      .prompt(prompt.id),
      "Completed",
      [.boolean(isDismissed), .variant(prompt.result(isDismissed: isDismissed))],
      to: prompt.owner
    )
  }

  /// Makes the work for a call.
  func begin(
    _ action: SecretWork.Action,
    _ call: SecretCall
  ) throws(SecretServiceError) -> SecretWork {
    guard work.count < Self.mostWorkOfAll,
      work.values.count(where: { $0.owner == call.sender }) < Self.mostWork
    else {
      throw .limitsExceeded("too many checks are under way")
    }
    lastWork += 1
    let begun = SecretWork(
      number: lastWork,
      owner: call.sender,
      requester: call.requester,
      action: action
    )
    work[lastWork] = begun
    return begun
  }

  /// Handles the end of a work: completes its prompt, and signals the changes.
  package func finish(_ number: Int, isDone: Bool) {
    guard let ended = work.removeValue(forKey: number) else { return }
    if isDone { tell(of: ended.action) }
    if let prompt = prompts.prompt(of: number) { complete(prompt, !isDone) }
  }

  private func tell(of action: SecretWork.Action) {
    switch action {
    case .unlock(let ids):
      tellOfReplaced()
      (unlocked, isWatchable) = (Set(ids), true)
      unlocks += 1
      for id in ids { tell(of: id, isLocked: false) }
    case .remove(let id):
      signal(.collection, "ItemDeleted", [.path(SecretObject.item(id).path)])
      tellOfItems()
    case .change(let id, _):
      if let item = try? store.item(id) { changed(.item(id), item.properties) }
      signal(.collection, "ItemChanged", [.path(SecretObject.item(id).path)])
    }
  }

  /// Returns an item whose window may still be open; `nil` if there is none.
  ///
  /// Its caller waits for the end of the window, and calls `tell(of:)`.
  package func itemToWatch() -> String? {
    watched = unlocks
    return isWatchable ? unlocked.first : nil
  }

  /// Signals which items are locked again.
  package func tell(of end: SecretWindowEnd) {
    switch end {
    case .item(let id):
      if !tellOfReplaced() { tell(of: id, isLocked: true) }
      // A prompt may have opened another window since.
      if unlocks == watched { unlocked.remove(id) }
    case .all:
      for id in unlocked.sorted() { tell(of: id, isLocked: true) }
    case .unknown:
      isWatchable = false
    }
  }

  /// Signals which items were unlocked before and are locked now.
  func tellOfLocks(_ before: [SecretItem], _ after: [SecretItem]) {
    let unlocked = Set(before.filter { !$0.isLocked }.map(\.id))
    for item in after where item.isLocked && unlocked.contains(item.id) {
      tell(of: item.id, isLocked: true)
    }
  }

  /// Signals that items which the previous prompt unlocked are locked again.
  ///
  /// Returns whether the store can be read.
  @discardableResult
  private func tellOfReplaced() -> Bool {
    guard !unlocked.isEmpty else { return true }
    guard let items = try? store.items() else { return false }
    for item in items where item.isLocked && unlocked.contains(item.id) {
      tell(of: item.id, isLocked: true)
    }
    return true
  }

  private func tell(of id: String, isLocked: Bool) {
    if isLocked { unlocked.remove(id) }
    changed(.item(id), [("Locked", .boolean(isLocked))])
    signal(.collection, "ItemChanged", [.path(SecretObject.item(id).path)])
  }

  /// Signals that an item was created.
  func tellOfNew(_ id: String) {
    signal(.collection, "ItemCreated", [.path(SecretObject.item(id).path)])
    tellOfItems()
  }

  private func tellOfItems() {
    guard let items = try? store.items() else { return }
    changed(.collection, [("Items", Self.paths(items))])
  }

  static func paths(_ items: [SecretItem]) -> BusValue {
    .array("o", items.map { .path($0.path) })
  }

  private func changed(_ object: SecretObject, _ properties: [(String, BusValue)]) {
    signals.append(
      SecretSignal(
        path: object.path,
        interface: SecretInterface.properties.name,
        member: "PropertiesChanged",
        values: [.text(object.interface?.name ?? ""), .dictionary(properties), .texts([])],
        destination: nil
      )
    )
  }

  private func signal(
    _ object: SecretObject,
    _ member: String,
    _ values: [BusValue],
    to destination: String? = nil
  ) {
    signals.append(
      SecretSignal(
        path: object.path,
        interface: object.interface?.name ?? "",
        member: member,
        values: values,
        destination: destination
      )
    )
  }
}
