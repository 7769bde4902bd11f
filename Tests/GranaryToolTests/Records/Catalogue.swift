import Foundation
import Granary

@Record(indexes: [["name", "born"]], unique: [["label", "code"]])
struct Artist {
    @Key var id: Int64
    @Index @Unique(.caseInsensitive, .diacriticInsensitive) var name: String
    var rating: Double?
    var born: Date?
    var label: String = "none"
    var code: Int32
    var isActive: Bool = true
    @Attribute(.json) var settings: AnyJSON?
    var genre: Ref<Genre>?
    @Version var version: Int64 = 0

    static let songs = ToMany(\Song.Fields.artist, orderedBy: \.place)
}

@Record
struct Song {
    @Key(.assigned) var id: Int64 = 0
    var title: String
    var plays: Int64 = 0
    var place: Int64 = 0
    @Reference(onDelete: .cascade) var artist: Ref<Artist>
    @Reference(onDelete: .noAction) var cover: Ref<Song>?
    @Attribute(.scaled(2)) var price: Decimal = 1
    var length: Float?
    var `in`: String?

    static let playlists = ManyToMany(\Playlist.Fields.songs)
}

@Record
struct Genre {
    @Key var code: String
    var name: String
}

@Record
struct Playlist {
    @Key var id: UUID
    var name: String
    var cover: Data?
    var link: URL?
    var weight: Decimal?

    static let songs = ManyToMany(Song.self, ordered: true)
    static let artists = ManyToMany(Artist.self, onDelete: .deny)
}

@Record("Key")
struct KeyRecord {
    @Key var id: Int64
    var tiny: UInt8
    var small: Int16
    var half: UInt16
    var word: UInt32
    var large: UInt64
    var byte: Int8
    var token: UUID
}

/// Any JSON. Replace it by the intended type.
enum AnyJSON: Codable, Hashable, Sendable {
    case null, bool(Bool), number(Double), string(String), array([AnyJSON]), object([String: AnyJSON])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([AnyJSON].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: AnyJSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .bool(let bool): try value.encode(bool)
        case .number(let number): try value.encode(number)
        case .string(let string): try value.encode(string)
        case .array(let array): try value.encode(array)
        case .object(let object): try value.encode(object)
        }
    }
}
