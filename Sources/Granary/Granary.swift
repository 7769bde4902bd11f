/// Records in a store of your choice: everything in `GranaryCore`, and the macro that writes the conformance of
/// records.
///
/// ```swift
/// import Granary
///
/// @Record struct Artist {
///     @Key var id: Int64
///     @Index var name: String
///     var rating: Double?
/// }
/// let schema = Schema(Artist.self)
/// ```
///
/// A target that writes its records by hand can import `GranaryCore` alone and needs no swift-syntax.
@_exported import GranaryCore
@_exported import GranaryImport
@_exported import GranarySeeds
