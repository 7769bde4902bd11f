// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "granary-benchmarks",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(name: "granary", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLiteRaw", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(name: "CLMDBRaw", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .target(name: "CMachine"),
        .target(name: "CSlowSync"),
        .executableTarget(
            name: "granary-bench",
            dependencies: [
                "CLMDBRaw", "CMachine", "CSQLiteRaw", "CSlowSync",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GranaryCore", package: "granary"),
                .product(name: "GranaryLMDB", package: "granary"),
                .product(name: "GranaryMemory", package: "granary"),
                .product(name: "GranaryFormats", package: "granary"),
                .product(name: "GranaryImport", package: "granary"),
                .product(name: "GranarySQLite", package: "granary"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
