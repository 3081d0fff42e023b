import LayerCatalog

/// The mel scale of frequencies (Stevens, Volkmann and Newman 1937), in the form of the Hidden Markov
/// Model Toolkit: mel = 1127 log(1 + hertz / 700).
enum MelScale {
  /// Where a frequency in hertz stands on the scale.
  static func mel(_ hertz: Double) -> Double { 1127 * (hertz / 700).logarithmOfOnePlus }

  /// The weights of triangular bands that overlap by halves and are equally wide on the scale,
  /// `[bands, frequencies]`. The lowest frequency, 0, is in none of them.
  ///
  /// - Parameters:
  ///   - frequencies: How many there are, at equal distances from 0 to half of the sampling rate.
  ///   - range: The lowest band's lower end and the highest one's upper end, in hertz.
  static func bands(
    _ count: Int, frequencies: Int, samplingRate: Double, range: (low: Double, high: Double)
  ) -> [Double] {
    let (low, high) = (mel(range.low), mel(range.high))
    let width = (high - low) / Double(count + 1)
    let positions = (0..<frequencies).map { number in
      mel(samplingRate / 2 * Double(number) / Double(max(1, frequencies - 1)))
    }
    return (0..<count).flatMap { band in
      let start = low + width * Double(band)
      return positions.enumerated().map { number, position in
        let (rising, falling) = ((position - start) / width, 2 - (position - start) / width)
        return number == 0 ? 0 : max(0, min(rising, falling))
      }
    }
  }
}
