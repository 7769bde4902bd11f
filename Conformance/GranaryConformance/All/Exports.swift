@_exported public import ConformanceKit
