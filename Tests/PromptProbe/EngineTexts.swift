import PresenceTerms

/// The texts of the engine and its helpers that a prompt shows, with values that are no words.
enum EngineTexts {
  static func details(of purpose: PresencePurpose) -> [String?] {
    switch purpose {
    case .refresh: [nil, "scope s7 t7", "for a7", "for a7, for b7, scope s7"]
    case .enable:
      [
        nil, "and unlock it until it is idle for 10 min",
        "and unlock it until the open unlock window ends",
        "of p7@q7 at d7, and unlock it until it is idle for 10 min",
        "of a person that the provider did not name at d7, and unlock it until the open unlock window"
          + " ends",
      ]
    case .unlock:
      [
        nil, "the vault", "the vault for 1 h", "m7, n7 for 10 min", "m7", "m7 (\"t7 c7\")",
        "m7 (\"t7, c7\"), n7 (\"u7\") for 7 s",
      ]
    case .enroll, .deleteFinger: [nil, "right-index", "the security key 'k7'"]
    case .machineKey: [nil, "add tpm", "add recovery", "add fido2", "remove a7"]
    case .rename: [nil, "n7"]
    case .policy:
      [nil, "k7: the default 10 → 5", "k7: the machine's 10 → not set", "k7: not set → 1"]
    case .signOut: [nil, "m7 n7", "p7@q7 at d7"]
    case .remove: [nil, "p7@q7 at d7", "a person that the provider did not name at d7", "d7"]
    case .replace, .exportable: [nil] + replacements
    case .setDefault: [nil, "instead of n7"]
    case .applyProvider:
      [nil, "issuer i7 → j7; d7 → e7; k7 (none) → v7; l7 v7 → (none); changed: c7"]
    case .restore: [nil, "m7, n7", "m7, n7 and 3 more"]
    case .moveToPrivateVault: [nil, "m7, n7"]
    case .disable, .release, .rekey, .recover, .test, .backup, .moveToService: [nil]
    }
  }

  private static let replacements: [String] = [
    "another secret at d7 (i7)", "another secret, of p8 at d7 (i7)",
    "a login of another program at d7; protection ends for another person, and if the answer names"
      + " none",
    "a new user at d7; protection ends", "a new user p8@q8 at d7; protection ends",
    "at d7 with other settings; protection ends for another person",
    "p8@q8 at d7 with other settings; protection ends for another person", "at d7; protection ends",
    "p8@q8 at d7; protection ends", "p8@q8 at d7 with other settings",
    "a person that the provider does not name at d7; protection ends",
  ].map { "p7@q7 at d7 → " + $0 }

  static let requesters = [
    "\"b7\", PID 4211", "\"b7\" run by \"c7\", PID 4211", "an unknown program, PID 7",
    "\"b7\", PID 4211, not of your session", "rule \"r7\"", "user's rule \"r7\", rule \"s7\"",
    "restricted socket \"r7\"",
  ]
  static let questions = [
    "", "System password for p7: ", "PIN of the security key: ",
    "PIN of the security key (1 try left): ", "PIN of the security key (2 tries left): ",
    "Wrong PIN. PIN of the security key (3 tries left): ", "Wrong PIN. PIN of the security key: ",
  ]

  static let clauses = fingers + places + reader + key + password + check

  private static let fingers = [
    "too many fingers failed; the system password is needed once",
    "enrolled fingers not confirmed yet: right-index, left-thumb (desktop)",
    "enrolled fingers changed: added right-index; removed left-thumb; replaced left-ring",
    "enrolled fingers changed: the desktop's fingers are seen by their prints now",
    "the record of the confirmed fingers was altered; enrolled: right-thumb",
  ].map { $0.hasSuffix("once") ? $0 : $0 + "; the system password is needed once" }
  private static let places = [
    "remote session", "not active", "no seat", "no session", "closing", "its screen is locked",
    "another user's session", "not a person's session", "the caller has ended",
    "logind does not answer",
  ].flatMap {
    [
      "no finger counts from here: \($0)", "no finger or security key counts from here: \($0)",
    ]
  }
  private static let reader = [
    "there is no reader", "reader busy: another program has it",
    "reader busy: another program has it (7)", "no fingerprint reader was found",
    "no finger is enrolled on this reader", "the reader no longer has your finger: enroll it again",
    "the fingerprint reader was unplugged", "the fingerprint reader is too hot, wait a little",
    "the fingerprint reader was not touched in time", "the fingerprint reader failed (7)",
    "the enrolled print of left-little does not open",
    "the desktop's fingers cannot be seen now: there is no reader",
    "the fingerprint reader has no room for another finger",
    "the fingerprint reader knows this finger already: it is enrolled as right-index",
    "the fingerprint reader knows this finger already, and it was not enrolled here: remove it in"
      + " the desktop's settings, or with fprintd-delete",
    "the stored print cannot be used: 7", "fprintd does not answer",
    "the desktop's fingers have changed",
  ]
  private static let key = [
    "no security key is plugged in", "the security key wants its PIN",
    "wrong PIN of the security key; tries left: 2", "wrong PIN of the security key",
    "the security key was not touched in time",
    "the counter of the security key 'k7' did not rise, so it may be a copy: if it is yours, remove"
      + " it and enroll it again (7)",
    "several security keys are plugged in: leave the one to enroll",
    "this security key is enrolled already", "the security key made no usable credential",
    "the security key has no hmac-secret", "the security key verifies its person always",
    "the security key answered with error 7",
  ]
  private static let password = [
    "the system refuses this user (7)", "the system refuses this user without a question",
    "the system refuses this user without a question: 7",
    "the system cannot check a password (7)", "there is no user with the number 7",
    "the PAM service file 7 is missing", "the PAM stack is missing, or others could change it",
    "the PAM stack asked for no password", "a PAM module changed the user",
    "this account has expired", "the password must be changed first, with passwd",
    "the password expired, and the account is inactive",
    "the password of this account is locked", "too many failed tries",
  ]
  private static let check = [
    "the system refuses this user", "the last check has not ended yet", "the policy cannot be read",
    "no prompt can be shown at the desktop", "this needs the system password",
    "the presence program ended without an answer",
    "the presence program gave an answer that makes no sense",
    "privileges could not be given up", "the check was passed already",
    "another presence prompt is open", "too many prompts are open on this connection",
    "the prompt is shown at the desktop",
  ]
}
