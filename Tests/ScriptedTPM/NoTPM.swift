package import MachineKey
package import SecretMemory

/// A machine without a TPM.
package struct NoTPM: TPMSealing {
  package init() {}

  package func bound(to parentName: [UInt8]) -> any TPMSealing { self }

  package func facts() throws(TPMFailure) -> TPMFacts { throw .absent }

  package func seal(
    _ secret: SharedSecret,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMSealedSecret { throw .absent }

  package func open(
    _ sealed: TPMSealedSecret,
    authorization: SharedSecret
  ) throws(TPMFailure) -> SharedSecret { throw .absent }

  package func defineCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter { throw .absent }

  package func readCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter { throw .absent }

  package func incrementCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter { throw .absent }

  package func confirmCounter(
    _ index: UInt32,
    authorization: SharedSecret,
    next: SharedSecret
  ) throws(TPMFailure) -> TPMCounter { throw .absent }

  package func removeCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) { throw .absent }
}
