// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "music-tool",
    platforms: [.macOS(.v26)],
    // In an app: .package(url: ..., from: ...)
    dependencies: [.package(name: "granary", path: "../../..")],
    targets: [
        .executableTarget(
            name: "music-tool",
            dependencies: [
                .product(name: "Granary", package: "granary"),
                .product(name: "GranaryTool", package: "granary"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
