internal import CFprint

/// The library's objects of those prints that one reader knows.
@safe
final class LibraryPrints {
  /// The prints, in the order of the objects.
  let stored: [StoredPrint]
  /// Where each of them stands among those that were given.
  let places: [Int]
  /// The objects, as identify takes them.
  let array: UnsafeMutablePointer<GPtrArray>?

  /// Takes those of the candidates that are this reader's own.
  init(_ candidates: [StoredPrint], of device: UnsafeMutablePointer<FpDevice>) {
    unsafe array = g_ptr_array_new_with_free_func { data in
      if let data = unsafe data { unsafe g_object_unref(data) }
    }
    var stored: [StoredPrint] = []
    var places: [Int] = []
    for (place, candidate) in candidates.enumerated() {
      // Prints of other readers are not even made into objects.
      guard unsafe candidate.driver == text(fp_device_get_driver(device)),
        unsafe candidate.device == text(fp_device_get_device_id(device)),
        let print = unsafe candidate.deserialized()
      else { continue }
      // The library itself does not look whether a print is the reader's own.
      guard unsafe fp_print_compatible(print, device) != 0 else {
        unsafe release(print)
        continue
      }
      stored.append(candidate)
      places.append(place)
      unsafe g_ptr_array_add(array, UnsafeMutableRawPointer(print))
    }
    self.stored = stored
    self.places = places
  }

  deinit {
    unsafe g_ptr_array_unref(array)
  }

  var isEmpty: Bool { stored.isEmpty }

  /// The object of a print.
  subscript(_ index: Int) -> OpaquePointer? {
    guard stored.indices.contains(index), let entry = unsafe array?.pointee.pdata[index] else {
      return nil
    }
    return OpaquePointer(entry)
  }

  /// Which print an object is; `nil` for an object from elsewhere.
  func index(of print: OpaquePointer?) -> Int? {
    stored.indices.first { unsafe self[$0] == print }
  }

  /// Whether the list of a reader has at least one of these prints.
  func isAny(of indices: Range<Int>, in list: UnsafeMutablePointer<GPtrArray>) -> Bool {
    (0..<Int(unsafe list.pointee.len)).contains { place in
      guard let entry = unsafe list.pointee.pdata[place] else { return false }
      return indices.contains { unsafe fp_print_equal(self[$0], OpaquePointer(entry)) != 0 }
    }
  }
}

/// Text of the library's; empty for none.
func text(_ pointer: UnsafePointer<CChar>?) -> String {
  unsafe pointer.map { unsafe String(cString: $0) } ?? ""
}
