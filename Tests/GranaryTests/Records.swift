import Foundation
public import Granary

enum Mood: String, AttributeValue { case calm, wild }
enum Level: Int8, AttributeValue { case low = -128, high = 127 }
struct ISRC: RawRepresentable, RecordKey { var rawValue: String }
struct Settings: Codable, Sendable, Hashable {
    var volume = 1
    var names: [String: [Int]] = [:]
}

/// Every type an attribute has.
@Record struct Everything: Equatable {
    @Key var id: UUID = UUID.timeOrdered()
    var bool: Bool
    var int: Int
    var int8: Int8
    var int16: Int16
    var int32: Int32
    var int64: Int64
    var uint: UInt
    var uint8: UInt8
    var uint16: UInt16
    var uint32: UInt32
    var uint64: UInt64
    var float: Float
    var double: Double
    var decimal: Decimal
    @Attribute(.scaled(2)) var money: Decimal
    @Attribute(.scaled(18)) var fine: Decimal
    var string: String
    var data: Data
    var bytes: [UInt8]
    var date: Date
    var uuid: UUID
    var url: URL
    var mood: Mood
    var level: Level
    var isrc: ISRC
    @Attribute(.json) var settings: Settings
    @Attribute(.json) var tags: [String]
    var wrapped: JSON<[Int]>
    var artist: Ref<Artist>
}

/// The same, all optional.
@Record struct Maybe: Equatable {
    @Key var id: Int
    var bool: Bool?
    var int: Int?
    var float: Float?
    var double: Optional<Double>
    var decimal: Decimal?
    @Attribute(.scaled(2)) var money: Decimal?
    var string: String?
    var data: Data?
    var bytes: [UInt8]?
    var date: Date?
    var uuid: UUID?
    var url: URL?
    var mood: Mood?
    @Attribute(.json) var settings: Settings?
    @Attribute(.json) var tags: [String]?
    var artist: Ref<Artist>?
}

/// Refers to ``Song``, which refers to it, and to itself.
@Record("Performer", indexes: [["name", "born"]], unique: [["born", "name"], ["code"]])
struct Artist: Hashable {
    @Key(.assigned) var id: Int64 = 0
    @Index var name: String
    @Unique var code: String
    var born: Date?
    var teacher: Ref<Artist>?
    var pupil: Ref<Self>?
    @Reference(onDelete: .cascade) var hit: Ref<Song>?
    var stars = 3
    var weight: Double = -1.5
    var motto = "a \"b\" \\ c"
    var text = """
        two
        lines
        """
    var isLoud = true
    var mood: Mood = .calm
    @Attribute(.scaled(2)) var fee: Decimal = 19.5
    @Attribute(.json) var tags: [String] = ["x"]
    @Attribute(name: "first_name") @Index var firstName: String? = nil
    @Transient var cache = 7
}

@Record struct Song: Hashable {
    @Key let isrc: String
    @Reference(onDelete: .deny) var artist: Ref<Artist>
    var other: Ref<Artist>?
    var title: String

    var shout: String { title.uppercased() }
    static let prefix = "S"
    func named(_ title: String) -> Song { Song(isrc: isrc, artist: artist, other: other, title: title) }
}

/// Names that the written code uses itself, and words of the language.
@Record struct Names: Equatable {
    @Key var key: String
    var row: Int
    var fields: Int
    var entity: String
    var entityName: String
    var writer: Bool
    var assignedKey: Int
    var value: Int
    var `default`: Int
    var `self`: Int
    var `inout`: Int
    var first, second: Int
    var third = 1, fourth: String
    private(set) var seen: Int
    var watched: Int = 0 { didSet { seen += 1 } }
}

/// Types that only its namespace knows, and that exist outside with another meaning.
enum Version1 {
    enum Mood: Int, AttributeValue { case sad, glad }
    struct Settings: Codable, Sendable, Equatable { var old = true }

    @Record struct Artist: Equatable {
        @Key var id: String
        var mood: Mood
        @Attribute(.json) var settings: Settings
        @Attribute(.json) var maybe: Settings?
        var song: Ref<Song>?
    }
    @Record struct Song: Equatable {
        @Key var id: Int64
        var artist: Ref<Artist>
    }
}

@Record public struct PublicRecord {
    @Key(.assigned) public var id: Int64 = 0
    public var name: String
    var hidden: Int
    private var secret: Int = 4
    fileprivate var secret2: Mood = .wild
    public init(name: String) {
        self.name = name
        hidden = 1
    }
    /// Compiles only if the members are as public as the struct.
    @inlinable public static func named(_ name: String) -> (Query<PublicRecord>, Entity, String, Key) {
        (PublicRecord.where { $0.name == name }, entity, entityName, 0)
    }
}

@Record package struct PackageRecord {
    @Key package var code: UUID
    var name: String
}

@Record private struct PrivateRecord {
    @Key var id: Int64
    private var secret: Int
}

@Record fileprivate struct FileprivateRecord {
    @Key fileprivate var id: Int64
    fileprivate var mood: PrivateMood
}
private enum PrivateMood: String, AttributeValue { case none }

enum Hidden {
    @Record fileprivate struct Nested {
        @Key var id: Int64
    }
    static var count: Int { Nested.entity.attributes.count + PrivateRecord.entity.attributes.count }
}
