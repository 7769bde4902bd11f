/// Makes a struct a ``Record``: every stored property becomes an attribute of its entity.
///
/// ```swift
/// @Record(unique: [["name", "born"]])
/// struct Artist {
///     @Key var id: Int64
///     @Index var name: String
///     var rating: Double?
///     var born: Date?
///     @Attribute(.json) var settings: Settings
///     @Reference(onDelete: .cascade) var label: Ref<Label>
///     @Transient var isSelected = false
/// }
/// ```
///
/// The type of a property is an ``AttributeValue``, or an optional one. It must be written out, unless the initial
/// value is a literal, `UUID()`, `UUID.timeOrdered()`, `Date()` or `Data()`. A literal or a case of an enum (`.calm`)
/// as initial value is also the schema's default: records that were stored before the attribute existed read it.
/// Computed properties, observers, methods, static members except relationships, nested types and initializers stay as
/// they are; so does the memberwise initializer. A `let` without a value is an attribute like a `var`.
///
/// ## What it writes
///
/// Plain members, which can also be written by hand with the same effect. For
///
/// ```swift
/// @Record struct Genre {
///     @Key(.assigned) var id: Int64 = 0
///     @Unique var name: String
///     var stars = 3
/// }
/// ```
///
/// it writes into the struct
///
/// ```swift
/// typealias Key = Int64
/// static let entityName = "Genre"
/// static let entity = Entity(
///     Self.entityName, key: "id", keyGeneration: .assigned,
///     attributes: [
///         Attribute("id", Int64.self),
///         Attribute("name", String.self),
///         Attribute("stars", Int.self, default: 3),
///     ],
///     indexes: [
///         .unique("name"),
///     ])
/// struct Fields: Sendable {
///     let id = Field<Genre, Int64>("id")
///     let name = Field<Genre, String>("name")
///     let stars = Field<Genre, Int>("stars")
/// }
/// static let fields = Fields()
/// mutating func take(assignedKey: Key) {
///     self.id = assignedKey
/// }
/// ```
///
/// and beside it
///
/// ```swift
/// extension Genre: Record {
///     init(row: borrowing Row) throws {
///         self.id = try row.decode(at: 0)
///         self.name = try row.decode(at: 1)
///         self.stars = try row.decode(at: 2)
///     }
///     func encode(into row: inout RowWriter) throws {
///         try row.encode(self.id, at: 0)
///         try row.encode(self.name, at: 1)
///         try row.encode(self.stars, at: 2)
///     }
/// }
/// ```
///
/// and, if the key is not called `id`, `var id: Key { self.code }`. The members are as accessible as the struct, and a
/// field is as accessible as its property. Names of Granary's types are prefixed with `Granary.`, so that your module
/// may have types of the same names. Members and conformance are `nonisolated`, which matters only in a module that
/// isolates to the main actor by default.
///
/// ## Relationships
///
/// A to-one relationship is a property, `Ref<Artist>` or `Ref<Artist>?`. A to-many one is declared beside the
/// properties, with `static let` in the struct itself:
///
/// ```swift
/// @Record struct Band {
///     @Key var id: Int64
///     static let songs = ToMany(\Song.Fields.band, onDelete: .cascade)
///     static let albums = ToMany(\Album.Fields.band, orderedBy: \.place)
/// }
/// @Record struct Playlist {
///     @Key var id: Int64
///     static let songs = ManyToMany(Song.self, ordered: true)      // owns the link entity Playlist_songs
/// }
/// @Record struct Song {
///     @Key var id: Int64
///     var band: Ref<Band>?
///     static let playlists = ManyToMany(\Playlist.Fields.songs)    // the other side
/// }
/// ```
///
/// For `Band` it writes, besides the above,
///
/// ```swift
/// static var relationships: [DeclaredRelationship] {
///     [
///         Self.songs.declared(as: "songs"),
///         Self.albums.declared(as: "albums"),
///     ]
/// }
/// var songs: RelatedRecords<Band, Song> {
///     Self.songs.records(of: self.id, as: "songs")
/// }
/// var albums: RelatedRecords<Band, Album> {
///     Self.albums.records(of: self.id, as: "albums")
/// }
/// ```
///
/// and in `Fields`
///
/// ```swift
/// var songs: Related<Band, Song> { Related("songs") }
/// var albums: Related<Band, Album> { Related("albums") }
/// ```
///
/// The related type is read from the source text: from `\Song.Fields.band`, from `Song.self`, or from a type that is
/// written out, `static let songs: ToMany<Band, Song>`. A relationship in an extension is not found.
///
/// - Parameters:
///   - name: the entity's name; the struct's if nil.
///   - renamedFrom: earlier names of the entity, the newest first: a store with an entity of such a name keeps its
///     records. They may stay in the code for good. Attributes have earlier names by
///     ``Attribute(_:name:renamedFrom:)``, many-to-many relationships by
///     `ManyToMany(Song.self, renamedFrom: "tracks")`.
///   - indexes: lists of properties, each an index over them in that order.
///   - unique: lists of properties, each a combination that no two records share. Records with nil in one of them are
///     not constrained.
///   - words: how the words of searchable properties are found: ``WordRules``.
@attached(
    member, names: named(Key), named(entityName), named(entity), named(Fields), named(fields), named(id),
    named(take(assignedKey:)), named(relationships), arbitrary)
@attached(
    extension, conformances: Record, Fetchable, names: named(init(row:)), named(encode(into:)), named(keepsValues))
public macro Record(
    _ name: String? = nil, renamedFrom: String..., indexes: [[String]] = [], unique: [[String]] = [],
    words: WordRules = WordRules()
) =
    #externalMacro(module: "GranaryMacros", type: "RecordMacro")
