// swift-format-ignore-file
import Foundation
import Granary

// Mistakes in declarations of records, and the first thing that the compiler says to each. Conformance/habits checks it.
enum Mood: String { case calm, wild }
struct Colour: Codable, Sendable { var red = 0 }

// says: 'init(_:_:default:onDelete:)' is unavailable: This type cannot be stored. An enum or a type with a raw value: add AttributeValue to it. A Codable type: write `@Attribute(.json)`. What is not stored: `@Transient`.
@Record struct WithEnum { @Key var id: Int; var mood: Mood }
// says: 'init(_:_:default:onDelete:)' is unavailable: This type cannot be stored. An enum or a type with a raw value: add AttributeValue to it. A Codable type: write `@Attribute(.json)`. What is not stored: `@Transient`.
@Record struct WithOptionalEnum { @Key var id: Int; var mood: Mood? }
// says: 'init(_:_:default:onDelete:)' is unavailable: This type cannot be stored. An enum or a type with a raw value: add AttributeValue to it. A Codable type: write `@Attribute(.json)`. What is not stored: `@Transient`.
@Record struct WithCodable { @Key var id: Int; var colour: Colour }
// says: 'init(_:_:default:onDelete:)' is unavailable: Write `Ref<Other>`: a record has a reference to another one.
@Record struct WithRecord { @Key var id: Int; var shop: Shop }
// says: 'init(_:_:default:onDelete:)' is unavailable: Write `Ref<Other>?`: a record has a reference to another one.
@Record struct WithOptionalRecord { @Key var id: Int; var shop: Shop? }
// says: shops is an array, which no attribute holds; keep it as JSON with @Attribute(.json), or records with ToMany (from macro 'Record ')
@Record struct WithArray { @Key var id: Int; var shops: [Shop]; var name: String; var count: Int }

// A mistake in one property does not make code about the others wrong or slow.
func others() {
    _ = WithArray.where {
        $0.name == "a" && $0.count > 3 && ($0.name.hasPrefix("x") || $0.count * 2 + 1 < 7) && $0.name != "b"
    }
}
