// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "granary-outside-stores",
    platforms: [.macOS(.v26)],
    products: [
        .library(name: "LogStore", targets: ["LogStore"]),
        .library(name: "PlainFileStore", targets: ["PlainFileStore"]),
    ],
    dependencies: [.package(name: "granary", path: "../../..")],
    targets: [
        .target(
            name: "LogStore",
            dependencies: [
                .product(name: "GranaryKeyValue", package: "granary"),
                .product(name: "GranaryMemory", package: "granary"),
                .product(name: "GranaryPlatform", package: "granary"),
                .product(name: "GranaryStoreKit", package: "granary"),
            ], swiftSettings: settings),
        .target(
            name: "PlainFileStore",
            dependencies: [
                .product(name: "GranaryPlatform", package: "granary"),
                .product(name: "GranaryStoreKit", package: "granary"),
            ], swiftSettings: settings),
        .executableTarget(
            name: "outside-stores",
            dependencies: [
                "LogStore", "PlainFileStore",
                .product(name: "GranaryConformance", package: "granary"),
                .product(name: "GranaryConformanceCommand", package: "granary"),
                .product(name: "GranaryStoreKit", package: "granary"),
            ], swiftSettings: settings),
        .testTarget(
            name: "LogStoreTests",
            dependencies: [
                "LogStore",
                .product(name: "GranaryKeyValue", package: "granary"),
                .product(name: "GranaryStoreKit", package: "granary"),
            ], swiftSettings: settings),
        .testTarget(
            name: "PlainFileStoreTests",
            dependencies: ["PlainFileStore", .product(name: "GranaryStoreKit", package: "granary")],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
