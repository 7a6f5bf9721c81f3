internal import GTK

// What the engine says of the vault from inside.
extension FindingWords {
  static let ofVault =
    [
      TextForm("could not be examined: %s"),
      TextForm("%s more of this kind"),
    ]
    + store + accounts + rules + audit + devices

  private static let store = [
    TextForm("vault.db is intact"),
    TextForm("vault.db is damaged: %s"),
    TextForm("the rollback counter cannot be written, so nothing can be changed"),
    TextForm("the rollback counter is damaged"),
    TextForm("the store matches its rollback counter"),
    TextForm("the rollback counter does not match the store (%s, and the store says %s)"),
    TextForm("nothing to count yet"),
    TextForm("the rollback counter is missing"),
    TextForm("no slot of the machine key can be read, so the vault does not open again"),
    TextForm(
      "the recovery code opened the vault, and the next start of the engine may need it again"
    ),
    TextForm("the machine key is not added yet: a copy of the directory opens the vault"),
    TextForm("the device secret is in a private file: a copy of the directory opens the vault"),
    TextForm("the TPM has no rollback counter against old copies of the directory: %s"),
    // Sent in parts.
    TextForm("the TPM has no rollback counter against old copies of the directory"),
    TextForm("the slot of %s cannot be used: %s"),
    TextForm("slots/%s belongs to no account"),
    TextForm("each account has its slot (%s)"),
    TextForm("tokens/%s belongs to no account"),
    TextForm("all of them are private"),
  ]
  private static let accounts = [
    TextForm("none needs attention (%s)"),
    TextForm("the account %s is uncertain: the answer to its last refresh was lost"),
    TextForm("the account %s is uncertain: %s"),
    TextForm("the account %s cannot be used: %s"),
    TextForm("the account %s cannot be used"),
    TextForm("the item %s has no value: %s"),
    TextForm("the item %s has no value"),
    TextForm("the account %s needs another secret: %s"),
    TextForm("the account %s needs another secret"),
    TextForm("the account %s must be signed in again: %s"),
    TextForm("the account %s must be signed in again"),
    TextForm("the secret of %s expires at %s"),
  ]
  private static let rules = [
    TextForm("the account %s is not used: it has no presence protection (%s)"),
    TextForm("the account %s is not used: it has no presence protection"),
    TextForm(
      "the account %s has other settings than the machine's %s, so that no login is allowed (%s)"
    ),
    TextForm(
      "the account %s has other settings than the machine's %s, so that no login is allowed"
    ),
    TextForm("the account %s stays signed in at %s, where no login is allowed any more (%s)"),
    TextForm("the account %s stays signed in at %s, where no login is allowed any more"),
    TextForm("the policy cannot be read: %s"),
    TextForm("the policy can be read (%s)"),
    // Sent in parts.
    TextForm("the policy can be read"),
  ]
  private static let audit = [
    TextForm("the audit log is not intact: record %s is the first bad one (%s)"),
    TextForm("the audit log is not intact: record %s is the first bad one"),
    TextForm("records may be missing at its end: the store may be an old copy"),
    TextForm("the audit log is intact (%s records)"),
    TextForm("the clock is after the last audit record"),
    TextForm("the clock is %s s before the last audit record"),
  ]
  private static let devices = [
    TextForm("%s, in use by a program now"),
    TextForm("secrets are in secret memory"),
    TextForm("secrets are in locked memory"),
    TextForm("secrets are in ordinary memory, which may be swapped to disk"),
    TextForm("no fingerprint reader can be used: %s"),
    TextForm("no security key is enrolled"),
    // Sent in parts.
    TextForm("1 security key is enrolled: %s; each must verify its person"),
    // Sent in parts.
    TextForm("1 security key is enrolled: %s"),
    TextForm("%s security keys are enrolled: %s; each must verify its person"),
    TextForm("%s security keys are enrolled: %s"),
    TextForm("login events are not watched: %s"),
    TextForm(
      "a locked screen, sleep, another session at the seat and a logout end the unlock window and open prompts"
    ),
  ]

  static let remediesOfVault = remediesOfStore + remediesOfAccounts + remediesOfDevices

  private static let remediesOfStore = [
    TextForm("restore the state directory from a copy; check the disk"),
    TextForm("free space, and check the disk; the next change writes the counter first"),
    TextForm("the next refresh writes it again; check the disk"),
    TextForm("if you did not restore an old copy, find out who did"),
    TextForm("the next refresh writes it again; find out who removed it"),
    TextForm(
      "before the engine ends: thumblatch backup FILE; then restore it into a new state directory"
    ),
    TextForm("if the security key is lost: %s"),
    // Sent in parts.
    TextForm("as root: thumblatch device-secret add tpm"),
    TextForm(
      "make room in the TPM if it is full, then (in the service as root): thumblatch device-secret add tpm"
    ),
    TextForm("%s; or: thumblatch account remove %s --local, then sign in again"),
    TextForm("the next start of the engine removes what it left itself; remove any other file"),
    TextForm("remove it; it is only a cache"),
    TextForm("remove tokens/%s: it is only a cache; find out who changed it"),
    TextForm(
      "as root: correct that file; it must be root's, and no other user may write to it or to its directory"
    ),
    TextForm("set the clock (timedatectl); until then tokens may look valid for too long"),
    TextForm(
      "thumblatch audit verify names it; export what you need (thumblatch audit --json), and find out who changed it: it stays broken for good"
    ),
  ]
  private static let remediesOfAccounts = [
    TextForm("nothing to do: the next use asks again, after a while"),
    TextForm("restore the vault from a copy; or: thumblatch login %s --provider %s"),
    TextForm(
      "the program that uses it stores it again; if none does: thumblatch account remove %s"
    ),
    TextForm("thumblatch logout %s, if it is not needed"),
    TextForm("make another one at its host, then: thumblatch store %s"),
    // Sent in parts.
    TextForm(
      "the next use asks once more, ten minutes after that at the earliest; if it is refused again, a login is required. To sign in now: thumblatch login %s"
    ),
    // Sent in parts.
    TextForm(
      "the login is kept, and the next use asks again, after a while; %s. To sign in now: thumblatch login %s"
    ),
    // Sent in parts.
    TextForm(
      "the login is kept, and the next use asks again, after a while. To sign in now: thumblatch login %s"
    ),
    TextForm(
      "finish it: thumblatch service export; or go back: thumblatch service export --cancel"
    ),
  ]
  private static let remediesOfDevices = [
    TextForm("raise RLIMIT_MEMLOCK (ulimit -l) to 1 MiB or more, then end the engine"),
    TextForm(
      "an enrolled security key or the system password passes a check; plug in a reader that libfprint supports, or let this user open it"
    ),
    TextForm("the unlock window ends by time, or by: thumblatch lock"),
  ]
}
