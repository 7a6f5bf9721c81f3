internal import CFprint

/// libfprint's list of readers, used only on the reader's thread.
///
/// Making the list probes: several drivers open, reset and claim a reader to learn its name, even
/// while another program uses that reader. So a process makes the list once, after a search that
/// disturbs nothing (`PluggedReaders`). A reader that is missing here needs another process.
@safe
final class ReaderList: @unchecked Sendable {
  private let drivers: AllowedDrivers
  /// The context is never released.
  ///
  /// After a reader was unplugged, idle sources of libfprint still refer to the context, and
  /// releasing it crashed the process.
  private var context: UnsafeMutablePointer<FpContext>?
  /// The number of readers that the system showed when the list was made.
  private var plugged = 0

  init(_ drivers: AllowedDrivers) {
    self.drivers = drivers
  }

  /// Whether the list was made; a reader that another program held at that time is missing from it.
  var isMade: Bool { unsafe context != nil }

  /// Whether a reader has been unplugged since the list was made, as far as the system shows it.
  var isAnyMissing: Bool { (PluggedReaders.look(drivers)?.count ?? 0) < plugged }

  /// The permitted readers; the context owns them (fp_context_get_devices).
  func readers() -> [UnsafeMutablePointer<FpDevice>] {
    if unsafe context == nil {
      plugged = PluggedReaders.look(drivers)?.count ?? 0
      unsafe context = fp_context_new()
    }
    guard let devices = unsafe fp_context_get_devices(context) else { return unsafe [] }
    var readers: [UnsafeMutablePointer<FpDevice>] = unsafe []
    for index in 0..<Int(unsafe devices.pointee.len) {
      guard let entry = unsafe devices.pointee.pdata[index] else { continue }
      let reader = unsafe entry.assumingMemoryBound(to: FpDevice.self)
      guard drivers.permit(unsafe text(fp_device_get_driver(reader))) else { continue }
      unsafe readers.append(reader)
    }
    return unsafe readers
  }
}
