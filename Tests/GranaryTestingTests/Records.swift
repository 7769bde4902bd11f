import Foundation
import Granary

@Record struct Painter {
    @Key var id: Int64
    @Unique var name: String
    var born: Date?
    @UpdatedAt var changed: Date?
}

@Record struct Painting {
    @Key var id: Int64
    var title: String
    var price: Decimal?
    @Attribute(.scaled(2)) var fee: Decimal
    var isSold = false
    var painter: Ref<Painter>?
}

let gallery = Schema(Painter.self, Painting.self)
