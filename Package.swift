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
func room(_ name: String, _ dependencies: [String] = []) -> Target {
  .target(
    name: name,
    dependencies: dependencies.map { .init(stringLiteral: $0) },
    swiftSettings: strict
  )
}

/// A program: a composition root of one small file.
func program(_ name: String, _ dependencies: [String], linker: [LinkerSetting] = []) -> Target {
  .executableTarget(
    name: name,
    dependencies: dependencies.map { .init(stringLiteral: $0) },
    swiftSettings: strict,
    linkerSettings: linker
  )
}

/// A C library of the distribution, imported by its one owner; its module map names what is linked.
///
/// A package that depends on this one plans all of its targets, also those that it does not build, and
/// then warns of each `pkgConfig` that is missing or has flags that SwiftPM does not allow. So only a
/// library whose headers lie apart has one.
func library(_ name: String, pkgConfig: String? = nil, apt: String...) -> Target {
  .systemLibrary(
    name: name,
    path: "Sources/CLibraries/\(name)",
    pkgConfig: pkgConfig,
    providers: [.apt(apt)]
  )
}

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
    .library(name: "AuthSession", targets: ["AuthSession"]),
    .library(name: "AuthSessionTesting", targets: ["AuthSessionTesting"]),
    .library(name: "VaultClient", targets: ["VaultClient"]),
    .library(name: "Doctor", targets: ["Doctor"]),
    .library(name: "OAuth", targets: ["OAuth"]),
    .executable(name: "thumblatch", targets: ["thumblatch"]),
    .executable(name: "thumblatch-cli", targets: ["thumblatch-cli"]),
    .executable(name: "thumblatchd", targets: ["thumblatchd"]),
    .executable(name: "thumblatch-presence", targets: ["thumblatch-presence"]),
    .executable(name: "thumblatch-exchange", targets: ["thumblatch-exchange"]),
  ],
  targets: [
    .target(name: "CLinux", path: "Sources/CLibraries/CLinux"),
    library("COpenSSL", apt: "libssl-dev"),
    library("CSQLite", apt: "libsqlite3-dev"),
    library("CCurl", apt: "libcurl4-openssl-dev"),
    // Not libfprint-2, which requires GIO, whose flags hold -pthread: SwiftPM prohibits that one.
    library("CFprint", pkgConfig: "gobject-2.0", apt: "libfprint-2-dev", "libglib2.0-dev"),
    library("CPAM", apt: "libpam0g-dev"),
    library("CMicroHTTPD", apt: "libmicrohttpd-dev"),
    library("CQRencode", apt: "libqrencode-dev"),
    library("CSystemd", apt: "libsystemd-dev"),

    room("System", ["CLinux"]),
    room("SecretMemory", ["System"]),
    room("JSON", ["PlainText", "SecretMemory"]),
    room("Cryptography", ["COpenSSL", "SecretMemory"]),
    room("Storage", ["CSQLite", "System", "SecretMemory"]),
    room("OAuth", ["JSON", "Cryptography", "Configuration", "PlainText", "SecretMemory"]),
    room("UserNames"),
    room("Presence", ["System"]),
    room("Configuration", ["PlainText", "SecretMemory"]),
    room(
      "TokenVault",
      [
        "OAuth", "Presence", "Storage", "Cryptography", "Configuration", "JSON", "PlainText",
        "System", "SecretMemory",
      ]
    ),
    room("VaultInterface", ["JSON", "PlainText", "SecretMemory"]),
    room(
      "HelperClient",
      [
        "TokenVault", "VaultInterface", "OAuth", "Presence", "Configuration", "System",
        "SecretMemory",
      ]
    ),
    room("LoginEvents", ["CSystemd", "System"]),
    room(
      "VaultServer",
      [
        "TokenVault", "LoginEvents", "VaultInterface", "OAuth", "Presence", "Storage",
        "Configuration", "UserNames", "System", "SecretMemory",
      ]
    ),
    room("PlainText"),
    room("Providers", ["Configuration", "System", "SecretMemory"]),
    room("LoopbackLogin", ["Configuration", "PlainText", "System", "SecretMemory"]),
    room("VaultClient", ["VaultInterface", "PlainText", "System", "SecretMemory"]),
    room(
      "Doctor",
      ["VaultClient", "VaultInterface", "Providers", "Configuration", "PlainText", "System"]
    ),
    room(
      "Commands",
      [
        "Doctor", "VaultClient", "VaultInterface", "LoopbackLogin", "Providers", "PlainText",
        "Configuration", "QRCode", "JSON", "System", "SecretMemory",
      ]
    ),
    room(
      "AuthSession",
      [
        "VaultClient", "VaultInterface", "LoopbackLogin", "Providers", "PlainText", "Configuration",
        "JSON", "System", "SecretMemory",
      ]
    ),
    room("AuthSessionTesting", ["AuthSession", "System"]),
    room("HTTPTransport", ["CCurl", "System", "SecretMemory"]),
    room("FingerprintReader", ["CFprint", "SecretMemory"]),
    room("SystemPassword", ["CPAM", "SecretMemory"]),
    room("QRCode", ["CQRencode"]),
    room("WebServer", ["CMicroHTTPD"]),
    room(
      "PresenceProgram",
      [
        "FingerprintReader", "SystemPassword", "VaultInterface", "UserNames", "SecretMemory",
        "System",
      ]
    ),

    // At a fixed address: to relocate Swift's runtime took 4 ms of CPU and 370 page faults at each start,
    // six times the start itself (`-static-pie`).
    program("thumblatch", ["System"], linker: [.unsafeFlags(["-static-executable"])]),
    program("thumblatch-cli", ["Commands"]),
    program("thumblatchd", ["VaultServer", "HelperClient", "System"]),
    program("thumblatch-presence", ["PresenceProgram", "FingerprintReader", "System"]),
    program("thumblatch-presence-virtual", ["PresenceProgram", "FingerprintReader", "System"]),
    program(
      "thumblatch-exchange",
      ["HTTPTransport", "Cryptography", "VaultInterface", "UserNames", "SecretMemory", "System"]
    ),

    program("example-cli", ["AuthSession"]),
    program("example-server", ["AuthSession", "WebServer"]),

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
    tests("StorageTests", ["Storage", "System", "SecretMemory", "StorageWriter", "TestSupport"]),
    .executableTarget(
      name: "KeyWriter",
      dependencies: [
        "TokenVault", "Configuration", "OAuth", "Presence", "Storage", "System", "SecretMemory",
      ],
      path: "Tests/KeyWriter",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "StorageWriter",
      dependencies: ["Storage", "System", "SecretMemory"],
      path: "Tests/StorageWriter",
      swiftSettings: strict
    ),
    tests(
      "OAuthTests",
      ["Configuration", "Cryptography", "OAuth", "JSON", "SecretMemory", "System", "TestSupport"],
      exclude: ["Vectors"]
    ),
    tests("PresenceTests", ["Presence", "System", "TestSupport"]),
    tests("ConfigurationTests", ["Configuration", "Cryptography", "SecretMemory", "TestSupport"]),
    tests(
      "TokenVaultTests",
      [
        "TokenVault", "Configuration", "OAuth", "Presence", "Storage", "Cryptography", "System",
        "SecretMemory", "JSON", "KeyWriter",
        "TestSupport",
      ]
    ),
    tests(
      "VaultServerTests",
      [
        "VaultServer", "TokenVault", "VaultInterface", "Configuration", "OAuth", "Presence",
        "SecretMemory", "Storage", "System", "TestSupport",
      ]
    ),
    .target(
      name: "VarlinkMethods",
      dependencies: ["VaultInterface"],
      path: "Tests/VarlinkMethods",
      swiftSettings: strict
    ),
    tests(
      "VaultInterfaceTests",
      ["VaultInterface", "JSON", "SecretMemory", "TestSupport", "VarlinkMethods"],
      exclude: ["Wire"]
    ),
    .executableTarget(
      name: "MessageCost",
      dependencies: [
        "VaultInterface", "Configuration", "OAuth", "System", "SecretMemory", "TestSupport",
        "VarlinkMethods",
      ],
      path: "Tests/MessageCost",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "SessionSpeed",
      dependencies: ["AuthSession", "AuthSessionTesting"],
      path: "Tests/SessionSpeed",
      swiftSettings: strict
    ),
    .target(name: "WatchedLock", path: "Tests/WatchedLock"),
    .executableTarget(
      name: "SessionStorm",
      dependencies: ["AuthSession", "AuthSessionTesting", "WatchedLock"],
      path: "Tests/SessionStorm",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "AppSession",
      dependencies: ["AuthSession"],
      path: "Tests/AppSession",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "AppAtTerminal",
      dependencies: ["AuthSession"],
      path: "Tests/AppAtTerminal",
      swiftSettings: strict
    ),
    tests("LoginEventsTests", ["LoginEvents", "System", "TestSupport"]),
    tests("WebServerTests", ["WebServer"]),
    tests(
      "AuthSessionTests",
      [
        "AuthSession", "AuthSessionTesting", "VaultClient", "VaultInterface", "Configuration",
        "Providers", "System", "SecretMemory", "TestSupport",
      ]
    ),
    tests(
      "HTTPTransportTests",
      [
        "HTTPTransport", "Cryptography", "JSON", "VaultInterface", "SecretMemory", "System",
        "TestSupport",
      ]
    ),
    tests(
      "FingerprintReaderTests",
      ["FingerprintReader", "UserNames", "VaultInterface", "SecretMemory", "System", "TestSupport"]
    ),
    tests("SystemPasswordTests", ["SystemPassword", "SecretMemory", "System", "TestSupport"]),
    tests("PlainTextTests", ["PlainText", "JSON"]),
    tests(
      "LoopbackLoginTests",
      ["LoopbackLogin", "Configuration", "System", "SecretMemory", "TestSupport"]
    ),
    tests("DoctorTests", ["Doctor", "VaultClient", "System", "TestSupport"]),
    tests(
      "CommandsTests",
      [
        "Commands", "Configuration", "Doctor", "LoopbackLogin", "QRCode", "VaultClient",
        "VaultInterface", "JSON", "PlainText", "System", "SecretMemory", "TestSupport",
      ]
    ),
    .target(name: "FuzzMeter", path: "Tests/Fuzz/Meter"),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "FuzzMeter", "JSON", "VaultInterface", "Cryptography", "OAuth", "Configuration",
        "LoopbackLogin", "FingerprintReader", "Storage", "System", "SecretMemory",
        "VarlinkMethods",
      ],
      path: "Tests/Fuzz/Targets",
      swiftSettings: strict
    ),
    .executableTarget(name: "Fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Program"),
    tests(
      "IntegrationTests",
      [
        "System", "SecretMemory", "JSON", "VaultInterface", "VaultClient", "Storage", "AppSession",
        "AppAtTerminal", "SessionSpeed", "example-server", "example-cli", "TestSupport",
      ],
      exclude: ["Drivers"]
    ),
  ]
)
