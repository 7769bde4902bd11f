// swift-tools-version: 6.1
import CompilerPluginSupport
import PackageDescription

let package = Package(
    name: "granary",
    platforms: [.macOS("26.0"), .iOS("26.0"), .tvOS("26.0"), .watchOS("26.0"), .visionOS("26.0")],
    products: [
        .library(name: "Granary", targets: ["Granary"]),
        .library(name: "GranaryCore", targets: ["GranaryCore"]),
        .library(name: "GranarySQLite", targets: ["GranarySQLite"]),
        .library(name: "GranaryLMDB", targets: ["GranaryLMDB"]),
        .library(name: "GranaryMemory", targets: ["GranaryMemory"]),
        .library(name: "GranaryKeyValue", targets: ["GranaryKeyValue"]),
        .library(name: "GranaryConformance", targets: ["GranaryConformance"]),
        .executable(name: "granary", targets: ["granary"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/onevcat/Rainbow", from: "4.0.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0"),
    ],
    targets: [
        .target(
            name: "GranaryCore",
            dependencies: [
                .product(name: "Logging", package: "swift-log"),
                .product(name: "DequeModule", package: "swift-collections"),
            ]),
        .macro(
            name: "GranaryMacros",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ]),
        .target(name: "Granary", dependencies: ["GranaryCore", "GranaryMacros"]),
        .target(name: "GranaryKeyValue", dependencies: ["GranaryCore"]),
        .target(name: "GranaryMemory", dependencies: ["GranaryKeyValue"]),
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .target(name: "GranaryLMDB", dependencies: ["CLMDB", "GranaryKeyValue"]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .target(name: "GranarySQLite", dependencies: ["CSQLite", "GranaryCore"]),
        .target(
            name: "GranaryConformance",
            dependencies: ["GranaryCore"],
            path: "Conformance/GranaryConformance"),
        .target(
            name: "GranaryTool",
            dependencies: [
                "GranaryConformance", "GranaryCore", "GranaryLMDB", "GranaryMemory", "GranarySQLite", "Rainbow",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(
            name: "granary",
            dependencies: ["GranaryTool", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        .target(name: "RandomRequests", dependencies: ["GranaryCore"], path: "Tests/RandomRequests"),
        .testTarget(
            name: "GranaryCoreTests",
            dependencies: [
                "GranaryCore", "GranaryMemory", "RandomRequests", .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "GranaryMacrosTests",
            dependencies: [
                "GranaryMacros",
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
            ]),
        .testTarget(name: "GranaryTests", dependencies: ["Granary"]),
        .testTarget(name: "QueryTests", dependencies: ["Granary", "GranaryMemory"]),
        .testTarget(
            name: "GranaryKeyValueTests",
            dependencies: ["GranaryKeyValue", "GranaryLMDB", "GranaryMemory", "RandomRequests"]),
        .testTarget(name: "GranaryMemoryTests", dependencies: ["GranaryKeyValue", "GranaryMemory"]),
        .testTarget(name: "GranaryLMDBTests", dependencies: ["GranaryLMDB", "GranaryKeyValue", "GranaryCore"]),
        .testTarget(name: "GranarySQLiteTests", dependencies: ["CSQLite", "GranaryMemory", "GranarySQLite"]),
        .testTarget(name: "GranaryConformanceTests", dependencies: ["GranaryConformance", "GranaryMemory"]),
        .testTarget(name: "ConformanceTests", dependencies: ["GranaryConformance", "GranaryTool"]),
        .testTarget(name: "ReadmeTests", dependencies: ["Granary", "GranarySQLite"]),
        .testTarget(
            name: "DocumentationTests",
            dependencies: ["Granary", "GranaryConformance", "GranaryLMDB", "GranaryMemory", "GranarySQLite"]),
        .executableTarget(
            name: "StoreWorker", dependencies: ["FaultShim", "GranaryConformance", "GranaryTool"],
            path: "Tests/StoreWorker"),
        .target(name: "FaultShim", path: "Conformance/Faults/Shim"),
        .executableTarget(
            name: "granary-faults",
            dependencies: [
                "FaultShim", "GranaryCore", "GranaryLMDB", "GranarySQLite",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Conformance/Faults/Harness"),
        .testTarget(name: "ProcessTests", dependencies: ["GranaryConformance", "GranaryTool", "StoreWorker"]),
    ],
    swiftLanguageModes: [.v6]
)
