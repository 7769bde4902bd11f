/// A condition that a store runs. Each term has exactly two outcomes, nil included; negation is pushed down to the terms.
///
/// | term | of nil | with nil |
/// |---|---|---|
/// | `compare(==, v)` | false | `== nil` is true of nil alone |
/// | `compare(!=, v)` | true | `!= nil` is true of all but nil |
/// | `compare(<, <=, >, >=, v)` | false | never given |
/// | `among(values)` | true if nil is listed | |
/// | `notAmong(values)` | true unless nil is listed | |
/// | `relation(l, ==, r)` | true if both are nil | `!=` is the complement, an order is false |
/// | `listed`, `amongRows` | true if nil is listed | |
/// | `text` | false | |
/// | `toOne` | false where the reference is nil or names no record | |
/// | `toMany` | false where there is no such record | |
///
/// A term with `isNegated` holds of exactly the rest.
///
/// The parts of `all` and `any` that cannot fail come first, and no other is tested where these decide; those that can are
/// tested in their order. Arithmetic can fail, and sums.
public indirect enum ResolvedCondition: Sendable, Hashable {
    case always(Bool)
    case compare(position: Int, Comparison, StoredValue)
    /// Values in ascending order, each once.
    case among(position: Int, [StoredValue])
    case notAmong(position: Int, [StoredValue])
    /// Two expressions of one storage class, or an integer and a real, which compare exactly.
    case relation(ResolvedExpression, Comparison, ResolvedExpression, isNegated: Bool)
    /// An expression that is one of these. Values in ascending order, each once.
    case listed(ResolvedExpression, [StoredValue], isNegated: Bool)
    case text(ResolvedExpression, TextMatch, isNegated: Bool)
    /// An expression that is one of the values a request gives, whose one column it is.
    case amongRows(ResolvedExpression, FetchRequest, isNegated: Bool)
    /// The record that the reference at a position names is there and meets the condition.
    case toOne(position: Int, entity: Int, ResolvedCondition, isNegated: Bool)
    /// Some record of an entity refers to this one by its attribute at a position, and meets the condition.
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
