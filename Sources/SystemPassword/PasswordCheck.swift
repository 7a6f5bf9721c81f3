internal import CPAM
internal import Glibc
package import SecretMemory

/// A check of a user's system password, through Linux-PAM.
///
/// Root can check any user's password. An ordinary user can check only their own, through the
/// setgid program unix_chkpwd, and so not under no_new_privs. The check cannot be interrupted while
/// a module works: run it in a process that can be killed.
package struct PasswordCheck: Sendable {
  /// The decision.
  package enum Verdict: Sendable, Equatable {
    /// The password is right, and the system accepts this user.
    case matched
    /// The password is wrong.
    ///
    /// `delay` is the stack's requested delay in microseconds. It was not waited for here, because
    /// the caller that counts failures applies its own. `notes` is what modules said about it, in
    /// one line.
    case noMatch(delay: UInt32, notes: String = "")
  }

  private let user: UInt32
  private let stack: PasswordStack

  package init(user: UInt32, stack: PasswordStack) {
    self.user = user
    self.stack = stack
  }

  /// Runs the stack; `answer` is called on this thread for each question, and `nil` cancels.
  ///
  /// The right password is not enough. The account must be usable, the user must not have changed,
  /// and a hidden answer must have been requested.
  ///
  /// A question and a failure take the texts of `words` that wait, and a success leaves them.
  ///
  /// - Throws: why there was no decision, or why the right password is not accepted.
  package func run(
    words: ModuleWords = ModuleWords(),
    answer: @escaping (PasswordQuestion) -> SecretBytes?
  ) throws(PasswordError) -> Verdict {
    guard let name = Self.name(of: user) else { throw .unknownUser(user) }
    // If the file is missing, PAM uses the service `other`, which may accept any password.
    guard unsafe access(stack.file, R_OK) == 0 else { throw .noStack(stack.file) }
    let conversation = Conversation(user: name, words: words, answer: answer)
    let transaction = try Transaction(name, stack, conversation)

    let flags = Int32(bitPattern: PAM_DISALLOW_NULL_AUTHTOK)
    let authenticated = unsafe transaction.call("pam_authenticate") {
      unsafe pam_authenticate($0, flags)
    }
    if conversation.isCancelled { throw .cancelled }
    if let authenticated {
      return try Self.refused(authenticated, conversation, name, conversation.delay)
    }
    if let refusal = unsafe transaction.call("pam_acct_mgmt", { unsafe pam_acct_mgmt($0, flags) }) {
      throw Self.account(refusal)
    }
    if conversation.isCancelled { throw .cancelled }
    guard transaction.user == name, Self.name(of: user) == name else { throw .userChanged }
    guard conversation.hiddenAnswers > 0, !conversation.wasUnusable else { throw .noPasswordAsked }
    return .matched
  }

  /// Translates a failed pam_authenticate(3).
  private static func refused(
    _ fault: PAMFault,
    _ conversation: Conversation,
    _ name: String,
    _ delay: UInt32
  ) throws(PasswordError) -> Verdict {
    // Such an answer cannot be a password, so it is wrong.
    if conversation.wasUnusable { return .noMatch(delay: delay) }
    switch fault.code {
    // A module such as pam_faillock(8) can refuse first. Then no password was wrong.
    case PAM_AUTH_ERR where !conversation.hasAnswers,
      PAM_PERM_DENIED where !conversation.hasAnswers:
      throw .refusedUnasked(fault.notes)
    // A stack whose last word is PAM_IGNORE, as that of pam_faillock(8) is, ends with
    // PAM_PERM_DENIED.
    case PAM_AUTH_ERR, PAM_USER_UNKNOWN, PAM_PERM_DENIED:
      if unsafe geteuid() == 0 && cpam_password_is_locked(name) == 1 { throw .passwordLocked }
      return .noMatch(delay: delay, notes: fault.notes)
    case PAM_MAXTRIES: throw .tooManyTries
    case PAM_ACCT_EXPIRED: throw .accountExpired
    case PAM_NEW_AUTHTOK_REQD: throw .mustChangePassword
    case PAM_AUTHTOK_EXPIRED, PAM_CRED_EXPIRED: throw .passwordInactive
    default: throw .unavailable(fault)
    }
  }

  /// Translates a failed pam_acct_mgmt(3).
  private static func account(_ fault: PAMFault) -> PasswordError {
    switch fault.code {
    case PAM_ACCT_EXPIRED: .accountExpired
    case PAM_NEW_AUTHTOK_REQD: .mustChangePassword
    case PAM_AUTHTOK_EXPIRED, PAM_CRED_EXPIRED: .passwordInactive
    case PAM_MAXTRIES: .tooManyTries
    case PAM_PERM_DENIED, PAM_AUTH_ERR, PAM_USER_UNKNOWN: .denied(fault)
    default: .unavailable(fault)
    }
  }

  /// The name of a user; `nil` if there is none (getpwuid_r(3)).
  private static func name(of user: UInt32) -> String? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 * 1024) { buffer in
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      guard let space = buffer.baseAddress,
        unsafe getpwuid_r(user, &entry, space, buffer.count, &found) == 0,
        let name = unsafe found?.pointee.pw_name
      else { return nil }
      return unsafe String(cString: name)
    }
  }
}

