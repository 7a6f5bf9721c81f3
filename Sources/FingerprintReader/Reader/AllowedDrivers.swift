/// Which readers a program may use: a decision of its source, never of its environment.
///
/// The distribution's libfprint has virtual readers built in, and opens one for whoever sets a
/// variable: it would say "match" at their command.
public enum AllowedDrivers: Sendable, Equatable {
  /// Every driver but the virtual ones.
  case hardware
  /// The virtual ones alone, for tests.
  case virtual

  /// Whether a driver of this name may be used (fp_device_get_driver).
  public func permit(_ driver: String) -> Bool {
    driver.utf8.starts(with: "virtual_".utf8) == (self == .virtual)
  }
}
