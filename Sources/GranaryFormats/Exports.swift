// Every reader and writer throws this error.
@_exported public import struct GranaryPlatform.GranaryError
