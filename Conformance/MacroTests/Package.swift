// swift-tools-version: 6.3
import PackageDescription

// The tests of the macros are a package of their own: a test that imports a macro is built for the machine that builds, and
// with it, in one package, every other test and all that they try would be built a second time.
let package = Package(
    name: "granary-macro-tests",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(name: "granary", path: "../.."),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    ],
    targets: [
        .testTarget(
            name: "GranaryMacrosTests",
            dependencies: [
                .product(name: "GranaryMacros", package: "granary"),
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
