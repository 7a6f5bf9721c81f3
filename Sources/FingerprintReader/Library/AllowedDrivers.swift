/// The readers that a program may use: its source decides that, never its environment.
///
/// The distribution's libfprint includes virtual readers and opens one if a variable is set. An
/// attacker that sets the variable could make it report a match.
package enum AllowedDrivers: Sendable, Equatable {
  /// Every driver except the virtual ones.
  case hardware
  /// Only the virtual drivers, for tests.
  case virtual

  /// Whether a driver of this name may be used (fp_device_get_driver).
  package func permit(_ driver: String) -> Bool {
    driver.utf8.starts(with: "virtual_".utf8) == (self == .virtual)
  }
}
