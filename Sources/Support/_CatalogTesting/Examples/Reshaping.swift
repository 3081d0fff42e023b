import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Operators that move elements, in both layouts.
  static let reshaping: [OperatorExample] =
    [
      OperatorExample(Reshape(target: [-1]), shapes: [[2, 3, 4]]),
      OperatorExample(Reshape(target: [6, -1, 2]), shapes: [[2, 3, 4, 5]]),
      OperatorExample(Reshape(target: [4, 3]), shapes: [[2, 3, 4]]),
      OperatorExample(Transpose(axes: [0, 3, 1, 2]), shapes: [[2, 3, 4, 5]]),
      OperatorExample(Transpose(axes: [0, 2, 1]), shapes: [[2, 3, 4]]),
      OperatorExample(RepeatVector(count: 3), shapes: [[2, 5]]),
      OperatorExample(Reverse(axes: [1]), shapes: [[2, 3, 4]]),
      OperatorExample(Reverse(axes: [0, 2]), shapes: [[2, 3, 4, 5]]),
    ]
    + borders.flatMap { borders, layout, shape in
      [
        OperatorExample(ZeroPadding(borders: borders, layout: layout), shapes: [shape]),
        OperatorExample(Cropping(borders: borders, layout: layout), shapes: [shape]),
      ]
    }

  private static let borders: [(Borders, DataLayout, shape: [Int])] = [
    (Borders(before: [1], after: [2]), .channelsLast, [2, 5, 3]),
    (Borders(before: [0, 1], after: [2, 1]), .channelsLast, [2, 4, 6, 3]),
    (Borders(before: [2, 0], after: [1, 3]), .channelsFirst, [2, 3, 5, 4]),
    (Borders(before: [1, 0, 2], after: [1, 1, 0]), .channelsLast, [2, 3, 4, 5, 2]),
  ]
}
