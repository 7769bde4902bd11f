// The records of the habits.
import Foundation
import Granary

enum Stage: String, AttributeValue { case draft, done }

@Record struct Shop {
    @Key(.assigned) var id: Int64 = 0
    var name: String
    static let sales = ToMany(\Sale.Fields.shop)
}

@Record struct Sale {
    @Key(.assigned) var id: Int64 = 0
    var amount: Int
    var stage: Stage = .draft
    var note: String?
    var name: String
    var price: Decimal
    var weight: Double
    @Attribute(.scaled(2)) var tax: Decimal
    var sold: Date
    var shop: Ref<Shop>
    var live: Bool
    var old: Ref<Shop>?
}
