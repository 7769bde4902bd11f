// This module and all modules that depend on it throw this error.
@_exported public import struct GranaryPlatform.GranaryError
