import Foundation
import Granary
import Testing

enum Mood: String, AttributeValue { case calm, wild }
struct Settings: Codable, Sendable, Equatable { var volume = 1 }

@Record struct Genre {
    @Key(.assigned) var id: Int64 = 0
    @Unique var name: String
    var stars = 3
    var parent: Ref<Self>?
    var best: Ref<Artist>?
}
@Record(indexes: [["name", "mood"]]) struct Artist {
    @Key var id: Int64
    @Index var name: String
    @Unique var code: String
    var rating: Double?
    var mood: Mood = .calm
    @Attribute(.json) var settings: Settings
    @Attribute(.json) var tags: [String]? = []
    @Attribute(.scaled(2)) var price: Decimal = 1.5
    @Attribute(.scaled(2)) var fee: Decimal?
    @Reference(onDelete: .cascade) var genre: Ref<Genre>
    @Transient var cache = 0
}
