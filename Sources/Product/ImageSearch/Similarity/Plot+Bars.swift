extension Plot {
  /// Creates a bar chart of a feature vector, 600 x 300: a bar for each element, upwards from 0 if it
  /// is positive. If there are more elements than pixels, a bar spans its elements from the minimum
  /// to the maximum.
  ///
  /// - Parameters:
  ///   - features: The vector.
  ///   - title: The title above it.
  public static func bars(of features: [Float], title: String) -> Plot {
    let chart = BarChart(features)
    var graphic = Graphic(width: 600, height: 300)
    let black = Graphic.Color(gray: 0)
    let text = Graphic.shortened("\(title): \(features.count) features", to: 580)
    graphic.add(.text(text, x: 10, y: 6, black))
    for bar in chart.bars {
      graphic.add(.rectangle(bar, Graphic.Color(red: 31, green: 98, blue: 160)))
    }
    let area = BarChart.area
    let zero = chart.y(0)
    graphic.add(
      .rectangle(.init(x: area.x, y: zero, width: area.width, height: 1), Graphic.Color(gray: 90)))
    for value in Set([chart.low, 0, chart.high]) {
      let label = Graphic.shortened("\((value * 1000).rounded() / 1000)", to: area.x - 6)
      let x = area.x - 4 - Graphic.textWidth(label)
      graphic.add(.text(label, x: x, y: chart.y(value) - 4, black))
    }
    graphic.add(.text("0", x: area.x, y: 288, black))
    let last = "\(max(0, features.count - 1))"
    graphic.add(
      .text(last, x: area.x + area.width - Graphic.textWidth(last), y: 288, black))
    return Plot(graphic: graphic)
  }
}

/// The bars and the scale of a chart.
private struct BarChart {
  static let area = Graphic.Area(x: 60, y: 22, width: 530, height: 260)
  let low, high: Double
  private let features: [Float]

  init(_ features: [Float]) {
    self.features = features
    low = Double(min(0, features.min() ?? 0))
    high = Double(max(0, features.max() ?? 0))
  }

  /// Returns the vertical position of a value, from the upper edge.
  func y(_ value: Double) -> Double {
    let range = high - low
    guard range > 0 else { return Self.area.y + Self.area.height }
    return Self.area.y + (high - value) / range * Self.area.height
  }

  var bars: [Graphic.Area] {
    let columns = min(features.count, Int(Self.area.width))
    guard columns > 0 else { return [] }
    let width = Self.area.width / Double(columns)
    return (0..<columns).map { column in
      let part = features[
        column * features.count / columns..<(column + 1) * features.count / columns]
      let (lowest, highest) = (part.min() ?? 0, part.max() ?? 0)
      let top = y(Double(max(0, highest)))
      return Graphic.Area(
        x: Self.area.x + Double(column) * width, y: top, width: width > 4 ? width - 1 : width,
        height: y(Double(min(0, lowest))) - top)
    }
  }
}
