import Foundation
import Granary

/// A text in composed form (NFC): é is the same as one scalar and as two.
struct ComposedText: AttributeValue, RawRepresentable, ExpressibleByStringLiteral {
    let rawValue: String

    init(rawValue: String) { self.rawValue = rawValue.precomposedStringWithCanonicalMapping }
    init(stringLiteral text: String) { self.init(rawValue: text) }
}

@Record struct Village {
    @Key var id: Int64
    @Unique var name: ComposedText
    @Index(.caseInsensitive, .diacriticInsensitive) var region: String
}

@Record struct Portrait {
    @Key var id: Int64
    var title: String
    @Attribute(.external) var image: Data?  // from 16 KiB on in a file of its own; .external(from: 4096)
}

@Record struct Visitor {
    @Key var id: Int64  // yours
}

@Record struct Ticket {
    @Key(.assigned) var id: Int64 = 0  // the store's next number
}

@Record struct Visit {
    @Key var id = UUID.timeOrdered()  // made here, in order of time
}

@Record struct Recording {
    @Key var isrc: String  // `id` is then another name for it
}

@Record struct Remark {
    @Key(.assigned) var id: Int64 = 0
    var text: String
    @CreatedAt var created: Date?
    @UpdatedAt var changed: Date?
}

@Record struct Guest {
    @Key(.assigned) var id: Int64 = 0
    var name: String
    var changed: Date = .distantPast
}

extension Guest: RecordHooks {
    mutating func willSave(in context: Context) throws {
        name = name.trimmingCharacters(in: .whitespaces)
        changed = Date()
    }
}
