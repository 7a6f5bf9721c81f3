internal import GTK

// Errors of the vault: its counters, its records and its sealed boxes, with what to do about them.
extension ErrorWords {
  static let vault = [
    TextForm("the vault in the service: %s"),
    TextForm("the sealed client secret of %s does not open"),
    TextForm("the sealed token of %s does not open"),
    TextForm("the generation is used up"),
    TextForm("the record of %s has an unknown protection class"),
    TextForm("the record of %s has a generation below zero"),
    TextForm("the device secret is not the one of this store"),
    TextForm("the rollback counter is used up"),
    TextForm("the new device secret is in use, but the old one could not be removed: %s"),
    TextForm("the sealed print of %s does not open: %s"),
    TextForm("the change is made, but old data could not be removed from vault.db-wal: %s"),
    TextForm("the audit log has no numbers left"),
    TextForm("the store is older than its rollback counter: an old copy was restored"),
    TextForm("the rollback counter is older than the store: an old counter was restored"),
    TextForm("the rollback counter is missing: the store may be an old copy"),
    TextForm(
      "the rollback counter is damaged, or belongs to another vault: the store may be an old copy"
    ),
    TextForm(
      "the store (vault.db) was lost: it is empty, and its rollback counter has counted changes"
    ),
    TextForm(
      "the store's sealed tokens, prints or own rules are not those that it has counted: a part of an old copy was restored"
    ),
    TextForm("the store is older than the machine key: an old copy was restored"),
    TextForm(
      "the whole directory was restored from an old copy: the TPM's counter has gone on since"
    ),
    TextForm(
      "the vault was restored from an old copy: the ledger of the TPM's counter has a higher count"
    ),
    TextForm(
      "the whole directory was restored from an old copy, and this vault was not accepted since"
    ),
    TextForm("the ledger of the TPM's counter is missing or damaged: the vault may be an old copy"),
    TextForm("the TPM's counter was removed or replaced: the vault may be an old copy"),
    // Sent in parts.
    TextForm("on the way into the private vault, after an interrupted call: %s"),
    // Sent in parts.
    TextForm("on the way into the private vault, after an interrupted call; %s"),
    TextForm("the accounts are on their way into the service, and a call was interrupted"),
    TextForm("the record of a move of accounts"),
    TextForm("your own rules in the store cannot be read: %s"),
    TextForm("the provider in the record of %s is not the one of its login"),
    TextForm("the provider of an unfinished login cannot be read"),
    TextForm("the record of the security key '%s' does not open"),
    TextForm("the record of the security key '%s' does not open: %s"),
    TextForm("the provider %s ended the login, and the sign-out here is not complete: %s"),
    TextForm("%s; the provider has not confirmed the end of the login"),
    TextForm("the vault of user %s was made for %s, and that user is %s now"),
    TextForm("the vault of user %s does not name the user that it was made for"),
    TextForm("its secret has expired"),
    TextForm("its token has expired, and the provider does not exchange it"),
    TextForm("its token has expired, and the provider refused to exchange it (HTTP %s)"),
    TextForm("answer lost"),
    TextForm("the provider wants you to sign in again (%s)"),
    TextForm("the provider wants you to sign in again (%s): %s"),
    // Sent in parts.
    TextForm("has no presence protection, which each account must have; enable it: %s"),
    // Sent in parts.
    TextForm("has no presence protection, which each account must have (%s); enable it: %s"),
    TextForm("sealed in format %s, which is not known here"),
    TextForm("the length is wrong"),
    TextForm("not a sealed box"),
    TextForm("sealed under another device secret"),
    TextForm("sealed for another vault"),
    TextForm("sealed for another user"),
    TextForm("sealed for another account"),
    TextForm("sealed as another kind of secret"),
    TextForm("sealed under another protection class"),
    TextForm("sealed as generation %s"),
    TextForm("sealed for another provider or other settings"),
  ]
}
