internal import SystemBus

/// The prompts of programs that are not completed yet.
struct SecretPrompts {
  struct Prompt {
    let id: String
    let owner: String
    let action: SecretWork.Action
    /// The work that runs its check; `nil` until the program shows it.
    var work: Int?

    /// The second argument of `Completed`.
    func result(isDismissed: Bool) -> BusValue {
      switch action {
      case .unlock(let ids):
        .array("o", isDismissed ? [] : ids.map { .path(SecretObject.item($0).path) })
      case .remove: .text("")
      case .change(let id, _):
        .path(isDismissed ? SecretObject.none : SecretObject.item(id).path)
      }
    }
  }

  /// The most prompts of one program.
  static let mostOfOne = 16
  /// The most prompts of all programs.
  static let most = 256

  private var prompts: [String: Prompt] = [:]
  private var last = 0

  /// Makes a prompt; returns its path.
  mutating func add(
    _ action: SecretWork.Action,
    for owner: String
  ) throws(SecretServiceError) -> String {
    guard prompts.count < Self.most,
      prompts.values.count(where: { $0.owner == owner }) < Self.mostOfOne
    else { throw .limitsExceeded("there are too many prompts") }
    last += 1
    let id = "p\(last)"
    prompts[id] = Prompt(id: id, owner: owner, action: action)
    return SecretObject.prompt(id).path
  }

  /// A prompt of this program.
  func prompt(_ id: String, of owner: String) throws(SecretServiceError) -> Prompt {
    guard let prompt = prompts[id], prompt.owner == owner else { throw .noSuchObject }
    return prompt
  }

  mutating func begin(_ id: String, _ work: Int) { prompts[id]?.work = work }

  mutating func remove(_ id: String) { prompts[id] = nil }

  /// The prompt whose check a work runs.
  func prompt(of work: Int) -> Prompt? { prompts.values.first { $0.work == work } }

  /// Removes the prompts of a program that has left.
  mutating func removeAll(of owner: String) {
    prompts = prompts.filter { $0.value.owner != owner }
  }
}
