public import GranaryCore

/// The schemas of the suite.
public enum SuiteSchema {
    /// Every record type of the suite.
    public static let standard = Schema(
        Sample.self, Person.self, Note.self, Ticket.self, Counter.self, Shelf.self, Box.self)
}
