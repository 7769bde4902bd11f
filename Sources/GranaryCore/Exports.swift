@_exported public import GranaryStoreKit
