// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target of this package is built with.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A room: a library target of this package.
///
/// It imports these rooms and no other; `Scripts/lint` checks that.
func room(
  _ name: String,
  _ dependencies: [String] = [],
  path: String? = nil,
  resources: [Resource] = [],
  settings: [SwiftSetting] = strict
) -> Target {
  .target(
    name: name,
    dependencies: dependencies.map { .init(stringLiteral: $0) },
    path: path,
    resources: resources.isEmpty ? nil : resources,
    swiftSettings: settings
  )
}

/// How a program is linked when it is released.
///
/// Other programs call into none. Without the symbols that Swift exports by default, and with
/// relative relocations in their short form (DT_RELR), it reads 1.7 MB less at its start.
let released: LinkerSetting = .unsafeFlags(
  [
    "-use-ld=lld", "-Xlinker", "--no-export-dynamic",
    "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
  ],
  .when(configuration: .release)
)

/// A program: a composition root of one small file.
func program(
  _ name: String,
  _ dependencies: [String],
  path: String? = nil,
  settings: [SwiftSetting] = strict,
  linker: [LinkerSetting] = [released]
) -> Target {
  .executableTarget(
    name: name,
    dependencies: dependencies.map { .init(stringLiteral: $0) },
    path: path,
    swiftSettings: settings,
    linkerSettings: linker
  )
}

/// A C library of the distribution, imported by its one owner; its module map names what is linked.
///
/// A package that depends on this one plans all of its targets, also those that it does not build,
/// and then warns of each `pkgConfig` that is missing or has flags that SwiftPM does not allow. So
/// only a library whose headers lie apart has one.
func library(_ name: String, pkgConfig: String? = nil, apt: String...) -> Target {
  .systemLibrary(
    name: name,
    path: "Sources/CLibraries/\(name)",
    pkgConfig: pkgConfig,
    providers: [.apt(apt)]
  )
}

/// What a target needs that uses GTK: where the distribution has its headers.
///
/// It is no `pkgConfig`, because that has flags of which SwiftPM warns (`-pthread`, `-msse`), also
/// in a package that depends on this one.
let desktop: [SwiftSetting] = {
  #if arch(arm64)
  let architecture = "aarch64-linux-gnu"
  #else
  let architecture = "x86_64-linux-gnu"
  #endif
  let included = [
    "libadwaita-1", "gtk-4.0", "gio-unix-2.0", "pango-1.0", "harfbuzz", "fribidi", "cairo",
    "gdk-pixbuf-2.0", "graphene-1.0", "glib-2.0", "pixman-1", "freetype2",
  ].map { "/usr/include/" + $0 }
  let libraries = ["/usr/lib/\(architecture)", "/usr/lib64"]
  let configured = libraries.flatMap { ["\($0)/glib-2.0/include", "\($0)/graphene-1.0/include"] }
  return strict + [.unsafeFlags((included + configured).flatMap { ["-Xcc", "-I" + $0] })]
}()

func tests(_ name: String, _ dependencies: [String], exclude: [String] = []) -> Target {
  .testTarget(
    name: name,
    dependencies: dependencies.map { .init(stringLiteral: $0) },
    exclude: exclude,
    swiftSettings: strict
  )
}

