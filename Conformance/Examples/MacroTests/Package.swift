// swift-tools-version: 6.3
import CompilerPluginSupport
import PackageDescription

// The tests of the macros are a package of their own. A test that imports a macro is built for the machine that builds; in one
// package with the others it would have all of them, and all that they try, built a second time. `Sources` leads to the macros.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "granary-macro-tests",
    platforms: [.macOS(.v26)],
    dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1")],
    targets: [
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
            swiftSettings: settings + [.enableUpcomingFeature("MemberImportVisibility")]),
        .testTarget(
            name: "GranaryMacrosTests",
            dependencies: [
                "GranaryMacros", .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
