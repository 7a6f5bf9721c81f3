/// The models of the views: they live as long as the app.
@MainActor
struct AppModels {
  let vault: VaultModel
  let health: HealthModel
  let signIn: SignInModel
  let fingers: FingersModel
  let keys: KeysModel
  let recovery: RecoveryModel
  let activity: ActivityModel
  let programs: ProgramsModel
  let settings: SettingsModel

  /// Makes the models of a vault; without a link, of one that cannot be reached for a reason.
  init(_ link: VaultLink?, trouble: Trouble? = nil, startedBy entry: Autostart?) {
    vault = VaultModel(link, trouble: trouble)
    signIn = SignInModel(link, vault)
    fingers = FingersModel(link, of: vault)
    keys = KeysModel(link, of: vault)
    recovery = RecoveryModel(link, of: keys)
    health = HealthModel(link, of: vault, recovery)
    activity = ActivityModel(link)
    programs = ProgramsModel(link, of: vault)
    settings = SettingsModel(link, of: vault, startedBy: entry)
  }
}
