internal import GTK
internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

/// The desktop app: the vault that a person looks at.
@MainActor
package final class DesktopProgram {
  private static let usage = """
    usage: thumblatch-desktop [--private] [--background | --lock | --sign-in]

    Shows the accounts of your vault, and its presence checks.

      --private      use your own vault, also if this machine has the service
      --background   show only presence checks, until the app is started again
      --lock         lock the vault
      --sign-in      show where to sign in
      --version      print the version
      --help         print this text
    """

  /// How long the end of the app waits for pending settings, in milliseconds.
  private static let quitTime = 2000

  private let application: Application
  private let models: AppModels
  private let desk: PromptDesk
  private let location: VaultLocation?
  private let prompts: OpenPrompts
  private var main: MainWindow?
  private var toplevels: Toplevels?
  private var cover: Cover?
  private var isServing = false
  /// Why the vault was not locked, if no window says it.
  private var lockTrouble: Trouble?

  private init(privately: Bool) {
    let id = privately ? "io.thumblatch.Desktop.Private" : "io.thumblatch.Desktop"
    application = Application(id: id)
    let entry = Autostart(id: id, options: privately ? ["--private"] : [])
    prompts = OpenPrompts(of: application)
    let chosen = ChosenSignIn()
    desk = PromptDesk(
      show: { [prompts] link in Task { @MainActor in prompts.show(link) } },
      signIn: { account in Task { @MainActor in await chosen.begin(account) } }
    )
    do throws(VaultClientError) {
      let location = try VaultLocation(privately: privately)
      self.location = location
      CommandWords.setVault(location)
      models = AppModels(VaultLink(location: location, desk: desk), startedBy: entry)
    } catch {
      location = nil
      models = AppModels(nil, trouble: Trouble(error), startedBy: entry)
    }
    chosen.program = self
    prompts.end(atLocksOf: models.vault)
  }

  /// Runs the app to its end.
  ///
  /// - Parameter arguments: the words after the program's name.
  /// - Returns: the exit code.
  package static func run(_ arguments: [String]) -> Int32 {
    Translation.begin(in: catalogs)
    switch arguments {
    case ["--version"]: return say("thumblatch-desktop \(thumblatchVersion)", 0)
    case ["--help"]: return say(usage, 0)
    default:
      guard let start = start(arguments.filter { $0 != "--private" }) else { return say(usage, 2) }
      return DesktopProgram(privately: arguments.contains("--private")).run(start)
    }
  }

  private static func say(_ text: String, _ code: Int32) -> Int32 {
    print(text)
    return code
  }

  private func run(_ start: Application.Start) -> Int32 {
    // Passwords and codes are typed into this process.
    do throws(SystemError) { try ThisProcess.refuseDumps() } catch {
      return Self.say("thumblatch-desktop: error: \(error)", 6)
    }
    SecretBytes.keepNoMemory()
    // Without a window, D-Bus may ask for each of them.
    application.addAction("lock", keys: ["<Control>l"]) { [weak self] in self?.lock() }
    application.addAction("sign-in", keys: ["<Control>n"]) { [weak self] in
      self?.activate()
      self?.main?.beginSignIn()
    }
    application.addAction("settings", keys: ["<Control>comma"]) { [weak self] in
      self?.activate()
      self?.main?.openSettings()
    }
    application.addAction("shortcuts", keys: ["<Control>question"]) { [weak self] in
      self?.activate()
      if let window = self?.main?.window { HelpWindows.showShortcuts(over: window) }
    }
    application.addAction("about") { [weak self] in
      self?.activate()
      if let window = self?.main?.window { HelpWindows.showAbout(over: window) }
    }
    application.addAction("quit", keys: ["<Control>q"]) { [weak self] in self?.quit() }
    application.setKeys(["<Control>w"], of: "window.close")
    application.onStart { [weak self] in
      self?.application.addStyle(
        Style.rules,
        inHighContrast: Style.contrast,
        otherwise: Style.usual
      )
      if start == .background { self?.serve() }
    }
    // It lives as long as the process.
    let code = application.run(start) { self.activate() }
    desk.end?.reach()
    guard start == .action("lock"), let lockTrouble else { return code }
    return Self.say("thumblatch-desktop: error: \(lockTrouble.text)", 5)
  }

  /// Locks the vault, and keeps the app running until that is done.
  private func lock() {
    application.hold()
    Task {
      let vault = models.vault
      await vault.lock()
      if main == nil { lockTrouble = vault.lockTrouble ?? (location == nil ? vault.trouble : nil) }
      application.release()
    }
  }

  /// Shows the sign-in to an account that the person has chosen in a notice.
  fileprivate func signIn(to account: String) async {
    activate()
    await models.vault.read()
    if let item = models.vault.items.first(where: { $0.name == account }) {
      main?.beginSignIn(again: item)
    }
  }

  /// Shows the window, which is made again after it was closed.
  private func activate() {
    if let main { return main.window.present() }
    let main = MainWindow(models)
    self.main = main
    application.add(main.window)
    prompts.parent = main.window
    let isFirst = toplevels == nil
    if isFirst { followWindows() }
    cover?.main = main.window
    main.window.connect("close-request") { [weak self] _ in
      // GTK destroys it, and the last reference to it goes here.
      self?.main = nil
      self?.prompts.parent = nil
      self?.cover?.main = nil
      self?.keepRunningForSettings()
      return nil
    }
    main.window.present()
    if isFirst {
      models.settings.privacy.follow()
      Task { await models.vault.follow() }
    }
    serve()
  }

  /// Ends the app after the pending settings are written.
  private func quit() {
    afterSettings { [application] in application.quit() }
  }

  /// Keeps the app running until pending settings are written.
  private func keepRunningForSettings() {
    application.hold()
    afterSettings { [application] in application.release() }
  }

  /// Calls a closure once: after the pending settings are written, or after `quitTime`.
  private func afterSettings(_ body: @escaping @MainActor () -> Void) {
    var rest: (@MainActor () -> Void)? = body
    let end = { @MainActor in
      rest?()
      rest = nil
    }
    // The home directory may be on a network file system that does not respond.
    _ = Delay(milliseconds: Self.quitTime, end)
    Task { [settings = models.settings] in
      await settings.finish()
      end()
    }
  }

  /// Shows the prompts of other programs from now on.
  private func serve() {
    guard !isServing, let location else { return }
    isServing = true
    desk.serve(location)
  }
}

