@_exported public import GranaryText
