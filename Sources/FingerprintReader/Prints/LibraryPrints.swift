internal import CFprint

/// The library's objects for the prints that belong to one reader.
@safe
final class LibraryPrints {
  /// The prints, in the order of the objects.
  let stored: [StoredPrint]
  /// The index of each print among the given candidates.
  let candidateIndices: [Int]
  /// The objects, in the form that identify takes.
  let array: UnsafeMutablePointer<GPtrArray>?

  /// Takes the candidates that belong to this reader.
  init(_ candidates: [StoredPrint], of device: UnsafeMutablePointer<FpDevice>) {
    unsafe array = g_ptr_array_new_with_free_func { data in
      if let data = unsafe data { unsafe g_object_unref(data) }
    }
    var stored: [StoredPrint] = []
    var indices: [Int] = []
    for (index, candidate) in candidates.enumerated() {
      // Make no objects for prints of other readers.
      guard unsafe candidate.driver == text(fp_device_get_driver(device)),
        unsafe candidate.device == text(fp_device_get_device_id(device)),
        let print = unsafe candidate.deserialized()
      else { continue }
      // The library itself does not check whether a print belongs to the reader.
      guard unsafe fp_print_compatible(print, device) != 0 else {
        unsafe release(print)
        continue
      }
      stored.append(candidate)
      indices.append(index)
      unsafe g_ptr_array_add(array, UnsafeMutableRawPointer(print))
    }
    self.stored = stored
    candidateIndices = indices
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

  /// The index of the print of an object; `nil` for an object from elsewhere.
  func index(of print: OpaquePointer?) -> Int? {
    stored.indices.first { unsafe self[$0] == print }
  }

  /// Whether a reader's own list holds at least one of these prints.
  func isAny(of indices: Range<Int>, in list: UnsafeMutablePointer<GPtrArray>) -> Bool {
    (0..<Int(unsafe list.pointee.len)).contains { index in
      guard let entry = unsafe list.pointee.pdata[index] else { return false }
      return indices.contains { unsafe fp_print_equal(self[$0], OpaquePointer(entry)) != 0 }
    }
  }
}

/// A text of the library; empty for a null pointer.
func text(_ pointer: UnsafePointer<CChar>?) -> String {
  unsafe pointer.map { unsafe String(cString: $0) } ?? ""
}
