public import JSON

/// Asks how the engine is.
public struct GetStatusCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = VaultStatus
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.GetStatus"

  /// Without parameters.
  public init() {}

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {}

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// How the engine is.
public struct VaultStatus: VarlinkRecord, Equatable {
  /// Which vault it keeps.
  public var form: VaultForm
  /// The version of Thumblatch.
  public var version: String
  /// Its process id.
  public var process: Int
  /// What guards the device secret: `file`.
  public var deviceSecret: String
  /// What its secrets lie in.
  public var memory: SecretMemoryKind
  /// Whether the unlock window is open.
  public var unlocked: Bool
  /// Seconds until it closes.
  public var unlockedFor: Int?
  /// The accounts that it covers; none: all.
  public var unlockedAccounts: [String]
  /// Such as `right-index`.
  public var enrolledFingers: [String]
  /// Whether only the password passes, after too many fingers failed.
  public var fingerprintLockedOut: Bool
  /// Why the store is not used; nil where nothing is wrong.
  public var problem: String?
  /// What to do about it.
  public var remedy: String?
  /// The fingers that the desktop's settings have enrolled.
  public var desktopFingers: [String]?
  /// Where fingers come from, and how the desktop's can be seen.
  public var fingerSource: FingerSource?
  /// Why no finger counts now although some are enrolled.
  public var fingerReason: String?

  /// Of these parts.
  public init(
    form: VaultForm,
    version: String,
    process: Int,
    deviceSecret: String,
    memory: SecretMemoryKind,
    unlocked: Bool,
    unlockedFor: Int? = nil,
    unlockedAccounts: [String],
    enrolledFingers: [String],
    fingerprintLockedOut: Bool,
    problem: String? = nil,
    remedy: String? = nil,
    desktopFingers: [String]? = nil,
    fingerSource: FingerSource? = nil,
    fingerReason: String? = nil
  ) {
    self.form = form
    self.version = version
    self.process = process
    self.deviceSecret = deviceSecret
    self.memory = memory
    self.unlocked = unlocked
    self.unlockedFor = unlockedFor
    self.unlockedAccounts = unlockedAccounts
    self.enrolledFingers = enrolledFingers
    self.fingerprintLockedOut = fingerprintLockedOut
    self.problem = problem
    self.remedy = remedy
    self.desktopFingers = desktopFingers
    self.fingerSource = fingerSource
    self.fingerReason = fingerReason
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    form = try object.required("form")
    version = try object.required("version")
    process = try object.required("process")
    deviceSecret = try object.required("device_secret")
    memory = try object.required("memory")
    unlocked = try object.required("unlocked")
    unlockedFor = try object.optional("unlocked_for")
    unlockedAccounts = try object.required("unlocked_accounts")
    enrolledFingers = try object.required("enrolled_fingers")
    fingerprintLockedOut = try object.required("fingerprint_locked_out")
    problem = try object.optional("problem")
    remedy = try object.optional("remedy")
    desktopFingers = try object.optional("desktop_fingers")
    fingerSource = try object.optional("finger_source")
    fingerReason = try object.optional("finger_reason")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "form": form,
        "version": version,
        "process": process,
        "device_secret": deviceSecret,
        "memory": memory,
        "unlocked": unlocked,
        "unlocked_for": unlockedFor,
        "unlocked_accounts": unlockedAccounts,
        "enrolled_fingers": enrolledFingers,
        "fingerprint_locked_out": fingerprintLockedOut,
        "problem": problem,
        "remedy": remedy,
        "desktop_fingers": desktopFingers,
        "finger_source": fingerSource,
        "finger_reason": fingerReason,
      ])
    }
  }
}
