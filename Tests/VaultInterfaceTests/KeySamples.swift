import Varlink
import VaultInterface

/// The slots of the machine key.
func slotSamples() throws -> [Sample] {
  let slots = [
    VaultMachineSlot(id: "a0a1a2a3a4a5a6a7", kind: .tpm),
    VaultMachineSlot(id: "b0b1b2b3b4b5b6b7", problem: "it is damaged"),
  ]
  return try [
    call(DeviceSecretStatusCall()),
    reply(
      to: DeviceSecretStatusCall.self,
      DeviceSecretStatusReply(
        tier: .adding,
        slots: slots,
        open: true,
        tpm: "SOFT 1.2",
        tpmProblem: "busy",
        counter: CounterCheck.none,
        counterProblem: "no room"
      )
    ),
    call(
      AddSlotCall(
        kind: .tpm,
        recovery: secret("000G-40R4"),
        pin: secret("1234"),
        prompt: "p1"
      )
    ),
    reply(
      to: AddSlotCall.self,
      AddSlotReply(
        code: secret("000G-40R4"),
        slots: slots,
        vaults: 3,
        counterProblem: "no room",
        touch: true
      )
    ),
    call(RemoveSlotCall(slot: "a0a1a2a3a4a5a6a7", prompt: "p1")),
    reply(to: RemoveSlotCall.self, RemoveSlotReply(slots: slots)),
    call(TestSlotsCall(code: secret("000G-40R4"))),
    reply(
      to: TestSlotsCall.self,
      TestSlotsReply(
        tests: slots.map { VaultSlotTest(slot: $0, opens: false, detail: "no TPM") }
      )
    ),
    call(OpenMachineKeyCall(pin: secret("1234"))),
    reply(to: OpenMachineKeyCall.self, OpenMachineKeyReply(event: .waiting)),
    call(RecoverWithCodeCall(code: secret("000G-40R4"))),
    reply(
      to: RecoverWithCodeCall.self,
      RecoverWithCodeReply(
        added: "a0a1a2a3a4a5a6a7",
        removed: ["b0b1b2b3b4b5b6b7"],
        problem: "busy",
        counterProblem: "no room"
      )
    ),
  ]
}

/// `Backup`, `SendBackup`, `Restore`, `ImportIntoService`, `CancelServiceImport`, `TakeOver`,
/// `DropTransfer`.
func backupSamples() throws -> [Sample] {
  try [
    call(
      BackupCall(
        header: [1, 2, 3],
        backupKey: secret("key"),
        code: secret("000G"),
        prompt: "p1"
      )
    ),
    reply(
      to: BackupCall.self,
      BackupReply(
        account: VaultBackupAccount(name: "me", provider: "dev", reason: "it is signed out"),
        bytes: [0, 255]
      )
    ),
    call(SendBackupCall(offset: 32768, bytes: [0, 255])),
    reply(to: SendBackupCall.self, EmptyReply()),
    call(
      RestoreCall(
        backupKey: secret("key"),
        code: secret("000G"),
        examine: true,
        skipExisting: true,
        prompt: "p1"
      )
    ),
    reply(
      to: RestoreCall.self,
      RestoreReply(
        account: VaultRestoredAccount(
          name: "me",
          provider: confidential(),
          signedIn: true,
          exists: false
        )
      )
    ),
    call(ImportIntoServiceCall(socket: "/run/thumblatch/s", prompt: "p1")),
    reply(
      to: ImportIntoServiceCall.self,
      ImportIntoServiceReply(
        account: VaultMovedAccount(name: "me", provider: "dev", signedIn: true)
      )
    ),
    call(CancelServiceImportCall()),
    reply(to: CancelServiceImportCall.self, CancelServiceImportReply(cancelled: true)),
    call(TakeOverCall(transfer: [0, 255], backupKey: secret("key"))),
    reply(to: TakeOverCall.self, EmptyReply()),
    call(DropTransferCall(transfer: [0, 255])),
    reply(to: DropTransferCall.self, DropTransferReply(taken: true)),
  ]
}

/// `ListExportable`, `AllowExport`, `HandOver`, `OpenHandOver`, `EndHandOver`, `PrepareExport`,
/// `ExportFromService`, `EndServiceExport`.
func exportSamples() throws -> [Sample] {
  let moved = VaultMovedAccount(name: "me", provider: "dev", signedIn: true)
  return try [
    call(ListExportableCall()),
    reply(
      to: ListExportableCall.self,
      ListExportableReply(
        account: VaultExportableAccount(
          name: "me",
          provider: "dev",
          reason: "it is not exportable"
        )
      )
    ),
    call(AllowExportCall(accounts: ["me"], commitment: [0, 255], prompt: "p1")),
    reply(to: AllowExportCall.self, EmptyReply()),
    call(HandOverCall(backupKey: secret("key"), vault: [0, 255])),
    reply(to: HandOverCall.self, HandOverReply(bytes: [0, 255])),
    call(OpenHandOverCall()),
    reply(to: OpenHandOverCall.self, OpenHandOverReply(transfer: [0, 255], vault: [1])),
    call(EndHandOverCall(transfer: [0, 255], receipt: secret("receipt"))),
    reply(to: EndHandOverCall.self, EndHandOverReply(ended: true)),
    call(PrepareExportCall(accounts: ["me"])),
    reply(to: PrepareExportCall.self, PrepareExportReply(commitment: [0, 255])),
    call(ExportFromServiceCall(socket: "/run/thumblatch/s")),
    reply(to: ExportFromServiceCall.self, ImportIntoServiceReply(account: moved)),
    call(EndServiceExportCall(socket: "/run/thumblatch/s", cancel: true)),
    reply(to: EndServiceExportCall.self, EndServiceExportReply(account: moved, freed: true)),
  ]
}

/// `Rekey`, `Recover`, `Release`, `GetPolicy`, `SetPolicy`.
func keySamples() throws -> [Sample] {
  try [
    call(RekeyCall(prompt: "p1")),
    reply(to: RekeyCall.self, RekeyReply(accounts: 2, prints: 1, records: 4711)),
    call(RecoverCall(prompt: "p1")),
    reply(to: RecoverCall.self, RecoverReply(loginRequired: ["me", "work"])),
    call(ReleaseCall(account: "me", keep: true, prompt: "p1")),
    reply(
      to: ReleaseCall.self,
      ReleaseReply(refreshToken: secret("rt-hunter2 \"\\ é"), signedOut: true)
    ),
    call(GetPolicyCall()),
    reply(to: GetPolicyCall.self, GetPolicyReply(file: "/etc/f", rules: [rule])),
    call(RemoveUserCall(user: "ada", account: "me")),
    reply(
      to: RemoveUserCall.self,
      RemoveUserReply(
        user: 1001,
        name: "ada",
        accounts: [EndedAccount(account: "me", provider: "dev", erased: true, grant: .valid)],
        onReader: "right-index: it is not plugged in",
        unread: [1002]
      )
    ),
    call(SetPolicyCall(key: "window", value: "5", prompt: "p1")),
    reply(
      to: SetPolicyCall.self,
      SetPolicyReply(changed: true, file: "/etc/f", rules: [rule])
    ),
  ]
}

private let rule = VaultRule(
  key: "window",
  machine: "10",
  own: "5",
  holds: "5",
  forUsers: true,
  location: "/etc/thumblatch/thumblatch.conf:3"
)
