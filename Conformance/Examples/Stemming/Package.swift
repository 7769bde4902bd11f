// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "granary-stemming",
    platforms: [.macOS(.v26)],
    products: [.library(name: "Stemming", targets: ["Stemming"])],
    // In an app: .package(url: ..., from: ...)
    dependencies: [.package(name: "granary", path: "../../..")],
    targets: [
        .systemLibrary(name: "CStemmer", providers: [.apt(["libstemmer-dev"]), .brew(["snowball"])]),
        .target(
            name: "Stemming", dependencies: ["CStemmer", .product(name: "GranaryCore", package: "granary")],
            swiftSettings: settings),
        .testTarget(
            name: "StemmingTests",
            dependencies: [
                "Stemming",
                .product(name: "Granary", package: "granary"),
                .product(name: "GranarySQLite", package: "granary"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
