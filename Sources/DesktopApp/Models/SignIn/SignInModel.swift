internal import Configuration
internal import GTK
internal import Observation
internal import PresenceTerms
internal import Providers
internal import System
internal import VaultClient
internal import VaultInterface

/// A sign-in on the screen, from the choice of a provider to the account.
@Observable
@MainActor
final class SignInModel {
  /// What the page shows.
  enum Step {
    /// The files of providers are read.
    case reading
    case choosing
    case filling
    /// The engine, the provider or the browser is awaited.
    case waiting
    /// The person types a code elsewhere.
    case typing(SignInCode)
    /// The account is signed in, and may be protected.
    case protecting(ProtectionModel)
  }

  private(set) var step = Step.reading
  /// The providers that are set up.
  private(set) var installed: [SignInChoice] = []
  /// The form that is filled in.
  private(set) var form: SignInForm?
  /// What is wrong with which field.
  private(set) var problems: [String: String] = [:]
  /// Why the last try did not work.
  private(set) var trouble: Trouble?
  /// What is awaited.
  private(set) var progress = ""
  /// What the person has to know while they wait.
  private(set) var notice: String?
  /// The page that the browser shows.
  private(set) var page: String?
  /// The page that a browser has to open now.
  var pageToOpen: String?
  /// The question whether a login is replaced, which the page has to ask now.
  var replacement: SignInReplacement?

  @ObservationIgnored
  let link: VaultLink?
  @ObservationIgnored
  let vault: VaultModel
  /// Ends the sign-in that runs.
  @ObservationIgnored
  private var wake: SharedWake?
  /// Whether the form that was filled in is checked.
  @ObservationIgnored
  private var isChecking = false
  /// Whether a person has answered on the provider's page, or had a code for that.
  @ObservationIgnored
  private var wasAsked = false

  init(_ link: VaultLink?, _ vault: VaultModel) {
    self.link = link
    self.vault = vault
  }

  private var isChoosing: Bool { if case .choosing = step { true } else { false } }
  var isFilling: Bool {
    guard !isChecking else { return false }
    return if case .filling = step { true } else { false }
  }

  /// Whether the accounts are hidden, so that nothing typed may stay.
  var isHidden: Bool { vault.isHidden }

  // MARK: The form

  /// Shows where the person can sign in, unless a sign-in is under way.
  func start() async {
    switch step {
    case .reading, .choosing, .protecting: await readProviders()
    case .filling, .waiting, .typing: break
    }
  }

  private func readProviders() async {
    do throws(ProviderFileError) {
      installed = try await Self.onThread { () throws(ProviderFileError) in
        try SignInChoice.installed()
      }
      trouble = nil
    } catch {
      trouble = Trouble(english: "\(error)", advice: error.remedy)
    }
    (form, problems, step) = (nil, [:], .choosing)
  }

  /// Shows the form of a choice.
  func choose(_ choice: SignInChoice) {
    guard isChoosing, let source = choice.source else { return }
    let names = Set(vault.items.map(\.name))
    show(SignInForm(source, ["account": FreeName.near(choice.account, isTaken: names.contains)]))
  }

  /// Shows a form, unless a sign-in is under way.
  func show(_ new: SignInForm) {
    if wake == nil { (form, problems, trouble, step) = (new, [:], nil, .filling) }
  }

  /// Shows the form for a new user, or for a known one, with what was typed.
  func changeRegistration(_ answers: SignInAnswers) {
    guard isFilling, let form else { return }
    self.form = SignInForm(form.source, answers.texts, isRegistration: !form.isRegistration)
    (problems, trouble) = ([:], nil)
  }

  /// Shows the choices again.
  func goBack() async {
    guard isFilling else { return }
    await readProviders()
  }

  // MARK: Signing in

  /// Checks the form, and signs in.
  ///
  /// - Parameters:
  ///   - answers: what was typed.
  ///   - byCode: whether a code is typed on another device.
  func signIn(_ answers: SignInAnswers, byCode: Bool = false) async {
    guard isFilling, let form else { return }
    (problems, trouble, isChecking) = ([:], nil, true)
    defer { isChecking = false }
    do throws(SignInProblems) {
      let (account, provider) = try form.check(answers, besides: try await Self.knownProviders())
      let isAgain = form.source.account != nil
      let request = SignInRequest(
        account: account,
        provider: provider,
        way: form.way(answers, at: provider, byCode: byCode),
        isAgain: isAgain
      )
      let new = form.isNew ? provider : nil
      guard !isAgain, let replaced = try replacedLogin(by: request) else {
        return await run(request, keeping: new)
      }
      replacement = SignInReplacement(request: request, new: new, account: replaced)
    } catch {
      show(error)
    }
  }

