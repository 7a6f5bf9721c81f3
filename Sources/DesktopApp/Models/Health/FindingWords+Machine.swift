internal import GTK

// What the checks of the machine say, which run in the app: those of the Doctor room.
extension FindingWords {
  static let ofMachine = directory + engine + environment + password + programs

  private static let directory = [
    TextForm("%s cannot be made: this user may not write to %s"),
    TextForm("%s will be created on first use"),
    TextForm("%s is a symbolic link"),
    TextForm("%s is not a directory"),
    TextForm("%s belongs to user %s, not to root"),
    TextForm("%s belongs to user %s"),
    TextForm("you cannot use %s yourself (mode %s)"),
    TextForm("other users can enter %s (mode %s)"),
    TextForm("%s: nothing can be refreshed"),
    TextForm("there is enough"),
    TextForm("only %s MiB are free"),
    TextForm("%s is not a regular file"),
    TextForm("%s has mode %s, not 600"),
    TextForm("only you can use %s"),
    TextForm("%s is not a socket"),
  ]
  private static let engine = [
    TextForm("the running engine is version %s, and this program %s"),
    TextForm("the vault needs a touch of its security key"),
  ]
  private static let environment = [
    TextForm("none in the environment"),
    TextForm("ignored: %s; no variable decides where tokens go"),
    TextForm("ignored: %s; no variable decides which server is trusted"),
    TextForm("%s has no meaning"),
    TextForm("THUMBLATCH_SOCKET names the vault to use"),
    TextForm("%s is not UTF-8: names and passwords beyond ASCII may not arrive as typed"),
    TextForm("the limit is high enough"),
    TextForm("only %s files can be open at once: an engine started here can serve few callers"),
    TextForm("the clock says %s: certificates and tokens cannot be checked"),
    TextForm("not installed: only readers that you can open yourself are used"),
    TextForm("installed, but there is no system bus"),
    TextForm("installed"),
    TextForm("libfido2.so.1 is not found: no security key can be used"),
  ]
  private static let password = [
    TextForm("no PAM stack: thumblatch-presence is missing"),
    TextForm("the PAM stack %s is missing or unreadable"),
    TextForm(
      "the PAM stack %s has pam_fprintd, which competes for the reader and accepts people without a password"
    ),
    TextForm("the PAM stack %s has no auth line"),
    TextForm("checked by %s"),
    TextForm("the owner of %s is hidden in this sandbox"),
    TextForm("other users can change %s, and so accept any password"),
  ]
  private static let programs = [
    TextForm("all are installed, and only you or root can change them"),
    TextForm("%s cannot be executed"),
    TextForm("%s is not used: %s"),
    TextForm("%s is insecure: plain http on this machine"),
    TextForm("all are readable (%s)"),
    TextForm("other users can write to %s, and choose where passwords go"),
  ]

  static let remediesOfMachine = [
    TextForm("find out whose it is; use one of your own: THUMBLATCH_STATE_DIR=..."),
    TextForm("use a directory of your own: THUMBLATCH_STATE_DIR=..."),
    TextForm("remove it, or set THUMBLATCH_STATE_DIR to the directory itself"),
    TextForm("find out who made it, then move it away"),
    TextForm("find out who used it; then: chmod 700 %s"),
    TextForm("make room on the file system of %s"),
    TextForm("find out who put it there; then restore the whole directory from a copy"),
    TextForm("find out who wrote to it; then, as root: chown %s %s"),
    TextForm("find out who could use it; then: chmod 600 %s"),
    TextForm("find out who made it; then: systemctl restart thumblatchd.socket"),
    TextForm("as root: %s; the next call starts the new engine"),
    TextForm("%s; the next call starts the new engine"),
    TextForm("touch it at a terminal: thumblatch status"),
    TextForm("if a proxy is needed: thumblatch provider add NAME --proxy URL ..."),
    TextForm("if a certificate of your own is needed: thumblatch provider add NAME --ca FILE"),
    TextForm("unset THUMBLATCH_SOCKET to use the service or your own vault"),
    TextForm("set LANG=C.UTF-8, or another locale that ends in UTF-8"),
    TextForm("set the clock (timedatectl set-ntp true)"),
    TextForm("if you use a security key, install libfido2-1"),
    TextForm(
      "install Thumblatch again, or write /etc/pam.d/thumblatch (SYSTEM PASSWORD in thumblatch(1))"
    ),
    TextForm("remove pam_fprintd from it: use pam_unix.so or pam_sss.so, not common-auth"),
    TextForm("run thumblatch doctor outside the sandbox"),
    TextForm("find out who changed it; then: chown root %s; chmod go-w %s"),
    TextForm("find out who changed it; then install again, or: chmod go-w %s"),
    TextForm("install Thumblatch again, with all programs in one directory"),
    TextForm("use it for development only, and https elsewhere"),
    TextForm("correct the file, or remove it"),
    // Sent in parts.
    TextForm("check the files in it; then, as root: chown %s %s; chmod go-w %s"),
    // Sent in parts.
    TextForm("check the files in it; then: %s"),
  ]
}
