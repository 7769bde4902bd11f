extension Duration {
    /// The duration in seconds, as the nearest number.
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
