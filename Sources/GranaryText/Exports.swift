// Every module above throws this error, and so does this one.
@_exported public import struct GranaryPlatform.GranaryError
