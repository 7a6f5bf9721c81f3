/// Known units of the system in which users start programs of their choice; there may be others.
///
/// Jobs of crontab(5) and at(1), and programs that a mail server starts for `.forward`, need no
/// session. A login whose PAM stack has no pam_systemd(8) stays in the unit that accepted it.
package enum UnitsOfUsers {
  private static let names = [
    "cron.service", "crond.service", "cronie.service", "cron-*.service", "bcron.service",
    "fcron.service", "incron.service", "atd.service",
    "exim.service", "exim4.service", "opensmtpd.service", "postfix.service", "postfix@*.service",
    "sendmail.service",
    "ssh.service", "ssh@*.service", "sshd.service", "sshd@*.service", "dropbear.service",
    "dropbear@*.service",
    "getty@*.service", "serial-getty@*.service", "console-getty.service",
    "gdm.service", "gdm3.service", "greetd.service", "lightdm.service", "lxdm.service",
    "sddm.service", "xdm.service", "xrdp-sesman.service",
  ]

  /// One of these units that a rule for `unit` holds for; `nil` if it holds for none.
  package static func first(in unit: String) -> String? {
    names.first { NamedRule.overlap(unit, $0) }
  }
}

extension NamedRule {
  /// The effect of a rule that loosens `desktop` for such a unit, as text for people.
  package static func warning(ofUnit unit: String, desktop: String) -> String {
    "any program of a user gets desktop = \(desktop): users can start programs in \(unit)"
  }
}
