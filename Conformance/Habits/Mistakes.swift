// swift-format-ignore-file
import Foundation
import Granary

// Mistakes that are habits elsewhere, and what the compiler says to each. Conformance/habits checks it.
func mistakes(
    tx: Transaction, stack: Stack, amount: Int, optional: Int?, optionalName: String?, names: [String], shop: Shop, shops: [Shop],
    flag: Bool, rate: Decimal
) throws {
    // says: '==' is unavailable: An enum is compared with a case: `.done`, or `Stage(rawValue: text)`.
    _ = Sale.where { $0.stage == "done" }
    // says: operator function '==' requires that 'Stage' conform to 'ReferenceValue'
    _ = Sale.where { $0.stage == .finished }
    // says: 'lowercased()' is unavailable: Compare without case by `equals(_, .caseInsensitive)`; order and group by `folded(.caseInsensitive)`.
    _ = Sale.where { $0.shop.name.lowercased() == "x" }
    // says: 'localizedStandardContains' is unavailable: Write `contains(_, [.caseInsensitive, .diacriticInsensitive])`.
    _ = Sale.where { $0.name.localizedStandardContains("a") }
    // says: 'starts(with:)' has been renamed to 'hasPrefix(_:)'
    _ = Sale.where { $0.name.starts(with: "a") }
    // says: cannot convert value of type 'Bool' to expected argument type 'Condition<Sale>'
    _ = Sale.where { 3...5 ~= $0.amount }
    // says: '==' is unavailable: A reference is compared with a record, or with the key as `Ref(key)`.
    _ = Sale.where { $0.shop == 5 }
    // says: 'grouped(by:_:)' is unavailable: Group by one tuple: `grouped(by: { ($0.country, $0.year) })`.
    _ = Sale.all.grouped(by: { $0.name }, { $0.stage }).select { ($0.name, $0.stage) }
    // says: cannot assign value of type 'Int' to type 'AddableField<Sale, Int>'
    _ = try Sale.all.updateAll(in: tx) { $0.amount = 5 }
    // says: cannot convert value of type 'Double' to expected argument type 'Int'
    _ = Sale.where { $0.amount * 1.5 > 100 }
    // says: operator function '>' requires the types 'Int.Widened' (aka 'Int') and 'Double' be equivalent
    _ = Sale.where { $0.amount / 2 > $0.weight }
    // says: value of type 'Sale.Fields' has no member 'nme'
    _ = Sale.where { $0.nme == "x" }
    // says: value of type 'Field<Sale, Ref<Shop>>' has no dynamic member 'nme' using key path from root type 'Shop.Fields'
    _ = Sale.where { $0.shop.nme == "x" }
    // says: cannot convert value of type 'String' to expected argument type 'Int'
    _ = Sale.where { $0.amount > "5" }
    // says: cannot convert value of type 'Int' to expected argument type 'String'
    _ = Sale.where { $0.name > 5 }
    // says: cannot convert value of type 'String' to expected argument type 'Date'
    _ = Sale.where { $0.sold > "2020-01-01" }
    // says: cannot force unwrap value of non-optional type 'Field<Sale, String?>'
    _ = Sale.where { $0.note! == "x" }
    // says: cannot use optional chaining on non-optional value of type 'Field<Sale, String?>'
    _ = Sale.where { $0.note?.count == 3 }
    // says: cannot use optional chaining on non-optional value of type 'Field<Sale, Ref<Shop>?>'
    _ = Sale.where { $0.old?.name == "x" }
    // says: integer literal value '1' cannot be used as a boolean; did you mean 'true'?
    _ = Sale.where { $0.live == 1 }
    // says: cannot convert value of type 'String' to expected argument type 'Condition<Sale>'
    _ = Sale.where { $0.name == "a" || "b" }
    // says: cannot convert value of type '()' to expected argument type 'Condition<Sale>'
    _ = Sale.where { $0.amount = 5 }
    // says: result values in '? :' expression have mismatching types 'Condition<Sale>' and 'Field<Sale, Bool>'
    _ = Sale.where { flag ? $0.amount > 3 : $0.live }
    // says: 'uppercased()' is unavailable: Compare without case by `equals(_, .caseInsensitive)`; order and group by `folded(.caseInsensitive)`.
    _ = Sale.where { $0.name.uppercased() == "X" }
    // says: 'range(of:)' is unavailable: Write `contains(_:_:)`, or `matches(_:_:)` for a regular expression.
    _ = Sale.where { $0.name.range(of: "a") != nil }
    // says: cannot convert value of type 'Bool' to expected argument type 'Condition<Sale>'
    _ = Sale.where { $0.name ~= "a*" }
    // says: subscript 'subscript(dynamicMember:)' requires the types 'Date' and 'Ref<Target>' be equivalent
    _ = Sale.where { $0.sold.timeIntervalSinceNow > 0 }
    // says: cannot convert value of type 'Bool' to expected argument type 'Condition<Sale>'
    _ = Sale.where { abs($0.amount) > 3 }
    // says: cannot convert value of type 'Bool' to expected argument type 'Condition<Sale>'
    _ = Sale.where { max($0.amount, 3) > 3 }
    // says: subscript 'subscript(dynamicMember:)' requires that 'Int' conform to 'ReferenceValue'
    _ = Sale.where { $0.amount.isMultiple(of: 2) }
    // says: initializer 'init(_:)' requires that 'Field<Sale, Int>' conform to 'BinaryInteger'
    _ = Sale.where { Double($0.amount) > 2.5 }
    // says: no exact matches in call to initializer 
    _ = Sale.where { String($0.amount) == "2" }
    // says: cannot convert value of type 'Double' to expected argument type 'Int'
    _ = Sale.where { $0.amount > 2.5 }
    // says: 'contains(where:)' has been renamed to 'contains(_:)'
    _ = Shop.where { $0.sales.contains(where: { $0.live }) }
    // says: 'filter' is unavailable: Write `contains { }` for whether one meets the condition, `count { }` for how many do.
    _ = Shop.where { $0.sales.filter { $0.live }.count > 1 }
    // says: value of type 'Related<Shop, Sale>' has no member 'amount'
    _ = Shop.where { $0.sales.amount > 1 }
    // says: value of type 'Related<Shop, Sale>' has no member 'first'
    _ = Shop.where { $0.sales.first.amount > 1 }
    // says: no exact matches in call to instance method 'sorted'
    _ = Sale.all.sorted(by: \.nope)
    // says: instance method 'sorted(by:_:nils:)' requires that 'Condition<Sale>' conform to 'QueryExpression'
    _ = Sale.all.sorted { $0.amount < $1.amount }
    // says: contextual closure type '(Sale.Fields) -> Condition<Sale>' expects 1 argument, but 2 were used in closure body
    _ = Sale.all.sorted(by: { $0.amount < $1.amount })
    // says: instance method 'sorted(by:_:nils:)' requires that 'Related<Sale, Member>' conform to 'QueryExpression'
    _ = Sale.all.sorted { $0.amount.descending }
    // says: no exact matches in call to instance method 'sorted'
    _ = Sale.all.sorted(by: \.amount, order: .reverse)
    // says: 'filter' has been renamed to 'where(_:)'
    _ = Sale.all.filter { $0.amount > 3 }
    // says: 'map' has been renamed to 'select(_:)'
    _ = Sale.all.map { $0.name }
    // says: referencing instance method 'with' on 'Field' requires that 'String' conform to 'ReferenceValue'
    _ = Sale.all.with(\.name)
    // says: no exact matches in call to static method 'where'
    _ = Sale.where(\.amount > 3)
    // says: no exact matches in call to static method 'where'
    _ = Sale.where(\.amount == 3)
    // says: call can throw but is not marked with 'try'
    _ = Sale.where("amount > 3")
    // says: missing argument for parameter 'in' in call
    _ = try Sale.all.fetch()
    // says: 'fetch(in:)' is unavailable: Ask in a read: `try await stack.read { try request.fetch(in: $0) }`.
    _ = try Sale.all.fetch(in: stack)
    // says: type 'Sale.Type' cannot conform to 'Record' [#ProtocolTypeNonConformance]
    _ = try tx.insert(Sale.self)
    // says: no exact matches in call to instance method 'update'
    _ = try tx.update(Sale.all)
    // says: 'fetch' is unavailable: Fetch the request for all records: `fetch(Song.all)`.
    _ = try tx.fetch(Sale.self)
    // says: instance method 'find' requires the types 'Int64' and 'String.Element' (aka 'Character') be equivalent
    _ = try tx.find(Sale.self, "x")
    // says: type 'Stage' has no member 'nope'
    _ = Sale.where { $0.stage.in([.done, .nope]) }
    // says: '==' is unavailable: A reference is compared with a record, or with the key as `Ref(key)`.
    _ = Sale.where { $0.shop == "x" }
    // says: cannot convert value of type 'Field<Sale, String>' to expected argument type 'String'
    _ = try Sale.all.updateAll(in: tx) { $0.name += "x" }
    // says: value of type 'Changes<Sale>' has no dynamic member 'nope' using key path from root type 'Sale.Fields'
    _ = try Sale.all.updateAll(in: tx) { $0.nope += 1 }
    // says: referencing operator function '*=' on 'DurationProtocol' requires that 'AddableField<Sale, Int>' conform to 'DurationProtocol'
    _ = try Sale.all.updateAll(in: tx) { $0.amount *= 2 }
    // says: instance method 'set(_:to:)' requires that 'AddableField<Sale, Double>' conform to 'QueryExpression'
    _ = try Sale.all.updateAll(in: tx) { $0.set(\.amount, to: $0.weight) }
    // says: cannot convert value of type 'String' to expected argument type 'Int'
    _ = try Sale.all.updateAll(in: tx) { $0.set(\.amount, to: "x") }
    // says: 'grouped(by:_:)' is unavailable: Group by one tuple: `grouped(by: { ($0.country, $0.year) })`.
    _ = Sale.all.grouped(by: { $0.name }, { $0.stage }, { $0.amount }).select { ($0.name, $0.stage) }
    // says: operator function '*' requires the types 'Int' and 'Decimal' be equivalent
    _ = Sale.where { $0.amount * $0.price > 100 }
}