let package = Package(
  name: "thumblatch",
  products: [
    .library(name: "ThumblatchKit", targets: ["ThumblatchKit"]),
    .library(name: "ThumblatchKitTesting", targets: ["ThumblatchKitTesting"]),
    .library(name: "VaultClient", targets: ["VaultClient"]),
    .library(name: "Doctor", targets: ["Doctor"]),
    .library(name: "OAuth", targets: ["OAuth"]),
    .executable(name: "thumblatch", targets: ["thumblatch"]),
    .executable(name: "thumblatch-cli", targets: ["thumblatch-cli"]),
    .executable(name: "thumblatchd", targets: ["thumblatchd"]),
    .executable(name: "thumblatch-presence", targets: ["thumblatch-presence"]),
    .executable(name: "thumblatch-exchange", targets: ["thumblatch-exchange"]),
    .executable(name: "thumblatch-secret", targets: ["thumblatch-secret"]),
  ],
  targets: [
    .target(name: "CLinux", path: "Sources/CLibraries/CLinux"),
    library("COpenSSL", apt: "libssl-dev"),
    library("CSQLite", apt: "libsqlite3-dev"),
    library("CCurl", apt: "libcurl4-openssl-dev", "libssl-dev"),
    // Not libfprint-2, which requires GIO, whose flags hold -pthread: SwiftPM prohibits that one.
    library("CFprint", pkgConfig: "gobject-2.0", apt: "libfprint-2-dev", "libglib2.0-dev"),
    library("CPAM", apt: "libpam0g-dev"),
    library("CMicroHTTPD", apt: "libmicrohttpd-dev"),
    library("CLibcrypto", apt: "libssl-dev"),
    library("CFido2", apt: "libfido2-dev"),
    library("CQRencode", apt: "libqrencode-dev"),
    library("CSodium", apt: "libsodium-dev"),
    library("CSystemd", apt: "libsystemd-dev"),
    library("CTSS", apt: "libtss2-dev"),
    library("CAdwaita", apt: "libadwaita-1-dev", "libgtk-4-dev"),

    room("System", ["CLinux"]),
    room("SecretMemory", ["System"]),
    room("JSON", ["PlainText", "SecretMemory"]),
    room("Cryptography", ["COpenSSL", "SecretMemory"]),
    room("TokenFile", ["System"]),
    room("Storage", ["CSQLite", "TokenFile", "System", "SecretMemory"]),
    room("OAuth", ["JSON", "Cryptography", "Configuration", "PlainText", "SecretMemory"]),
    room("UserNames"),
    room("PresenceTerms"),
    room("Presence", ["PresenceTerms", "System"]),
    room("Configuration", ["PlainText", "SecretMemory", "TokenFile"]),
    room("AuditLog", ["Storage", "Cryptography"]),
    room("MachineKey", ["Cryptography", "SecretMemory"]),
    room("BackupFormat"),
    room(
      "TokenVault",
      [
        "AuditLog", "BackupFormat", "MachineKey", "OAuth", "Presence", "PresenceTerms", "Storage",
        "Cryptography", "Configuration", "JSON", "PlainText", "System", "SecretMemory", "TokenFile",
      ]
    ),
    room("Varlink", ["JSON", "PlainText", "PresenceTerms", "SecretMemory", "System"]),
    room(
      "VaultInterface",
      ["Varlink", "JSON", "PlainText", "PresenceTerms", "SecretMemory", "TokenFile"]
    ),
    room("HelperInterface", ["Varlink", "JSON", "PlainText", "PresenceTerms", "SecretMemory"]),
    room(
      "HelperClient",
      [
        "TokenVault", "HelperInterface", "Varlink", "OAuth", "PresenceTerms", "Configuration",
        "MachineKey", "System", "SecretMemory",
      ]
    ),
    room("MachineFiles", ["Configuration", "System", "SecretMemory"]),
    room("SystemBus", ["CSystemd", "SecretMemory", "System"]),
    room("SecretService", ["KeyAgreement", "PlainText", "SecretMemory", "SystemBus"]),
    room("LoginEvents", ["SystemBus", "System"]),
    room(
      "VaultServer",
      [
        "TokenVault", "LoginEvents", "MachineFiles", "MachineKey", "VaultInterface", "Varlink",
        "OAuth", "Presence",
        "PresenceTerms", "Storage", "Configuration", "UserNames", "System", "SecretMemory",
      ]
    ),
    room("PlainText"),
    room("ProtectedResources", ["Configuration", "JSON", "PlainText", "SecretMemory"]),
    room("ToolProtocols", ["Configuration", "JSON", "PlainText"]),
    room("OIDCAgentProtocol", ["JSON", "PlainText", "Sodium", "ToolProtocols"]),
    room("Providers", ["Configuration", "System", "SecretMemory"]),
    room("LoopbackLogin", ["Configuration", "PlainText", "System", "SecretMemory"]),
    room(
      "VaultClient",
      [
        "MachineFiles", "Configuration", "VaultInterface", "HelperInterface", "Varlink",
        "PresenceTerms", "JSON", "System", "SecretMemory",
      ]
    ),
    room(
      "ServiceClient",
      ["TokenVault", "VaultClient", "VaultInterface", "SecretMemory", "System"]
    ),
    room(
      "TerminalIO",
      [
        "VaultClient", "VaultInterface", "PresenceTerms", "PlainText", "System", "SecretMemory",
      ]
    ),
    room(
      "DesktopPrompt",
      [
        "TerminalIO", "VaultClient", "VaultInterface", "LoginEvents", "SystemBus", "PresenceTerms",
        "PlainText", "System", "SecretMemory",
      ]
    ),
    room(
      "Doctor",
      ["VaultClient", "VaultInterface", "Providers", "Configuration", "PlainText", "System"]
    ),
    room("BackupClient", ["BackupFormat", "Sodium", "SecretMemory", "System"]),
    room(
      "Commands",
      [
        "BackupClient", "DesktopPrompt", "Doctor", "TerminalIO", "VaultClient", "VaultInterface",
        "HelperInterface", "Varlink", "PresenceTerms", "LoopbackLogin", "Providers", "PlainText",
        "Configuration",
        "OIDCAgentProtocol", "QRCode", "ProtectedResources", "SecretService", "SystemBus",
        "ToolProtocols", "UserNames",
        "BackupFormat", "JSON", "System", "SecretMemory",
      ]
    ),
    room(
      "ThumblatchKit",
      [
        "DesktopPrompt", "TerminalIO", "VaultClient", "VaultInterface", "HelperInterface",
        "Varlink",
        "PresenceTerms", "LoopbackLogin", "Providers", "PlainText", "Configuration", "JSON",
        "System", "SecretMemory",
      ]
    ),
    room(
      "DesktopApp",
      [
        "BackupClient", "BackupFormat", "DesktopPrompt", "Doctor", "GTK", "TerminalIO",
        "VaultClient", "VaultInterface", "Varlink", "PresenceTerms",
        "LoginEvents", "LoopbackLogin", "Providers", "PlainText", "Configuration", "QRCode",
        "System", "SecretMemory",
      ],
      resources: [.embedInCode("UI")],
      settings: desktop
    ),
    room("ThumblatchKitTesting", ["ThumblatchKit", "System"]),
    room("HTTPTransport", ["CCurl", "System", "SecretMemory"]),
    room("FingerprintReader", ["CFprint", "PresenceTerms", "SecretMemory", "System"]),
    room("Fprintd", ["FingerprintReader", "LoginEvents", "PresenceTerms", "SystemBus", "System"]),
    room("SystemPassword", ["CPAM", "SecretMemory"]),
    room("TPM", ["CTSS", "MachineKey", "SecretMemory", "System"]),
    room("SecurityKey", ["CFido2", "SecretMemory", "System"]),
    room("QRCode", ["CQRencode"]),
    room("GTK", ["CAdwaita", "SecretMemory"], settings: desktop),
    room("Sodium", ["CSodium", "SecretMemory"]),
    room("KeyAgreement", ["CLibcrypto", "SecretMemory"]),
    room(
      "PresenceProgram",
      [
        "FingerprintReader", "Fprintd", "PresenceTerms", "SecurityKey", "SystemPassword",
        "SystemBus", "HelperInterface", "Varlink", "UserNames", "SecretMemory", "System",
      ]
    ),
    room(
      "SecretProgram",
      [
        "TPM", "MachineKey", "SecurityKey", "Cryptography", "HelperInterface", "Varlink",
        "UserNames", "SecretMemory", "System",
      ]
    ),

    // At a fixed address: to relocate Swift's runtime took 4 ms of CPU and 370 page faults at each
    // start, six times the start itself (`-static-pie`). It has no exports and no such relocations,
    // and starts 3 % slower as lld links it.
    program(
      "thumblatch",
      ["Configuration", "PlainText", "Providers", "System", "TokenFile", "ToolProtocols"],
      linker: [.unsafeFlags(["-static-executable"])]
    ),
    program("thumblatch-cli", ["Commands"]),
    program(
      "thumblatchd",
      ["VaultServer", "MachineFiles", "HelperClient", "ServiceClient", "System"]
    ),
    program(
      "thumblatch-presence",
      ["PresenceProgram", "FingerprintReader", "SecurityKey", "System"]
    ),
    program(
      "thumblatch-presence-virtual",
      ["PresenceProgram", "FingerprintReader", "SecurityKey", "System"]
    ),
    program(
      "thumblatch-exchange",
      [
        "HTTPTransport", "Cryptography", "HelperInterface", "Varlink", "UserNames", "SecretMemory",
        "System",
      ]
    ),
    program(
      "thumblatch-secret",
      ["SecretProgram", "SecurityKey"]
    ),
    program(
      "thumblatch-secret-virtual",
      ["SecretProgram", "SecurityKey", "System"]
    ),

    program("thumblatch-desktop", ["DesktopApp"], settings: desktop),

    room("WebServer", ["CMicroHTTPD"], path: "Sources/Examples/WebServer"),
    program("example-cli", ["ThumblatchKit"], path: "Sources/Examples/example-cli"),
    program(
      "example-server",
      ["ThumblatchKit", "WebServer"],
      path: "Sources/Examples/example-server"
    ),

    .target(name: "ClosedPipes", path: "Tests/ClosedPipes"),
    .target(
      name: "TestSupport",
      dependencies: ["ClosedPipes", "JSON", "System", "SecretMemory"],
      path: "Tests/TestSupport",
      swiftSettings: strict
    ),
    tests("SystemTests", ["System", "TestSupport"]),
    tests("SecretMemoryTests", ["SecretMemory", "System", "TestSupport"]),
    tests("JSONTests", ["JSON", "SecretMemory", "TestSupport"]),
    tests(
      "CryptographyTests",
      ["COpenSSL", "Cryptography", "JSON", "SecretMemory", "System", "TestSupport"],
      exclude: ["Vectors"]
    ),
    tests("TokenFileTests", ["TokenFile", "System"]),
    tests(
      "StorageTests",
      ["Storage", "System", "SecretMemory", "StorageWriter", "TestSupport", "TokenFile"]
    ),
    .target(
      name: "ScriptedTPM",
      dependencies: ["MachineKey", "SecretMemory", "System"],
      path: "Tests/ScriptedTPM",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "KeyWriter",
      dependencies: [
        "TokenVault", "Configuration", "MachineKey", "OAuth", "Presence", "PresenceTerms",
        "Storage",
        "System", "SecretMemory", "ScriptedTPM",
      ],
      path: "Tests/KeyWriter",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "AuditWriter",
      dependencies: ["AuditLog", "Cryptography", "SecretMemory", "Storage", "System"],
      path: "Tests/AuditWriter",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "StorageWriter",
      dependencies: ["Storage", "System", "SecretMemory", "TokenFile"],
      path: "Tests/StorageWriter",
      swiftSettings: strict
    ),
    tests(
      "OAuthTests",
      ["Configuration", "Cryptography", "OAuth", "JSON", "SecretMemory", "System", "TestSupport"],
      exclude: ["Vectors"]
    ),
    tests("PresenceTests", ["Presence", "PresenceTerms", "System", "TestSupport"]),
    tests("ConfigurationTests", ["Configuration", "Cryptography", "SecretMemory", "TestSupport"]),
    tests("MachineKeyTests", ["MachineKey", "Cryptography", "SecretMemory"]),
    tests("BackupFormatTests", ["BackupFormat"]),
    tests("BackupClientTests", ["BackupClient", "BackupFormat", "SecretMemory", "TestSupport"]),
    tests("MachineFilesTests", ["MachineFiles", "Configuration", "System", "TestSupport"]),
    tests("AuditLogTests", ["AuditLog", "Cryptography", "Storage", "System", "TestSupport"]),
    tests(
      "TokenVaultTests",
      [
        "TokenVault", "AuditLog", "BackupFormat", "Configuration", "MachineKey", "OAuth",
        "Presence",
        "PresenceTerms", "SecurityKey", "Storage", "Cryptography", "System", "SecretMemory",
        "ScriptedTPM", "JSON", "KeyWriter", "TestSupport", "TokenFile",
      ]
    ),
    tests(
      "VaultServerTests",
      [
        "VaultServer", "MachineFiles", "MachineKey", "TokenVault", "VaultInterface", "Varlink",
        "Configuration", "JSON", "OAuth", "Presence", "PresenceTerms", "SecretMemory",
        "ScriptedTPM", "Storage", "System", "TestSupport",
      ]
    ),
    .target(
      name: "VarlinkMethods",
      dependencies: ["VaultInterface", "HelperInterface", "Varlink"],
      path: "Tests/VarlinkMethods",
      swiftSettings: strict
    ),
    tests(
      "VaultInterfaceTests",
      [
        "VaultInterface", "HelperInterface", "Varlink", "JSON", "PresenceTerms", "SecretMemory",
        "System", "TestSupport", "VarlinkMethods",
      ],
      exclude: ["Wire"]
    ),
    .executableTarget(
      name: "MessageCost",
      dependencies: [
        "VaultInterface", "HelperInterface", "Varlink", "Configuration", "OAuth",
        "ProtectedResources", "System", "SecretMemory", "TestSupport", "VarlinkMethods",
      ],
      path: "Tests/MessageCost",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "SessionSpeed",
      dependencies: ["ThumblatchKit", "ThumblatchKitTesting"],
      path: "Tests/SessionSpeed",
      swiftSettings: strict
    ),
    .target(name: "WatchedLock", path: "Tests/WatchedLock"),
    .executableTarget(
      name: "SessionStorm",
      dependencies: ["ThumblatchKit", "ThumblatchKitTesting", "WatchedLock"],
      path: "Tests/SessionStorm",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "AppSession",
      dependencies: ["ThumblatchKit"],
      path: "Tests/AppSession",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "AppAtTerminal",
      dependencies: ["ThumblatchKit"],
      path: "Tests/AppAtTerminal",
      swiftSettings: strict
    ),
    tests(
      "DesktopPromptTests",
      [
        "DesktopPrompt", "VaultClient", "VaultInterface", "PresenceTerms", "SecretMemory", "System",
        "SystemBus", "TestSupport",
      ]
    ),
    .executableTarget(
      name: "GTKProbe",
      dependencies: ["GTK", "SecretMemory"],
      path: "Tests/GTKProbe",
      resources: [.embedInCode("UI")],
      swiftSettings: desktop
    ),
    .executableTarget(
      name: "PromptProbe",
      dependencies: [
        "BackupClient", "BackupFormat", "Configuration", "DesktopApp", "DesktopPrompt", "Doctor",
        "GTK", "LoopbackLogin", "PresenceTerms", "SecretMemory", "System", "TerminalIO",
        "VaultClient", "VaultInterface",
      ],
      path: "Tests/PromptProbe",
      swiftSettings: desktop
    ),
    tests("DesktopAppTests", ["PromptProbe", "System", "TestSupport"]),
    tests("GTKTests", ["GTKProbe", "System", "TestSupport"]),
    tests("SystemBusTests", ["SystemBus", "SecretMemory", "System", "TestSupport"]),
    tests("SecretServiceTests", ["SecretService", "KeyAgreement", "SecretMemory", "SystemBus"]),
    tests("LoginEventsTests", ["LoginEvents", "System", "TestSupport"]),
    tests("WebServerTests", ["WebServer"]),
    tests(
      "ThumblatchKitTests",
      [
        "ThumblatchKit", "ThumblatchKitTesting", "VaultClient", "VaultInterface", "HelperInterface",
        "PresenceTerms", "Configuration", "Providers", "System", "SecretMemory", "TestSupport",
      ]
    ),
    tests(
      "HTTPTransportTests",
      [
        "HTTPTransport", "Cryptography", "JSON", "HelperInterface", "Varlink", "SecretMemory",
        "System", "TestSupport",
      ]
    ),
    tests(
      "FingerprintReaderTests",
      [
        "FingerprintReader", "Fprintd", "PresenceTerms", "UserNames", "HelperInterface", "Varlink",
        "SecretMemory", "System", "TestSupport",
      ]
    ),
    tests("SystemPasswordTests", ["SystemPassword", "SecretMemory", "System", "TestSupport"]),
    tests(
      "SecurityKeyTests",
      ["SecurityKey", "Cryptography", "SecretMemory", "System", "TestSupport"]
    ),
    tests("PlainTextTests", ["PlainText", "JSON"]),
    tests("SodiumTests", ["Sodium", "SecretMemory"]),
    tests(
      "TPMTests",
      [
        "TPM", "MachineKey", "HelperInterface", "Varlink", "SecretMemory", "System", "TestSupport",
        "HelperClient",
      ],
      exclude: ["Bridge"]
    ),
    .executableTarget(
      name: "TPMCaller",
      dependencies: ["HelperClient", "MachineKey", "TPM", "SecretMemory", "System"],
      path: "Tests/TPMCaller",
      swiftSettings: strict
    ),
    tests("KeyAgreementTests", ["KeyAgreement", "SecretMemory"]),
    tests("ToolProtocolsTests", ["ToolProtocols"]),
    tests("OIDCAgentProtocolTests", ["OIDCAgentProtocol", "ToolProtocols"]),
    tests(
      "ProtectedResourcesTests",
      ["ProtectedResources", "Configuration", "JSON", "SecretMemory"]
    ),
    tests(
      "LoopbackLoginTests",
      ["LoopbackLogin", "Configuration", "System", "SecretMemory", "TestSupport"]
    ),
    tests("TerminalIOTests", ["TerminalIO", "SecretMemory", "System", "TestSupport"]),
    tests(
      "VaultClientTests",
      ["VaultClient", "VaultInterface", "MachineFiles", "System", "TestSupport"]
    ),
    tests("DoctorTests", ["Doctor", "VaultClient", "System", "TestSupport"]),
    tests(
      "CommandsTests",
      [
        "Commands", "BackupFormat", "Configuration", "DesktopPrompt", "Doctor", "HelperInterface",
        "LoopbackLogin",
        "QRCode", "SecretService", "SystemBus", "TerminalIO", "VaultClient", "VaultInterface",
        "Varlink", "JSON", "PlainText",
        "PresenceTerms", "System", "SecretMemory", "TestSupport",
      ],
      exclude: ["Messages/messages.txt", "Messages/Rooms"]
    ),
    .target(name: "FuzzMeter", path: "Tests/Fuzz/Meter"),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "FuzzMeter", "BackupFormat", "JSON", "VaultInterface", "HelperInterface", "Varlink",
        "Cryptography", "OAuth", "Configuration", "LoopbackLogin", "FingerprintReader", "Storage",
        "OIDCAgentProtocol", "System", "SecretMemory", "TokenFile", "ToolProtocols",
        "ProtectedResources",
        "SecretService", "SystemBus", "VarlinkMethods", "MachineKey",
      ],
      path: "Tests/Fuzz/Targets",
      swiftSettings: strict
    ),
    .executableTarget(name: "Fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Program"),
    tests(
      "IntegrationTests",
      [
        "System", "SecretMemory", "JSON", "VaultInterface", "Varlink", "VaultClient", "Storage",
        "AppSession",
        "AppAtTerminal", "TokenFile", "SessionSpeed", "example-server", "example-cli",
        "thumblatch-desktop",
        "AuditWriter", "TestSupport",
      ],
      exclude: ["Drivers"]
    ),
  ]
)
