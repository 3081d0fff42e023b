/// For each new pixel of a range along an axis, the two old ones it lies between and their weights.
struct LinearTaps {
  /// The old pixel before it, and the one behind it; the same where only one counts.
  private(set) var first: [Int] = []
  private(set) var second: [Int] = []
  /// Their weights, which add up to 1 but in darknet's last row.
  private(set) var firstWeight: [Float] = []
  private(set) var secondWeight: [Float] = []

  /// The number of new pixels.
  var count: Int { first.count }

  /// An axis of which every pixel stays where it is.
  static func identity(_ count: Int) -> LinearTaps {
    var taps = LinearTaps()
    for index in 0..<count { taps.append(index, index, 0) }
    return taps
  }

  /// An axis as ``Resampling/halfPixel`` and ``Resampling/topLeft`` have it.
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

  /// A row's axis as ``Resampling/darknet`` has it: the last new pixel is the last old one.
  static func darknetRow(from old: Int, to new: Int, _ window: Range<Int>) -> LinearTaps {
    var taps = darknet(from: old, to: new, window)
    if window.contains(new - 1) { taps.replaceLast(old - 1, weight: 1) }
    return taps
  }

  /// A column's axis as ``Resampling/darknet`` has it: the last new pixel misses the second part.
  static func darknetColumn(from old: Int, to new: Int, _ window: Range<Int>) -> LinearTaps {
    var taps = darknet(from: old, to: new, window)
    if window.contains(new - 1), let first = taps.first.last, let weight = taps.firstWeight.last {
      taps.replaceLast(first, weight: weight)
    }
    return taps
  }

  private static func darknet(from old: Int, to new: Int, _ window: Range<Int>) -> LinearTaps {
    // darknet divides by 0 for a single new pixel; that is the first old one here.
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
    self.first.append(first)
    self.second.append(second)
    firstWeight.append(1 - fraction)
    secondWeight.append(fraction)
  }

  private mutating func replaceLast(_ index: Int, weight: Float) {
    let last = count - 1
    (first[last], second[last]) = (index, index)
    (firstWeight[last], secondWeight[last]) = (weight, 0)
  }
}
