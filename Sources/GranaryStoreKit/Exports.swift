@_exported public import GranaryModel
