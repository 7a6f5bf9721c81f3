internal import Configuration
internal import OAuth
internal import Presence
package import PresenceTerms
internal import Storage

/// A notice to the person at the desktop, after an event.
package enum Notice: Sendable, Equatable {
  /// A check, or the open unlock window, has allowed something.
  case allowed(
    PresencePurpose,
    account: String,
    detail: String?,
    method: String,
    requester: String
  )
  /// An account needs a login from now on.
  case loginRequired(account: String, byBrowser: Bool)
  /// A static secret expires soon, at a time in seconds since 1970.
  case secretExpires(account: String, at: Int64)

  fileprivate var isReminder: Bool { if case .secretExpires = self { true } else { false } }
}

/// The notices that no agent has taken yet.
struct NoticeQueue {
  /// The most notices that wait.
  static let most = 16
  /// The most reminders among them: many accounts must not displace a notice of what has happened.
  ///
  /// Fewer notices wait for one agent than here.
  private static let mostReminders = 4

  private var waiting: [Notice] = []
  /// Whether an agent is being looked for.
  private(set) var isGiving = false

  /// Whether a notice waits already.
  func contains(_ notice: Notice) -> Bool { waiting.contains(notice) }

  /// Adds a notice, or drops it if there is no room.
  ///
  /// - Returns: whether an agent must be looked for now.
  mutating func add(_ notice: Notice) -> Bool {
    let reminders = notice.isReminder ? waiting.count(where: \.isReminder) : 0
    if waiting.count < Self.most, reminders < Self.mostReminders { waiting.append(notice) }
    defer { isGiving = true }
    return !isGiving
  }

  /// Ends the search for an agent.
  mutating func takeAll() -> [Notice] {
    defer { (waiting, isGiving) = ([], false) }
    return waiting
  }
}

// A quiet notification tells the person which program used which account, and by which check. No
// caller waits for it, and none fails because of it. The audit log has the record in any case.
extension Vault {
  /// The most agents that are asked to show a notice.
  private static let mostAgents = 8

  /// Gives a notice to an agent if the rule asks for it.
  func give(_ notice: @autoclosure () -> Notice, under rule: Policy.Notify) {
    guard hasAgents, let policy = try? policy(), policy.notify >= rule else { return }
    guard desktopState.notices.add(notice()) else { return }
    Task { await self.giveNotices() }
  }

  /// Whether notices wait for an agent.
  var isGivingNotices: Bool { desktopState.notices.isGiving }

  private func giveNotices() async {
    let agent = await noticeAgent()
    // Without an agent they are dropped.
    for notice in desktopState.notices.takeAll() {
      guard let agent, desktopState.agents?.give(notice, to: agent) == true else { continue }
      desktopState.reminders.note(notice)
    }
  }

  /// The newest agent whose session is not locked, inactive or remote; `nil` if there is none.
  private func noticeAgent() async -> UInt64? {
    let agents = desktopState.agents
    var tried: Set<UInt64> = []
    while tried.count < Self.mostAgents,
      let agent = await agents?.newest(
        of: owner,
        besides: tried,
        mayArrive: tried.isEmpty,
        takingNotices: true
      )
    {
      if (try? mayShow(agent)) == true, await seat(of: agent).objection == nil {
        return agent.connection
      }
      tried.insert(agent.connection)
    }
    return nil
  }

  // MARK: - What is told

  /// Announces that the gate has opened a refresh token.
  ///
  /// A release is announced after its commit. Any other check is announced when it passes, see
  /// `noticePassed(_:by:_:)`. Here only the open window counts, and a refresh.
  func noticeOpened(_ account: AccountRow, by authority: Authority, _ use: Use) {
    guard use.purpose != .release, let method = authority.method, let origin = authority.origin,
      use.purpose == .refresh || origin == .unlockWindow
    else { return }
    give(
      .allowed(
        use.purpose,
        account: account.name,
        detail: nil,
        method: method,
        requester: use.caller.requester
      ),
      under: .all
    )
  }

  /// Announces that a check for one account has passed.
  ///
  /// A refresh and a release are announced when they happen.
  func noticePassed(_ question: PromptQuestion, by method: PresenceMethod, _ caller: Caller) {
    guard question.purpose != .refresh, question.purpose != .release, let id = question.account,
      let account = try? store.account(id: id)
    else { return }
    give(
      .allowed(
        question.purpose,
        account: account.name,
        detail: question.detail,
        method: method.rawValue,
        requester: caller.requester
      ),
      under: .all
    )
  }

  /// Announces that a refresh token has left the vault.
  func noticeReleased(_ account: AccountRow, by authority: Authority, _ caller: Caller) {
    give(
      .allowed(
        .release,
        account: account.name,
        detail: nil,
        method: authority.method ?? "",
        requester: caller.requester
      ),
      under: .release
    )
  }

  /// Announces that an account needs a login from now on.
  func noticeLoginRequired(_ account: AccountRow, at provider: Provider) {
    // The notice's login would make the account no longer exportable. A login with --exportable
    // needs a terminal.
    let byBrowser =
      !account.exportable && ProviderClient(provider: provider).flows.contains(.browser)
    give(.loginRequired(account: account.name, byBrowser: byBrowser), under: .release)
  }
}
