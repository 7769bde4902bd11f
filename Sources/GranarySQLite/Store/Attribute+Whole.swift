import GranaryCore

extension Attribute {
    /// Whether the cell, which is of the right kind, is a value of the attribute's type.
    func isWhole(_ cell: Cell) -> Bool {
        switch cell.kind {
        case .null: return isOptional
        case .integer: return type.integerRange?.contains(cell.integerValue) ?? false
        case .real: return !cell.realValue.isNaN && (type != .float || Double(Float(cell.realValue)) == cell.realValue)
        case .text: return String(validating: cell.rawBytes, as: UTF8.self) != nil
        case .bytes:
            switch type {
            case .uuid: return cell.rawBytes.count == 16
            case .decimal: return DecimalEncoding.decode(cell.rawBytes) != nil
            default: return true
            }
        }
    }
}
