package import Bytes
package import GraphIR

/// The inner part of the spatial axes.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - output: each spatial axis without the removed elements, with at least 1 left
package struct Cropping: FormulaOperator, ImageOperator, ExactOperator {
  /// The numbers of elements that are removed at both ends of each spatial axis.
  package let borders: Borders
  /// The order of the input's and output's axes.
  package let layout: DataLayout

  package static let kind = "cropping"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    output size = input size - before - after, at least 1
    output[n, c, i] = input[n, c, i + before], i along the spatial axes
    """,
    of: .any,
    attributes: AttributeSchema(
      Self.init(borders:layout:),
      .part(\.borders, Borders.schema),
      .layout(\.layout)))

  /// Creates the operator.
  package init(borders: Borders, layout: DataLayout) {
    self.borders = borders
    self.layout = layout
  }
}

extension Cropping {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let output = try inputs[0].mappingSpatialAxes(layout, count: borders.before.count) {
      (axis, dimension) throws(ShapeError) in
      let (before, after) = (borders.before[axis], borders.after[axis])
      guard dimension > before + after else {
        throw ShapeError(
          "cropping \(before) and \(after) elements leaves nothing of an axis of \(dimension)")
      }
      return dimension - before - after
    }
    return [output]
  }

  package func permutingAxes(_ axes: [Int]) -> Cropping? {
    guard axes.count == borders.before.count + 2, let layout = layout.permuted(by: axes) else {
      return nil
    }
    return Cropping(borders: borders, layout: layout)
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let axes = layout.spatialAxes(rank: make.type(make.inputs[0]).rank)
    let ranges = zip(axes, zip(borders.before, borders.after)).map { axis, border in
      Slice.Range(axis: axis, start: border.0, stop: border.1 == 0 ? nil : -border.1, step: 1)
    }
    return try make(Slice(ranges), make.inputs[0])
  }
}
