// The sources of bytes and the options of the formats are what imports of files are told.
@_exported public import GranaryFormats
