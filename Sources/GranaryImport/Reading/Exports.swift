// Imports of files take the sources of bytes and the options of the formats.
@_exported public import GranaryFormats
