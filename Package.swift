// swift-tools-version: 6.3
import CompilerPluginSupport
import PackageDescription

/// For targets in which a file may use members of a module that another file of the target imports.
let sharedImports: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]
let settings = sharedImports + [.enableUpcomingFeature("MemberImportVisibility")]

/// The areas of the suite, a target each, so that a change of a case builds its area alone.
let areas: [Target] = [
    area("ValueCases", "Values"),
    area("RecordCases", "Records"),
    area("TransactionCases", "Transactions"),
    area("QueryCases", "Queries"),
    area("SearchCases", "Searching"),
    area("RelationshipCases", "Relationships"),
    area("ContextCases", "Contexts"),
    area("ObservationCases", "Observation"),
    area("LifecycleCases", "Lifecycle"),
    area("PartCases", "Parts"),
    area("ImportCases", "Importing"),
    area("ExportCases", "Exporting"),
]

/// The cases in a folder of the suite.
func area(_ name: String, _ folder: String) -> Target {
    .target(
        name: name,
        dependencies: [
            "ConformanceKit", "ConformanceModels", "GranaryCore", "GranaryImport", "GranaryPlatform", "GranarySeeds",
            "GranaryStoreKit",
        ],
        path: "Conformance/GranaryConformance/Areas/\(folder)", swiftSettings: settings)
}

