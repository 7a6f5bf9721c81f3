import Testing

@testable import TokenVault

/// The findings of `doctor` about the administrator's rules.
struct PolicyExaminationTests {
  private func finding(_ administrator: Administrator) async throws -> VaultFinding {
    let vault = try await Bench().open(rules: administrator)
    return try #require(await vault.examine().first { $0.name == "policy" })
  }

  @Test
  func aFileThatCannotBeReadIsAProblemWithItsPlace() async throws {
    let administrator = Administrator()
    #expect(try await finding(administrator).level == .ok)
    administrator.write("[Policy]\nremote = deny\nwindows = 5\n")
    let found = try await finding(administrator)
    #expect(found.level == .problem)
    #expect(found.message.contains("thumblatch.conf:3: windows: unknown key"), "\(found)")
    #expect(found.remedy?.contains("as root") == true)
  }
}
