/// The units of the system in which users start programs of their choice.
///
/// Jobs of crontab(5) and at(1), and programs that a mail server starts for `.forward`, need no session.
/// A login whose PAM stack has no pam_systemd(8) stays in the unit that took it.
package enum UnitsOfUsers {
  private static let names = [
    "cron.service", "crond.service", "cronie.service", "incron.service", "atd.service",
    "exim4.service", "postfix.service", "postfix@*.service", "sendmail.service",
    "ssh.service", "ssh@*.service", "sshd.service", "sshd@*.service", "dropbear.service",
    "getty@*.service", "serial-getty@*.service", "console-getty.service",
    "gdm.service", "gdm3.service", "greetd.service", "lightdm.service", "lxdm.service",
    "sddm.service", "xdm.service", "xrdp-sesman.service",
  ]

  /// One of these units that a rule for `unit` holds for; `nil` if it holds for none.
  package static func first(in unit: String) -> String? {
    names.first { NamedRule.fits(unit, $0) || NamedRule.fits($0, unit) }
  }
}

extension NamedRule {
  /// A unit of `UnitsOfUsers` for which a rule of the machine with these settings may loosen `desktop`;
  /// `nil` if there is none.
  package static func loosenedUnitOfUsers(_ settings: [String: String]) -> String? {
    guard let desktop = settings["desktop"], desktop != Policy.Desktop.off.rawValue else {
      return nil
    }
    return settings["unit"].flatMap(UnitsOfUsers.first)
  }

  /// What a rule that loosens `desktop` for such a unit means, for people.
  package static func warning(ofUnit unit: String) -> String {
    "holds for any program of a user: users can start programs in \(unit)"
  }
}
