/// A condition in the form for stores. Each term is either true or false, also for nil; negations are pushed down to
/// the terms.
///
/// | term | for nil | compared with nil |
/// |---|---|---|
/// | `compare(==, v)` | false | `== nil` is true only for nil |
/// | `compare(!=, v)` | true | `!= nil` is true for all but nil |
/// | `compare(<, <=, >, >=, v)` | false | never passed here |
/// | `among(values)` | true if nil is listed | |
/// | `notAmong(values)` | true unless nil is listed | |
/// | `relation(l, ==, r)` | true if both are nil | `!=` is the complement, an order is false |
/// | `listed`, `amongRows` | true if nil is listed | |
/// | `text` | false | |
/// | `toOne` | false if the reference is nil or its record does not exist | |
/// | `toMany` | false if there is no such record | |
///
/// A term with `isNegated` is true exactly where the term without it is false.
///
/// The parts of `all` and `any` that cannot fail come first, and the others are not tested if these decide. Parts that
/// can fail are tested in order. Arithmetic and sums can fail.
public indirect enum ResolvedCondition: Sendable, Hashable {
    case always(Bool)
    case compare(position: Int, Comparison, StoredValue)
    /// Values in ascending order, each once.
    case among(position: Int, [StoredValue])
    case notAmong(position: Int, [StoredValue])
    /// Two expressions of one storage class, or an integer and a real, which are compared exactly.
    case relation(ResolvedExpression, Comparison, ResolvedExpression, isNegated: Bool)
    /// An expression equals one of these. Values in ascending order, each once.
    case listed(ResolvedExpression, [StoredValue], isNegated: Bool)
    case text(ResolvedExpression, TextMatch, isNegated: Bool)
    /// An expression equals one of the values in the single column of a request.
    case amongRows(ResolvedExpression, FetchRequest, isNegated: Bool)
    /// The record that the reference at a position names exists and meets the condition.
    case toOne(position: Int, entity: Int, ResolvedCondition, isNegated: Bool)
    /// A record of an entity refers to this record by its attribute at a position, and meets the condition.
    case toMany(entity: Int, position: Int, ResolvedCondition, isNegated: Bool)
    /// Two or more.
    case all([ResolvedCondition])
    /// Two or more.
    case any([ResolvedCondition])
}

extension ResolvedCondition {
    /// The conditions that must all hold.
    public var conjuncts: [ResolvedCondition] { if case .all(let parts) = self { parts } else { [self] } }
}
