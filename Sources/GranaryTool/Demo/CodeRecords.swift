import Granary

// The tables of ISO codes as records.

/// A country of ISO 3166-1.
@Record struct Country {
    @Key var alpha2: String
    @Unique var alpha3: String
    @Index var name: String
    var officialName: String?
    var numeric: String
    var flag: String?
}

/// A part of a country of ISO 3166-2, and the part it lies in, if it lies in one.
@Record struct Subdivision {
    @Key var code: String
    @Index var name: String
    @Index var type: String
    var country: Ref<Country>
    var parent: Ref<Subdivision>?
}

/// A currency of ISO 4217.
@Record struct Currency {
    @Key var alpha3: String
    @Index var name: String
    var numeric: Int?
}

/// A language of ISO 639-3.
@Record(indexes: [["type", "name"]]) struct Language {
    @Key var alpha3: String
    @Index var name: String
    @Unique var alpha2: String?
    var scope: Scope
    var type: Kind

    enum Scope: String, AttributeValue { case individual = "I", macrolanguage = "M", special = "S" }
    enum Kind: String, AttributeValue {
        case ancient = "A", constructed = "C", extinct = "E", historical = "H", living = "L", special = "S"
    }
}