/// One PAM handle, ended with its owner.
@safe
private final class Transaction {
  private var handle: OpaquePointer?
  private var status = PAM_SUCCESS
  /// Keeps the object alive that PAM points to.
  private let conversation: Conversation

  init(_ user: String, _ stack: PasswordStack, _ conversation: Conversation) throws(PasswordError) {
    self.conversation = conversation
    var functions = unsafe pam_conv(
      conv: { count, messages, replies, data in
        guard let data = unsafe data else { return PAM_CONV_ERR }
        let conversation = unsafe Unmanaged<Conversation>.fromOpaque(data).takeUnretainedValue()
        return unsafe conversation.converse(count, messages, replies)
      },
      appdata_ptr: Unmanaged.passUnretained(conversation).toOpaque()
    )
    // pam_start(3) copies the structure.
    switch stack {
    case .system:
      status = unsafe pam_start(PasswordStack.service, user, &functions, &handle)
    case .directory(let directory):
      status = unsafe pam_start_confdir(PasswordStack.service, user, &functions, directory, &handle)
    }
    guard status == PAM_SUCCESS, unsafe handle != nil else {
      throw .unavailable(fault("pam_start"))
    }
    // The delay is reported instead of waited for. pam_fail_delay(3): the function is called after
    // a success too, with the data of the conversation.
    unsafe cpam_set_fail_delay(handle) { status, microseconds, data in
      guard status != PAM_SUCCESS, let data = unsafe data else { return }
      let conversation = unsafe Unmanaged<Conversation>.fromOpaque(data).takeUnretainedValue()
      conversation.delay = microseconds
    }
  }

  deinit {
    // pam_end(3) overwrites the stored password and needs the last status.
    if let handle = unsafe handle { unsafe pam_end(handle, status) }
  }

  /// Calls a function of PAM; returns its fault, or `nil` for success.
  func call(_ name: String, _ body: (OpaquePointer) -> Int32) -> PAMFault? {
    guard let handle = unsafe handle else { return fault(name) }
    status = unsafe body(handle)
    return status == PAM_SUCCESS ? nil : fault(name)
  }

  /// The current user of the transaction (pam_get_item(3), PAM_USER).
  var user: String? {
    var item: UnsafeRawPointer?
    guard let handle = unsafe handle, unsafe pam_get_item(handle, PAM_USER, &item) == PAM_SUCCESS,
      let item = unsafe item
    else { return nil }
    return unsafe String(cString: item.assumingMemoryBound(to: CChar.self))
  }

  private func fault(_ call: String) -> PAMFault {
    // pam_strerror(3) accepts any handle and returns static text.
    let words = unsafe handle.flatMap { unsafe pam_strerror($0, status) }
    let message = unsafe words.map { unsafe String(cString: $0) } ?? "error"
    let notes = PasswordQuestion.line(conversation.takeNotes().joined(separator: " "))
    return PAMFault(call: call, code: status, message: message, notes: notes)
  }
}