let package = Package(
    name: "granary",
    // `ScaledDecimal<let places: Int>`: the runtimes of older systems do not know values as generic arguments. Their
    // standard libraries do not have `UTF8Span` either, by which text is validated.
    platforms: [.macOS(.v26), .iOS(.v26), .tvOS(.v26), .watchOS(.v26), .visionOS(.v26)],
    products: [
        .library(name: "Granary", targets: ["Granary"]),
        .library(name: "GranaryCore", targets: ["GranaryCore"]),
        .library(name: "GranaryImport", targets: ["GranaryImport"]),
        .library(name: "GranarySeeds", targets: ["GranarySeeds"]),
        .library(name: "GranaryTesting", targets: ["GranaryTesting"]),
        .library(name: "GranaryObservability", targets: ["GranaryObservability"]),
        .library(name: "GranaryStoreKit", targets: ["GranaryStoreKit"]),
        .library(name: "GranaryPlatform", targets: ["GranaryPlatform"]),
        .library(name: "GranaryFormats", targets: ["GranaryFormats"]),
        .library(name: "GranarySQLite", targets: ["GranarySQLite"]),
        .library(name: "GranaryLMDB", targets: ["GranaryLMDB"]),
        .library(name: "GranaryMemory", targets: ["GranaryMemory"]),
        .library(name: "GranaryKeyValue", targets: ["GranaryKeyValue"]),
        .library(name: "GranaryConformance", targets: ["ConformanceKit", "GranaryConformance"]),
        .library(name: "GranaryConformanceCommand", targets: ["GranaryConformanceCommand"]),
        .library(name: "GranaryTool", targets: ["GranaryTool"]),
        .executable(name: "granary", targets: ["granary"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/onevcat/Rainbow", from: "4.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    ],
    targets: areas + [
        // The layers. Each sees those above it in this list.
        .target(name: "CPlatform"),
        .target(
            name: "GranaryPlatform",
            dependencies: ["CPlatform", .product(name: "DequeModule", package: "swift-collections")],
            swiftSettings: settings),
        .target(name: "GranaryText", dependencies: ["GranaryPlatform"], swiftSettings: settings),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .target(
            name: "GranaryFormats", dependencies: ["CZlib", "GranaryPlatform", "GranaryText"], swiftSettings: settings),
        .target(name: "GranaryModel", dependencies: ["GranaryPlatform", "GranaryText"], swiftSettings: settings),
        .target(name: "GranaryStoreKit", dependencies: ["GranaryModel", "GranaryPlatform"], swiftSettings: settings),
        // The stores, which do not see the layers below.
        .target(
            name: "GranaryKeyValue", dependencies: ["GranaryPlatform", "GranaryStoreKit"], swiftSettings: settings),
        .target(
            name: "GranaryMemory", dependencies: ["GranaryKeyValue", "GranaryPlatform", "GranaryStoreKit"],
            swiftSettings: settings),
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .target(
            name: "GranaryLMDB", dependencies: ["CLMDB", "GranaryKeyValue", "GranaryPlatform", "GranaryStoreKit"],
            swiftSettings: settings),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .target(
            name: "GranarySQLite", dependencies: ["CSQLite", "GranaryPlatform", "GranaryStoreKit"],
            swiftSettings: settings),
        // What apps use.
        .target(
            name: "GranaryCore",
            dependencies: ["GranaryPlatform", "GranaryStoreKit", .product(name: "Logging", package: "swift-log")],
            swiftSettings: settings),
        .target(
            name: "GranaryImport", dependencies: ["GranaryCore", "GranaryFormats", "GranaryPlatform"],
            swiftSettings: settings),
        // A seed of JSON is imported into a store in memory, and copied from there.
        .target(
            name: "GranarySeeds", dependencies: ["GranaryCore", "GranaryImport", "GranaryMemory"],
            swiftSettings: settings),
        // Helpers for the tests of apps; without a test framework.
        .target(
            name: "GranaryTesting",
            dependencies: ["GranaryCore", "GranaryImport", "GranaryMemory", "GranaryPlatform"],
            swiftSettings: settings),
        // Metrics, traces and the life cycle of services, by the packages of the ecosystem, which core does not know.
        .target(
            name: "GranaryObservability",
            dependencies: [
                "GranaryCore", .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: settings),
        .macro(
            name: "GranaryMacros",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ],
            swiftSettings: settings),
        .target(
            name: "Granary", dependencies: ["GranaryCore", "GranaryImport", "GranaryMacros", "GranarySeeds"],
            swiftSettings: settings),
        // The suite: what cases are made of, the cases of each area, and the list of all.
        .target(
            name: "ConformanceKit",
            dependencies: [
                "GranaryCore", "GranaryImport", "GranaryKeyValue", "GranaryMemory", "GranaryPlatform", "GranarySeeds",
                "GranaryStoreKit", .product(name: "Logging", package: "swift-log"),
            ],
            path: "Conformance/GranaryConformance/Kit", swiftSettings: settings),
        .target(
            name: "ConformanceModels", dependencies: ["ConformanceKit", "GranaryCore", "GranaryPlatform"],
            path: "Conformance/GranaryConformance/Models", swiftSettings: settings),
        .target(
            name: "GranaryConformance",
            dependencies: areas.map { .byName(name: $0.name) } + ["ConformanceKit"],
            path: "Conformance/GranaryConformance/All", swiftSettings: settings),
        .target(
            name: "GranaryConformanceCommand",
            dependencies: [
                "ConformanceKit", "GranaryConformance",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Conformance/Command", swiftSettings: settings),
        .target(
            name: "GranaryTool",
            dependencies: [
                "GranaryCore", "GranaryFormats", "GranaryImport", "GranaryLMDB", "GranaryMemory", "GranaryPlatform",
                "GranarySQLite", "GranarySeeds", "GranaryStoreKit",
                "Rainbow", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        .target(
            name: "StoreSubjects",
            dependencies: [
                "ConformanceKit", "GranaryCore", "GranaryLMDB", "GranaryMemory", "GranarySQLite", "GranaryTool",
            ],
            path: "Conformance/StoreSubjects", swiftSettings: settings),
        // The verbs by which Granary tries itself: apps that embed the tool do not have them.
        .target(
            name: "GranarySelfTest",
            dependencies: [
                "ConformanceKit", "GranaryConformanceCommand", "GranaryCore", "GranaryTool", "Rainbow", "StoreSubjects",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Conformance/SelfTest", swiftSettings: settings),
        .executableTarget(
            name: "granary",
            dependencies: [
                "GranarySelfTest", "GranaryTool", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        // The sources of a package of its own, an app that embeds the tool: its program is what tests start.
        .executableTarget(
            name: "embedded-tool", dependencies: ["Granary", "GranaryTool"],
            path: "Conformance/Examples/MusicTool/Sources/music-tool", swiftSettings: settings),
        .target(
            name: "TestSupport",
            dependencies: ["GranaryCore", "GranaryPlatform", .product(name: "Logging", package: "swift-log")],
            path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(
            name: "GranaryPlatformTests", dependencies: ["GranaryPlatform", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "GranaryTextTests", dependencies: ["GranaryText", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "GranaryFormatsTests",
            dependencies: ["CZlib", "GranaryPlatform", "GranaryFormats", "GranaryText", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "GranaryModelTests", dependencies: ["GranaryCore", "GranaryModel", "TestSupport"],
            swiftSettings: sharedImports),
        .testTarget(
            name: "GranaryStoreKitTests", dependencies: ["GranaryPlatform", "GranaryStoreKit", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "GranaryCoreTests",
            dependencies: [
                "GranaryCore", "GranaryMemory", "GranaryPlatform", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ], swiftSettings: sharedImports),
        .testTarget(
            name: "GranaryTests",
            dependencies: ["Granary", "GranaryFormats", "GranaryImport", "GranaryMemory", "TestSupport"],
            swiftSettings: sharedImports),
        .testTarget(
            name: "GranaryObservabilityTests",
            dependencies: [
                "GranaryCore", "GranaryMemory", "GranaryObservability", "GranaryPlatform", "TestSupport",
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ], swiftSettings: settings),
        .testTarget(
            name: "GranaryTestingTests", dependencies: ["Granary", "GranaryMemory", "GranaryTesting"],
            swiftSettings: settings),
        .testTarget(name: "QueryTests", dependencies: ["Granary", "GranaryMemory"], swiftSettings: settings),
        .testTarget(
            name: "GranaryKeyValueTests",
            dependencies: ["GranaryCore", "GranaryKeyValue", "GranaryLMDB", "GranaryMemory", "TestSupport"],
            swiftSettings: sharedImports),
        .testTarget(
            name: "GranaryMemoryTests",
            dependencies: ["GranaryCore", "GranaryKeyValue", "GranaryMemory", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "GranaryLMDBTests",
            dependencies: ["CLMDB", "GranaryCore", "GranaryKeyValue", "GranaryLMDB", "GranaryPlatform", "TestSupport"],
            swiftSettings: sharedImports),
        .testTarget(
            name: "GranarySQLiteTests",
            dependencies: [
                "CSQLite", "GranaryCore", "GranaryMemory", "GranaryPlatform", "GranarySQLite", "TestSupport",
            ], swiftSettings: sharedImports),
        .testTarget(
            name: "GranaryConformanceTests",
            dependencies: [
                "ConformanceKit", "ConformanceModels", "GranaryConformance", "GranaryMemory", "TestSupport",
            ],
            swiftSettings: sharedImports),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "ConformanceKit", "GranaryConformance", "GranaryCore", "GranaryTool", "StoreSubjects", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "GranaryToolTests",
            dependencies: [
                "Granary", "GranaryLMDB", "GranaryPlatform", "GranarySQLite", "GranaryStoreKit", "GranaryTool",
                "TestSupport", "embedded-tool", "granary",
            ], swiftSettings: sharedImports),
        .testTarget(
            name: "GoldenTests",
            dependencies: [
                "GranaryCore", "GranaryFormats", "GranaryLMDB", "GranaryPlatform", "GranarySQLite", "TestSupport",
            ], exclude: ["Kept", "Seeded", "Stores", "write"], swiftSettings: settings),
        .testTarget(name: "ReadmeTests", dependencies: ["Granary", "GranarySQLite"], swiftSettings: settings),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Granary", "GranaryConformance", "GranaryLMDB", "GranaryMemory", "GranaryObservability",
                "GranarySQLite",
                "GranaryTesting", "GranaryTool", .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: sharedImports),
        .executableTarget(
            name: "StoreWorker",
            dependencies: [
                "CSQLite", "ConformanceKit", "FaultShim", "GranaryCore", "GranaryImport", "GranarySeeds",
                "GranaryStoreKit", "GranaryTool", "StoreSubjects",
            ],
            path: "Tests/StoreWorker", swiftSettings: settings),
        .target(name: "FaultShim", path: "Conformance/Faults/Shim"),
        .executableTarget(
            name: "granary-faults",
            dependencies: [
                "FaultShim", "GranaryCore", "GranaryLMDB", "GranaryPlatform", "GranarySQLite",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Conformance/Faults/Harness", swiftSettings: settings),
        .executableTarget(
            name: "granary-instructions",
            dependencies: [
                "GranaryCore", "GranaryLMDB", "GranaryMemory", "GranarySQLite",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Conformance/Instructions", swiftSettings: settings),
        .testTarget(
            name: "ProcessTests",
            dependencies: [
                "ConformanceKit", "GranaryCore", "GranarySQLite", "GranaryTool", "StoreSubjects", "StoreWorker",
                "TestSupport",
            ], swiftSettings: sharedImports),
    ],
    swiftLanguageModes: [.v6]
)
