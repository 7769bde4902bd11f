// swift-format-ignore-file
import Foundation
import Granary

// What one writes by habit and is right: all of it compiles. Conformance/habits checks it.
func habits(
    tx: Transaction, stack: Stack, amount: Int, optional: Int?, optionalName: String?, names: [String], shop: Shop, shops: [Shop],
    flag: Bool, rate: Decimal
) throws {
    _ = Sale.where { $0.note.isEmpty }
    _ = Sale.where { $0.name.isEmpty }
    _ = Sale.where { ["a", "b"].contains($0.name) }
    _ = Sale.where { names.contains($0.name) }
    _ = Sale.where { (3...5).contains($0.amount) }
    _ = Sale.where { $0.shop.id == 5 }
    _ = try Sale.all.updateAll(in: tx) { $0.amount += 1 }
    _ = try Sale.all.updateAll(in: tx) { $0.set(\.amount, to: $0.amount + 1) }
    _ = try Sale.all.updateAll(in: tx) { $0.set(\.price, to: $0.price * $0.amount) }
    _ = Sale.where { $0.price * $0.amount > 100 }
    _ = Sale.where { $0.tax * $0.amount > 100 }
    _ = Sale.where { $0.weight * $0.amount > 100 }
    _ = Sale.where { $0.old != nil && $0.old.name == "x" }
    _ = Sale.where { $0.amount == amount }
    _ = Sale.where { $0.amount == optional }
    _ = Sale.where { $0.name == optionalName }
    _ = Sale.where { $0.live }
    _ = Sale.where { !$0.live && $0.amount > 3 }
    _ = Sale.where { if flag { $0.amount > 3 } else { $0.live } }
    _ = Sale.where { sale in sale.shop == shop }
    _ = Sale.where { $0.shop.in(shops) }
    _ = Sale.where { shops.contains($0.shop) }
    _ = Sale.where { $0.name.hasPrefix("a") }
    _ = Sale.where { $0.name.contains("a") }
    _ = Sale.where { $0.name.like("a*") }
    _ = Sale.where { $0.sold.year == 2020 }
    _ = Sale.where { $0.sold > Date() - 3600 }
    _ = Sale.where { $0.amount.asDouble > 2.5 }
    _ = Sale.where { $0.weight > 2 }
    _ = Sale.where { $0.price > 2 }
    _ = Sale.where { ($0.note ?? "") == "x" }
    _ = Sale.where { $0.amount ?? 0 > 2 }
    _ = Shop.where { $0.sales.count > 2 }
    _ = Shop.where { $0.sales.isEmpty }
    _ = Shop.where { !$0.sales.isEmpty }
    _ = Shop.where { $0.sales.contains { $0.live } }
    _ = Sale.all.sorted(by: \.amount)
    _ = Sale.all.sorted(by: \.shop.name)
    _ = Sale.all.sorted(by: \.amount, .descending).limit(3)
    _ = Sale.all.where { $0.amount > 3 }.first
    _ = Sale.all.select(\.name)
    _ = Sale.all.select { $0.name }
    _ = Sale.all.with(\.shop)
    _ = Shop.all.with(\.sales)
    _ = Shop.all.with { $0.sales }
    _ = Shop.all.with { $0.sales.sorted(by: \.sold, .descending).limit(3) }
    _ = Sale.all.grouped(by: { $0.shop }).select { ($0.shop, $0.amount.sum, Sale.recordCount) }
    _ = try tx.find(Sale.self, 5)
    _ = Sale.where { $0.price > $0.amount.asDecimal }
    _ = Sale.where { $0.tax == 3 && $0.tax * 3 > 5 && $0.price * 2 > 1 }
    _ = Sale.where { $0.weight * $0.amount + $0.amount > 100 }
    _ = Sale.where { $0.tax + $0.tax > 4 && $0.price - $0.price == 0 }
    _ = Shop.all.select { ($0.name, $0.sales.sum(\.amount) { $0.live }, $0.sales.count { $0.live }) }
    _ = Sale.where { $0.amount * 2 + 1 > $0.amount && $0.weight * 2.5 > 1 && $0.name == "x" && $0.sold < Date() && $0.price * 3 < 9.99 && $0.tax > 1 && $0.live && $0.shop == shop && $0.note != nil && $0.stage == .done }
    _ = Sale.where { $0.stage == .done }
    _ = Sale.where { $0.stage.in([.done, .draft]) }
    _ = Sale.where { $0.shop == Ref(5) }
    _ = Sale.where { $0.shop == shop }
    _ = Sale.where { $0.old == shop && $0.old != nil && shop == $0.old }
    _ = Sale.where { $0.old == shops.first }
    _ = Sale.where { $0.shop == shops.first }
    _ = Sale.where { $0.old == nil }
    _ = Sale.where { $0.shop == $0.old }
    _ = try Sale.all.updateAll(in: tx) { $0.amount -= 1; $0.weight += 2.5; $0.tax += 1; $0.price += rate }
    _ = try Sale.all.updateAll(in: tx) { $0.set(\.tax, to: $0.price * $0.amount) }
    _ = try Sale.all.updateAll(in: tx) { $0.set(\.name, to: $0.shop.name ?? "") }
    _ = try Sale.all.updateAll(in: tx) { $0.set(\.note, to: $0.name) }
    _ = try Sale.all.updateAll(in: tx) { $0.set(\.amount, to: 5); $0.set(\.note, to: nil); $0.set(\.tax, to: rate); $0.set(\.tax, to: 5) }
    _ = try Sale.all.updateAll(in: tx) { $0.set(\.old, to: Ref(shop)); $0.set(\.old, to: $0.shop) }
    _ = try tx.fetch(Sale.all)
    _ = Sale.all.grouped(by: { $0.shop }).select { ($0.shop, $0.amount.where { $0.live }.sum, $0.id.where { $0.note != nil }.count) }
    _ = Sale.where { $0.tax.asDecimal * $0.price > 100 }
}
