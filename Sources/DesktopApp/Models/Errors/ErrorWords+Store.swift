internal import GTK

// Errors of files: those of the vault, and of the limits of a process, with what to do about them.
extension ErrorWords {
  static let flaws = [
    TextForm("is a symbolic link"),
    TextForm("is not the type of file that it must be"),
    TextForm("belongs to user %s, not to this one"),
    // Sent in parts.
    TextForm("has mode 0%s, which does not let this user in"),
    // Sent in parts.
    TextForm("has mode 0%s, which lets others in"),
    TextForm("has %s names in place of one"),
    TextForm("has %s bytes, which is not its size"),
    TextForm("is not an absolute path"),
  ]

  static let store = [
    TextForm("the vault is open in another process"),
    TextForm("the state directory is on a network file system (%s)"),
    // Sent in parts.
    TextForm("the device secret is a symbolic link"),
    // Sent in parts.
    TextForm("the device secret is not the type of file that it must be"),
    // Sent in parts.
    TextForm("the device secret belongs to user %s, not to this one"),
    // Sent in parts.
    TextForm("the device secret has mode 0%s, which does not let this user in"),
    // Sent in parts.
    TextForm("the device secret has mode 0%s, which lets others in"),
    // Sent in parts.
    TextForm("the device secret has %s names in place of one"),
    // Sent in parts.
    TextForm("the device secret is missing, but there are tokens that it sealed"),
    // Sent in parts.
    TextForm("the device secret has %s bytes in place of 32"),
    // Sent in parts.
    TextForm("the device secret holds nothing but zeros"),
    TextForm("%s is missing"),
    TextForm("a name that cannot be a file's"),
    TextForm("the store has schema %s, and this program knows %s at most"),
    TextForm("the store has a format from before the first release"),
    TextForm("damaged: %s"),
    TextForm("damaged"),
    TextForm("no space left for the vault"),
    TextForm("a file of the vault may not grow: %s"),
    TextForm("the store is open in another program"),
    TextForm("the last change may not have reached the disk (%s)"),
    TextForm("the transaction had been rolled back"),
    TextForm("a transaction was begun inside another"),
    TextForm("the row to change does not exist"),
    TextForm("the row does not fit into the store (SQLite result %s)"),
    TextForm("the store failed (SQLite result %s)"),
    TextForm("%s is not a database"),
    TextForm("%s has a file format that this program does not write"),
    // Sent in parts.
    TextForm("%s is missing, but %s is there"),
    TextForm("%s is not a store of this program"),
    TextForm("%s has no schema"),
    TextForm("%s has a schema that cannot be read"),
    TextForm("%s has another schema than its header says"),
    TextForm("%s has tables that this program did not make"),
    TextForm("a secret of %s bytes is too long"),
    TextForm("no memory for secrets: %s"),
    TextForm("no random bytes: %s"),
    TextForm("the limit %s is %s"),
    TextForm("the limit %s is reached"),
  ]

  static let storeRemedies = [
    TextForm("wait for the other process, or end it"),
    TextForm("set THUMBLATCH_STATE_DIR to a directory on a local disk"),
    TextForm("restore it from a copy"),
    TextForm("restore %s from a copy"),
    TextForm("use the newer program, which made this store"),
    TextForm(
      "sign out with the program that made it, then move the state directory away and sign in again"
    ),
    TextForm("restore the state directory from a copy; nothing in it was changed"),
    TextForm(
      "raise %s (%s in the shell, Limit%s= in a unit), then try again; an engine that runs keeps the limits that it was started with"
    ),
    TextForm("end the program that has vault.db open"),
    TextForm("check the disk; the vault reads its state again at the next start"),
    TextForm("move it away, after you have seen who made it"),
    TextForm("find out who made it; if it is yours, chown it to yourself"),
    TextForm("find out who could read it, then chmod go= (directories 0700, files 0600)"),
    TextForm("find its other name (find -samefile) and remove that"),
    TextForm("give a path that begins with a slash"),
    TextForm(
      "restore device-secret from a copy; without it the sealed tokens cannot be opened: move the state directory away and sign in again"
    ),
    TextForm("restore the directory from a copy; to begin an empty vault: thumblatch recover"),
    TextForm("if this is your newest copy, accept it: thumblatch recover"),
    TextForm("if you restored it yourself, accept it: thumblatch recover"),
    TextForm("restore the vault from a copy, or sign in again"),
    TextForm("nothing was changed; restore the vault from a copy, or sign in again"),
    TextForm(
      "restore the device secret, the directory machine-key and the store from the same backup"
    ),
    TextForm("the next start of the engine removes it"),
    TextForm("nothing was changed; delete the finger and enroll it again"),
    TextForm("remove the cause; the engine empties that file when it ends"),
    TextForm(
      "finish it: thumblatch service import; or go back: thumblatch service import --cancel"
    ),
    TextForm("a newer program may have written them: use that one"),
    TextForm("remove the key and enroll it again"),
    TextForm("nothing was changed; remove the key and enroll it again"),
    TextForm("remove the cause, then try again"),
    TextForm("nothing was changed"),
    TextForm("%s; nothing was changed"),
    TextForm("make room, then try again"),
    TextForm("%s; the provider has answered, and a call that finds room stores that answer"),
    TextForm("repair or remove the vault of user %s, %s"),
  ]
}
