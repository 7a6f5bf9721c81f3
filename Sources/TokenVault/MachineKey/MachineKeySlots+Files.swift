internal import MachineKey
internal import Storage
internal import System

// The files of the machine key's directory: its slots and its state.
extension MachineKeySlots {
  /// A slot's file, and the slot in it if it can be read.
  struct ReadSlot {
    let identifier: [UInt8]
    let slot: MachineKeySlot?
    let problem: String?

    var facts: SlotFacts {
      SlotFacts(
        identifier: Hexadecimal.text(identifier),
        kind: slot?.header.kind,
        problem: problem
      )
    }
  }

  func readSlots() throws(VaultFailure) -> [ReadSlot] {
    try stored(try directory.slots()).map { file in
      let bytes: [UInt8]
      switch file.contents {
      case .success(let read)?: bytes = read
      case .failure(let error)?:
        return ReadSlot(identifier: file.identifier, slot: nil, problem: "\(error)")
      case nil:
        let problem = "there are more than \(MachineKeyDirectory.mostSlots) slots: remove some"
        return ReadSlot(identifier: file.identifier, slot: nil, problem: problem)
      }
      do throws(MachineKeyError) {
        let slot = try MachineKeySlot(parsing: bytes)
        guard slot.header.identifier == file.identifier, slot.header.owner == owner else {
          throw MachineKeyError.foreign
        }
        return ReadSlot(identifier: file.identifier, slot: slot, problem: nil)
      } catch {
        return ReadSlot(identifier: file.identifier, slot: nil, problem: "\(error)")
      }
    }
  }

  /// The slots that can be read, with those of the machine key that the state names first.
  ///
  /// The name is not authenticated here, so the others follow.
  func likelySlots() throws(VaultFailure) -> [MachineKeySlot] {
    let slots = try readSlots().compactMap(\.slot)
    let named = try stored(try directory.state())
      .flatMap { try? MachineKeyState(parsing: $0) }?.machineKey
    return slots.filter { $0.machineKey == named } + slots.filter { $0.machineKey != named }
  }

  /// The state, if this key has authenticated it.
  func readState(under key: MachineKey) throws(VaultFailure) -> MachineKeyState? {
    guard let bytes = try stored(try directory.state()),
      let state = try? MachineKeyState(parsing: bytes)
    else { return nil }
    let isAuthentic = try usable { () throws(MachineKeyError) in
      try state.isAuthentic(under: key)
    }
    return isAuthentic ? state : nil
  }
}