extension DesktopProgram {
  /// How the app begins, by its arguments besides `--private`; `nil` if one is not known.
  private static func start(_ arguments: [String]) -> Application.Start? {
    switch arguments {
    case []: .window
    case ["--background"]: .background
    case ["--lock"]: .action("lock")
    case ["--sign-in"]: .action("sign-in")
    // D-Bus starts it so: see the file of the service.
    case ["--gapplication-service"]: .service
    default: nil
    }
  }

  /// The directory of the catalogs, in the prefix where the program is installed or was built.
  private static var catalogs: String? {
    guard let directory = try? ThisProcess.programDirectory() else { return nil }
    let isInstalled = directory.hasSuffix("/libexec/thumblatch")
    return directory + (isInstalled ? "/../.." : "/..") + "/share/locale"
  }

  /// Learns whether the person works in the app: also its dialogs are windows.
  private func followWindows() {
    let toplevels = Toplevels()
    let cover = Cover(of: toplevels, models.settings.privacy)
    (self.toplevels, prompts.toplevels, self.cover) = (toplevels, toplevels, cover)
    toplevels.onActivity { [models, weak toplevels, weak cover] in
      cover?.noteActivity()
      // The next window becomes active after the last one has ended to be.
      Task {
        let (privacy, isActive) = (models.settings.privacy, toplevels?.isActive ?? false)
        // The person may have mended the vault in another program.
        if isActive, !privacy.isActive { models.vault.tryAgain() }
        privacy.isActive = isActive
      }
    }
  }
}

/// Begins the sign-ins that the person chooses in notices.
///
/// The program makes its desk first, and sets itself here at the end of its initializer.
@MainActor
private final class ChosenSignIn {
  weak var program: DesktopProgram?

  func begin(_ account: String) async { await program?.signIn(to: account) }
}

/// The app's own rules of CSS.
private enum Style {
  static let rules = """
    .trouble { margin: 6px 12px; padding: 12px; border-radius: 12px;
      background-color: alpha(@warning_bg_color, 0.25); }
    .covered, window.seen.blurred > * { filter: blur(14px); }
    text.secret { padding: 9px 12px; border-radius: 9px; min-height: 18px;
      background-color: alpha(currentColor, 0.1); }
    text.secret:focus-within { outline: 2px solid @accent_color; }
    @keyframes pulse { from { opacity: 1; } to { opacity: 0.3; } }
    /* Each step is drawn once: a smooth pulse would be drawn in each frame. */
    .awaited { animation: pulse 1s steps(8) infinite alternate; }
    .ring { color: @accent_color; }
    .ring.bad { color: @warning_color; }
    .places row > box { min-height: 36px; padding: 0 12px; }
    listview > row:focus:focus-visible { outline: 2px solid alpha(@accent_color, 0.6);
      outline-offset: -2px; }
    scrolledwindow:focus:focus-visible { outline: 2px solid alpha(@accent_color, 0.6);
      outline-offset: 3px; }
    .text-row { padding: 6px 12px; }
    row button.below { margin: 6px 0; }
    row.fact label.title { font-size: smaller; }
    row.fact label.subtitle { font-size: inherit; opacity: 1; }
    """

  /// The borders and the grey that libadwaita itself draws then.
  static let contrast = """

    text.secret, .trouble { box-shadow: inset 0 0 0 1px alpha(currentColor, 0.5); }
    row.fact label.title { opacity: 0.9; }
    """

  /// Grey text with a contrast of 4.5:1 and more on each background of the app, as WCAG 2 wants it.
  ///
  /// That of libadwaita has 3.2:1.
  static let usual = """

    .dim-label, row label.subtitle, entry > text > placeholder, headerbar .subtitle,
      windowtitle .subtitle, row.fact label.title { opacity: 0.75; }
    row.fact label.subtitle { opacity: 1; }
    """
}