  private func show(_ found: SignInProblems) {
    problems = found.fields.filter { !$0.key.isEmpty }
    if let text = found.fields[""] { trouble = Trouble(Clause(text, .sentence)) }
  }

  func run(_ request: SignInRequest, keeping new: Provider?) async {
    guard let link, wake == nil else { return }
    let wake: SharedWake
    do throws(SystemError) { wake = try SharedWake() } catch {
      trouble = Trouble(VaultClientError.system(error))
      return
    }
    self.wake = wake
    wasAsked = false
    let provider = request.provider.name
    (step, progress, notice) = (.waiting, tr("Asking %s…", provider.text), nil)
    let outcome = await link.signIn(request, until: wake) { [weak self] event in
      Task { @MainActor in
        guard self?.wake === wake else { return }
        self?.take(event, of: provider)
      }
    }
    (self.wake, page, pageToOpen) = (nil, nil, nil)
    switch outcome {
    case .signedIn(let account): await finish(account, keeping: new)
    case .failed(let found): (step, trouble) = (.filling, found)
    case .refused(let error):
      step = .filling
      refused(error)
    }
  }

  private func take(_ event: SignInEvent, of provider: ProviderName) {
    switch event {
    case .page(let address):
      (page, pageToOpen) = (address, address)
      progress = tr("Sign in at %s in your browser.", provider.text)
    case .code(let code): (step, wasAsked) = (.typing(code), true)
    case .refused(let reason):
      notice = Trouble(reason, advice: tr("the sign-in goes on")).text
    case .arrived:
      (page, notice, wasAsked) = (nil, nil, true)
      progress = tr("Signing in…")
    }
  }

  /// Notes that no browser opened.
  func lacksBrowser() {
    guard page != nil else { return }
    notice =
      tr(
        "No browser could be opened. Copy the address, and open it in a browser on this computer."
      )
  }

  /// Gives the sign-in up.
  func cancel() { wake?.event.signal() }

  private func refused(_ error: VaultClientError) {
    let takesPassword = form?.takesPassword == true
    switch error {
    case .interrupted: break
    case .refused(.providerRefused(_, _, let reason?, let fields)) where takesPassword:
      refused(for: reason, fields, error)
    case .refused(.loginRequired) where wasAsked:
      trouble = SignInRun.tooLate
    case .refused(.invalidArgument(let message)) where wasAsked:
      trouble = Trouble(
        tr("the browser's answer was refused: %s", message),
        advice: tr("try again")
      )
    case let error where error.leavesInDoubt(.never):
      trouble = Trouble(
        ErrorWords.translated("\(error)"),
        advice: tr(
          "the sign-in may have happened: see the list of accounts before you try again"
        )
      )
    default: trouble = Trouble(error)
    }
  }

  /// Shows what a password backend says about the input, beside its field.
  private func refused(
    for reason: VaultRefusalReason,
    _ fields: [VaultFieldProblem],
    _ error: VaultClientError
  ) {
    let shown = Set(form?.fields.map(\.key) ?? [])
    switch reason {
    case .wrongCredentials:
      problems["password"] = tr("E-mail and password do not belong together. Check both.")
    case .addressTaken:
      problems["email"] = tr("There is a user with this address. Sign in instead.")
    case .invalidInput:
      for field in fields where shown.contains(field.field) {
        problems[field.field] = Trouble(field.message).text
      }
      if problems.isEmpty { trouble = Trouble(error) }
    }
  }

  private func finish(_ account: VaultAccount, keeping new: Provider?) async {
    (form, problems, trouble) = (nil, [:], nil)
    vault.news = tr("Signed in")
    await vault.read()
    let kept = if let new { await Self.keep(new) } else { Trouble?.none }
    guard let link, let item = vault.items.first(where: { $0.name == account.name }) else {
      return await readProviders()
    }
    if let kept = kept ?? Self.unended(account) { item.trouble = kept }
    step = .reading
    // The person may look at something else by now.
    guard vault.place == .signIn else { return }
    guard !item.account.presenceProtection else { return vault.select(item) }
    let protection = ProtectionModel(item, link, vault)
    step = .protecting(protection)
    await protection.read()
  }
}
