import Foundation
import Granary

/// What a service sends: `{"data": {"musicians": [{"code": "nina", "stage_name": "Nina Simone", ...}]}}`
@Record struct Musician {
    @Key(.assigned) var id: Int64 = 0
    @Unique var code: String
    var name: String
    var born: Date?
    var rating = 3
    var note: String?
    var updated: Date?
    var isGone = false
    var style: Ref<Style>?
    static let tunes = ToMany(\Tune.Fields.musician, onDelete: .cascade)
}

@Record struct Style {
    @Key(.assigned) var id: Int64 = 0
    @Unique var name: String
}

@Record struct Tune {
    @Key var id: Int64
    var title: String
    var number: Int
    var musician: Ref<Musician>
    var writer: Ref<Musician>?
}

extension Musician: Importable {
    static let importMapping = ImportMapping()
        .identify(by: "code")  // identificationAttributes, relatedByAttribute, rzv_externalPrimaryKey
        .map("name", from: "stage_name", "names[0]")  // rzi_customMappings, mappedKeyName, mappedKeyName.1
        .dates(.pattern("MM/dd/yyyy"), for: "born")  // dateFormat, rzi_dateFormatForKey:
        .ignore("debug")  // rzi_ignoredKeys
        .order("code", "updated")  // rzi_orderedKeys
        .whenAbsent("rating", .useDefault)  // useDefaultValueWhenNotPresent
        .whenAbsent("style", .clear)  // assignsNilForMissingRelationships
        .skipUnless(newer: "updated")  // modificationAttribute
        .relate("style", by: "name", missing: .makeStub)  // relatedByAttribute of a relationship
        .relate("tunes", .replaceAndDelete, isKeyed: true)  // RKAssignmentPolicy, forceCollectionMapping
        .transform("note") { value, _ in  // import<Attribute>:, rzi_shouldImportValue:forKey:
            if case .string(let text) = value { .string(text.uppercased()) } else { value }
        }

    /// `shouldImport:`, `willImport:`
    static func willImport(_ value: ImportValue, _ place: ImportPlace) throws -> ImportValue? {
        if value["hidden"] == true { return nil }
        return value
    }

    /// `didImport:`
    mutating func didImport(_ value: ImportValue, _ place: ImportPlace) throws {
        if name.isEmpty { name = code }
    }
}

extension Tune: ImportMapped {
    static let importMapping = ImportMapping()
        .map("id", from: "@key")  // addAttributeMappingFromKeyOfRepresentationToAttribute:
        .map("number", from: "@index")  // @metadata
        .connect("writer", ["writer_code": "code"])  // addConnectionForRelationship:connectedBy:
}

/// `rzi_objectsFromArray:`, `MR_importFromArray:`, `RKMapperOperation`
func importMusicians(_ source: ImportValue, in context: Context) throws -> ImportResult<Musician> {
    var importer = Importer()
    importer.root = "data.musicians"  // the key path of an RKResponseDescriptor
    importer.failures = .report  // discardsInvalidObjectsOnInsert
    importer.tombstones = Musician.where { $0.isGone }.untyped  // deletionPredicate
    return try context.import(source, as: Musician.self, with: importer)
}

/// `deletesOrphanedObjects`, `fetchRequestBlocks`: styles that the source does not have are deleted.
func mirrorStyles(_ source: ImportValue, in context: Context) throws -> ImportReport {
    try context.import(source, as: Style.self, with: Importer(.mirror())).report
}

/// `RKDynamicMapping`: each object tells what it is.
func importMixed(_ source: ImportValue, in context: Context) throws -> ImportReport {
    var importer = Importer()
    importer.choose = { value, _ in value["kind"] == "style" ? "Style" : "Musician" }
    return try context.import(source, as: Musician.self, with: importer).report
}

/// `inverseMapping`, `RKObjectParameterization`
func exportMusicians(in context: ReadContext) throws -> [UInt8] {
    try context.export(Musician.sorted(by: \.code), to: .json(.bytes), with: Exporter(.nested(depth: 1))).bytes
}
