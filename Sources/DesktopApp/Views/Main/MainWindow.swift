internal import GTK

/// The window with the accounts.
@MainActor
final class MainWindow {
  let window: Window
  private let models: AppModels
  private let model: VaultModel
  private let root: Bin
  private let cover: Widget
  private let content: Leaflet
  private let lists: Bin
  private let scroller: Widget
  private let trouble: Label
  private let page: Bin
  private let toasts: ToastOverlay
  private let title: Label
  private lazy var locked = LockedView(model, makeRecovery())
  private let countdown: LockCountdown
  private let unlock: UnlockButton
  private let places: ListBox
  private var list: AccountList?
  /// The page that is shown.
  private var shown: (any ContentPage)?
  private var isHidden: Bool?
  // What is rarely shown is made when it is.
  private lazy var reading: Spinner = state("reading")
  private lazy var empty: Widget = makeEmpty()
  private lazy var failure = FailureView(model, makeRecovery())
  private lazy var nothing: Widget = state("nothing")
  /// The milliseconds after which the window shows that it still reads the accounts.
  ///
  /// Nearly always they are there sooner, and a spinner loads the library for its picture, librsvg.
  private static let quietTime = 500
  private var isSlow = false
  /// The places in the order of their rows.
  private static let rows: [VaultModel.Place] = [
    .fingers, .keys, .activity, .programs, .health, .settings,
  ]

  init(_ models: AppModels) {
    self.models = models
    model = models.vault
    let builder = Builder(ui: PackageResources.window_ui)
    window = builder.object("window")
    root = builder.object("root")
    cover = builder.object("cover")
    content = builder.object("content")
    content.measureAfterFolding()
    lists = builder.object("lists")
    scroller = builder.object("scroller")
    trouble = builder.object("trouble")
    page = builder.object("page")
    toasts = builder.object("toasts")
    title = builder.object("title")
    countdown = LockCountdown(below: builder.object("accounts-title"), model)
    unlock = UnlockButton(builder.object("unlock"), before: builder.object("lock"), model)
    places = builder.object("places")
    builder.object("menu", as: MenuButton.self).name(tr("Main menu"))
    let back: Button = builder.object("back")
    back.onClick { [weak content] in content?.pane = "list" }
    list = AccountList(builder.object("accounts"), model) { [weak content] in
      content?.pane = "page"
    }
    places.onActivate { [weak content, model = models.vault] index in
      content?.pane = "page"
      let place = MainWindow.rows[index]
      switch place {
      // A newly created page loads its data itself.
      case .fingers where model.place == .fingers: Task { await models.fingers.look() }
      case .health: Task { await models.health.look() }
      default: break
      }
      model.open(place)
    }
    places.onSelect { [weak self] in self?.markPlace() }
    track { [weak self] in self?.updateLock() }
    track { [weak self] in self?.updateList() }
    track { [weak self] in
      guard let self, model.trouble != nil else { return }
      Task { [models] in await models.recovery.look() }
    }
    // The pages track their own models, and must not be made again at each change of those.
    track(reading: { [weak self] in self?.chosen }, apply: { [weak self] in self?.showPage($0) })
    track { [weak self] in
      guard let self, case .account(let item) = chosen else { return }
      title.text = AccountWords(account: item.account).name
    }
    track { [weak self] in self?.updateNews() }
    _ = Delay(milliseconds: Self.quietTime) { [weak self] in
      self?.isSlow = true
      self?.updateList()
    }
    track { [weak self] in
      guard let self else { return }
      let isCovered = models.settings.privacy.isCovered
      toasts.set(style: "covered", isCovered)
      cover.isVisible = isCovered
    }
  }

  /// Shows the settings.
  func openSettings() {
    model.open(.settings)
    content.pane = "page"
  }

  /// Shows where the person can sign in, or the sign-in that is under way.
  func beginSignIn() {
    model.open(.signIn)
    content.pane = "page"
    Task { [signIn = models.signIn] in await signIn.start() }
  }

  /// Shows the form that signs in to an account again.
  func beginSignIn(again item: AccountItem) {
    Task { [weak self, signIn = models.signIn, health = models.health] in
      if await signIn.start(again: item) {
        self?.model.open(.signIn)
        self?.content.pane = "page"
      } else if self?.model.place == .health {
        health.trouble = item.trouble
      }
    }
  }

