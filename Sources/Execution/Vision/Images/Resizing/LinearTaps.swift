import CKernels

/// For each new pixel in a range along an axis, the two old pixels around it and their weights.
struct LinearTaps {
  /// The old pixels before and after each new one, which are the same where only one contributes.
  /// The weights add up to 1 except in darknet's last row.
  private(set) var pairs: [pixels_pair] = []

  /// The number of new pixels.
  var count: Int { pairs.count }

  /// Returns the taps of an axis that is not resized.
  static func identity(_ count: Int) -> LinearTaps {
    var taps = LinearTaps()
    for index in 0..<count { taps.append(index, index, 0) }
    return taps
  }

  /// Returns the taps of an axis for ``Resampling/halfPixel`` and ``Resampling/topLeft``.
  static func linear(
    from old: Int, to new: Int, _ window: Range<Int>, halfPixel: Bool
  ) -> LinearTaps {
    let scale = Float(old) / Float(new)
    let shift: Float = halfPixel ? 0.5 : 0
    var taps = LinearTaps()
    for index in window {
      let coordinate = (Float(index) + shift) * scale - shift
      let floor = coordinate.rounded(.down)
      let last = old - 1
      taps.append(
        min(max(Int(floor), 0), last), min(max(Int(floor) + 1, 0), last), coordinate - floor)
    }
    return taps
  }

  /// Returns the taps of a row for ``Resampling/darknet``: the last new pixel is the last old one.
  static func darknetRow(from old: Int, to new: Int, _ window: Range<Int>) -> LinearTaps {
    var taps = darknet(from: old, to: new, window)
    if window.contains(new - 1) { taps.replaceLast(old - 1, weight: 1) }
    return taps
  }

  /// Returns the taps of a column for ``Resampling/darknet``: the last new pixel lacks the second
  /// term.
  static func darknetColumn(from old: Int, to new: Int, _ window: Range<Int>) -> LinearTaps {
    var taps = darknet(from: old, to: new, window)
    if window.contains(new - 1), let last = taps.pairs.last {
      taps.replaceLast(last.first, weight: last.first_weight)
    }
    return taps
  }

  private static func darknet(from old: Int, to new: Int, _ window: Range<Int>) -> LinearTaps {
    // For a single new pixel darknet divides by 0; here it is the first old pixel.
    let scale = new > 1 ? Float(old - 1) / Float(new - 1) : 0
    var taps = LinearTaps()
    for index in window {
      let coordinate = Float(index) * scale
      let floor = min(Int(coordinate), old - 1)
      taps.append(floor, min(floor + 1, old - 1), coordinate - Float(floor))
    }
    return taps
  }

  private mutating func append(_ first: Int, _ second: Int, _ fraction: Float) {
    pairs.append(
      pixels_pair(
        first: first, second: second, first_weight: 1 - fraction, second_weight: fraction))
  }

  private mutating func replaceLast(_ index: Int, weight: Float) {
    pairs[pairs.count - 1] = pixels_pair(
      first: index, second: index, first_weight: weight, second_weight: 0)
  }
}
