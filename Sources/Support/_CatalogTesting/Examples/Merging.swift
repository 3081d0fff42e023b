import LayerCatalog

extension OperatorExample {
  /// The merging operators, with equal shapes and with shapes that are broadcast along some axes.
  static let merging: [OperatorExample] =
    combining.flatMap {
      [
        OperatorExample($0, shapes: [[2, 3, 4, 5], [2, 3, 4, 5], [2, 3, 4, 5]]),
        OperatorExample($0, shapes: [[2, 1, 4, 5], [2, 3, 1, 1], [2, 3, 4, 5]]),
        OperatorExample($0, shapes: [[2, 1, 1, 5], [2, 3, 4, 5]]),
      ]
    } + [
      OperatorExample(Subtract(), shapes: [[2, 3, 4], [2, 3, 4]]),
      OperatorExample(Subtract(), shapes: [[2, 1, 4], [2, 3, 1]]),
      OperatorExample(Concatenate(axis: 1), shapes: [[2, 3, 4], [2, 1, 4], [2, 5, 4]]),
      OperatorExample(Concatenate(axis: 3), shapes: [[2, 3, 4, 5], [2, 3, 4, 2]]),
      OperatorExample(ExpandDims(axes: [1, 2]), shapes: [[2, 3]]),
    ]

  private static let combining: [any CatalogOperator] = [
    Add(), Average(), Maximum(), Minimum(), Multiply(),
  ]
}