  /// Takes the accounts out of the tree while they are hidden: a page that is only covered stays
  /// readable for every program on the accessibility bus.
  private func updateLock() {
    let hides = model.isHidden
    guard hides != isHidden else { return }
    isHidden = hides
    root.child = hides ? locked.widget : content
    models.recovery.cancel()
    guard hides else { return }
    // A question names its account.
    Toplevels().closeDialogs()
    locked.focus()
  }

  private func state<Kind: Object>(_ id: String) -> Kind {
    Builder(ui: PackageResources.states_ui, only: id).object(id)
  }

  /// Makes the page of a vault without accounts, which offers the sign-in and the restore.
  private func makeEmpty() -> Widget {
    let builder = Builder(ui: PackageResources.states_ui, only: "empty")
    let finger: FingerSign = builder.object("finger")
    finger.draw()
    let restore: Button = builder.object("restore")
    restore.onClick { [weak self] in
      guard let self else { return }
      models.keys.wantsBackup = true
      model.open(.keys)
      content.pane = "page"
    }
    return builder.object("empty")
  }

  private func makeRecovery() -> RecoveryView {
    RecoveryView(models.recovery) { [weak content] in content?.pane = "page" }
  }

  private func updateList() {
    let text = model.trouble?.text
    let isUsable = model.isLoaded && !model.needsKey && !models.recovery.isOffered
    switch (isUsable, model.items.isEmpty, text) {
    case (false, _, nil): lists.child = isSlow ? reading : nil
    case (false, _, _?): lists.child = failure.widget
    case (true, true, _): lists.child = empty
    case (true, false, _): lists.child = scroller
    }
    trouble.show(orHide: isUsable ? text ?? model.unlockTrouble?.text : nil)
  }

  /// What the page shows.
  private enum Content {
    case place(VaultModel.Place)
    case account(AccountItem)
    case nothing(hasAccounts: Bool)
  }

  private var chosen: Content {
    if let place = model.place { return .place(place) }
    if let item = model.selected { return .account(item) }
    return .nothing(hasAccounts: !model.items.isEmpty)
  }

  /// Marks the row of the place that is shown.
  private func markPlace() {
    var row: Int?
    if case .place(let place) = chosen { row = Self.rows.firstIndex(of: place) }
    places.select(row)
  }

  private func showPage(_ chosen: Content) {
    markPlace()
    // A page that is there keeps the focus, and its enrollment.
    switch chosen {
    case .place(.fingers) where shown is FingersPage: return
    case .place(.keys) where shown is KeysPage: return
    case .place(.activity) where shown is ActivityPage: return
    case .place(.programs) where shown is ProgramsPage: return
    case .place(.settings) where shown is SettingsPage: return
    default: break
    }
    shown = nil
    // A question of the page that is left has lost its subject, such as an account that is gone.
    Toplevels().closeDialogs()
    switch chosen {
    case .place(.health):
      let page = HealthPage(models.health, in: window) { [weak self] in
        self?.beginSignIn(again: $0)
      } recover: { [weak content, recovery = models.recovery] in
        content?.pane = "list"
        recovery.begin()
      }
      show(page, tr("Health"))
    case .place(.signIn):
      let form = SignInPage(models.signIn, in: window)
      show(form, tr("Sign In"))
      form.focus()
    case .place(.fingers):
      show(FingersPage(models.fingers, of: model, in: window), tr("Fingers"))
    case .place(.keys): show(KeysPage(models.keys, in: window), tr("Keys and Backup"))
    case .place(.activity): show(ActivityPage(models.activity), tr("Activity"))
    case .place(.programs):
      show(ProgramsPage(models.programs, of: model, in: window), tr("Programs"))
    case .place(.settings): show(SettingsPage(models.settings), tr("Settings"))
    case .account(let item):
      let account = AccountPage(item, model, in: window) { [weak self] in
        self?.beginSignIn(again: item)
      }
      show(account, AccountWords(account: item.account).name)
    case .nothing(let hasAccounts):
      page.child = hasAccounts ? nothing : nil
      title.text = ""
      content.pane = "list"
    }
  }

  private func show(_ new: any ContentPage, _ name: String) {
    shown = new
    page.child = new.widget
    title.text = name
  }

  private func updateNews() {
    if let notice = model.notice {
      toasts.show(notice, stays: true)
      model.notice = nil
    }
    if let news = model.news {
      toasts.show(news, stays: false)
      model.news = nil
    }
  }
}

/// A page beside the list, which lives as long as it is shown.
@MainActor
protocol ContentPage: AnyObject {
  var widget: Widget { get }
}
