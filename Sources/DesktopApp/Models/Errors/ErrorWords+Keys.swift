internal import GTK

// Errors of the TPM, the security keys and the machine key, with what to do about them.
extension ErrorWords {
  static let keys = [
    TextForm("the machine key has no slot of a TPM or a security key"),
    TextForm("slot %s of the machine key cannot be used: %s"),
    // Sent in parts.
    TextForm("the vault needs the TPM of this machine, and there is none (/dev/tpmrm0)"),
    // Sent in parts.
    TextForm(
      "the vault needs the TPM of this machine, and the engine may not open it (/dev/tpmrm0)"
    ),
    // Sent in parts.
    TextForm(
      "the vault needs the TPM of this machine, and this is not the TPM that it was sealed with, or it was cleared"
    ),
    // Sent in parts.
    TextForm(
      "the vault needs the TPM of this machine, and the TPM has an owner password and no storage key at 0x81000001"
    ),
    TextForm("the TPM and the slot of the machine key do not belong together"),
    TextForm("the TPM's slot of the machine key is damaged"),
    TextForm("the TPM is busy: try again"),
    TextForm("the TPM is in lockout after failed authorizations: try again later"),
    TextForm("cannot reach the helper for the TPM: %s"),
    TextForm("unexpected TPM error: no counter"),
    TextForm("unexpected TPM error: %s: try again; if it stays, %s"),
    TextForm("unexpected TPM error: %s"),
    TextForm("this machine has no TPM (/dev/tpmrm0)"),
    TextForm("the engine may not open the TPM (/dev/tpmrm0): %s"),
    TextForm(
      "the TPM has an owner password and no storage key at 0x81000001: as root, make that key persistent, or remove the password"
    ),
    TextForm("the TPM did not open what it had just sealed: nothing was changed"),
    TextForm(
      "the TPM has no room for a counter: as root, remove an NV index that is not in use (tpm2_getcap handles-nv-index, tpm2_nvundefine)"
    ),
    TextForm("the TPM already has a counter at this index: try again"),
    TextForm("the machine key cannot be used: %s"),
    TextForm("its slots are missing"),
    TextForm("no slot of the machine key opens with this TPM"),
    TextForm("%s: a touch of its security key opens it too"),
    TextForm("it is damaged"),
    TextForm("its kind %s is not known to this version"),
    TextForm("it belongs to another machine key"),
    TextForm("it does not open: it is damaged, or its secret is another"),
    TextForm("a recovery code has %s letters and digits, and this has %s"),
    TextForm("character %s is never used in a recovery code"),
    TextForm("the recovery code is mistyped: its two check characters do not match"),
    TextForm("the recovery code cannot be used: %s"),
    TextForm("no security key is plugged in: plug in the one that opens the vault"),
    TextForm("several security keys are plugged in: leave the one that opens the vault"),
    TextForm("the security key that is plugged in opens no slot: it is another one, or was reset"),
    TextForm("too many PINs were wrong: the security key accepts none any more"),
    TextForm("the slot needs the PIN of the security key, which has none: it was reset"),
    TextForm("the slot was made for a touch only, and the security key now always wants its PIN"),
    TextForm("the security key gave no secret (hmac-secret)"),
    TextForm("several security keys are plugged in: leave the one to add"),
    TextForm("this security key has a slot already"),
    TextForm(
      "this security key cannot keep a secret for a slot (it has no hmac-secret): use another one"
    ),
    TextForm("too many PINs were wrong: the security key must be reset first"),
    // Sent in parts.
    TextForm("libfido2 is missing or too old: install libfido2-1; %s"),
    TextForm(
      "three PINs of the security key were wrong: unplug it, plug it in again, and try again"
    ),
    TextForm("the security key did not recognize its person: try again"),
    TextForm("the security key was unplugged, or does not answer: plug it in, and try again"),
    // Sent in parts.
    TextForm("this user may not open the security key: sign in at the machine itself"),
    // Sent in parts.
    TextForm("this user may not open the security key: sign in at the machine itself; %s"),
    // Sent in parts.
    TextForm("unexpected answer of the security key: %s: try again"),
    // Sent in parts.
    TextForm("unexpected answer of the security key: %s: try again; %s"),
    TextForm(
      "the security key gave another secret than that of its slot: the slot or the answer was changed"
    ),
  ]

  static let keyRemedies = [
    TextForm("open it with the recovery code: thumblatch recover --code"),
    TextForm("open it with the recovery code (in the service as root): thumblatch recover --code"),
    TextForm("or %s"),
    TextForm(
      "mend its file, or restore the directory machine-key from a copy; or %s"
    ),
    TextForm("turn the TPM on in the firmware; or %s"),
    TextForm(
      "let group tss open it, and for a private vault add the user to that group and sign in again"
    ),
    // Sent in parts.
    TextForm(
      "let group tss open it, and for a private vault add the user to that group and sign in again; or %s"
    ),
    TextForm("as root: make that key persistent, or remove the password; or %s"),
    TextForm("restore the directory machine-key from a copy; or %s"),
    TextForm("restore the directory machine-key from a copy; nothing was changed"),
    TextForm("plug in the right one; or %s"),
    TextForm("turn that off (alwaysUv); or %s"),
    TextForm("try again at another port; restore the directory machine-key from a copy; or %s"),
  ]
}
