package import Bytes
package import GraphIR

/// An operator that makes given extents of the spatial axes, each output element of the window of
/// elements that it covers.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - output: the same with these extents
///
/// Element o of an axis covers the input's elements from the one that o I/O lies in up to the one
/// that (o + 1) I/O ends in, with I the input's extent and O the output's; windows may share
/// elements. What follows from that, and so is the same for all of them, is defined here.
package protocol AdaptivePoolingOperator: CatalogOperator {
  /// The extents of the output's spatial axes; 1 to 2^24 each.
  var extents: [Int] { get }
  /// The order of the input's and output's axes.
  var layout: DataLayout { get }

  /// Makes the operator.
  init(extents: [Int], layout: DataLayout)

  /// The output's element for the elements of a window, at least one.
  func pool(_ window: [Double]) -> Double
}

extension AdaptivePoolingOperator {
  package var inputs: [InputSlot] { [.data("input")] }

  package var attributes: Attributes {
    ["extents": .integers(extents), "layout": .text(layout.rawValue)]
  }

  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    let extents = try attributes.integers("extents")
    if let problem = Resizing.problem(extents) { throw attributes.malformed(problem) }
    self.init(extents: extents, layout: try attributes.word("layout"))
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    guard input.rank == extents.count + 2, input.elementType.isFloat else {
      throw ShapeError("takes \(extents.count) spatial axes and has the input \(input)")
    }
    let spatial = layout.spatialAxes(rank: input.rank)
    let known = input.shape[spatial].map { $0.value ?? 1 }
    guard known.allSatisfy({ (1...1 << 24).contains($0) }) else {
      throw ShapeError("axes of \(known) elements cannot be pooled")
    }
    var output = input
    output.shape.replaceSubrange(spatial, with: extents.map(Dimension.fixed))
    return [output]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let rank = inputs[0].shape.count
    let shape = try outputShape(of: inputs)
    let turned = inputs[0].permuted(layout.axesToChannelsFirst(rank: rank))
    let old = Array(turned.shape[2...])
    let (elements, size) = (turned.doubles, old.reduce(1, *))
    let planes = workers.map(turned.shape[0] * turned.shape[1]) { index in
      pool(Array(elements[index * size..<(index + 1) * size]), extents: old)
    }
    let output = Tensor(
      inputs[0].elementType, shape: Array(turned.shape[..<2]) + extents, planes.flatMap { $0 })
    let result = output.permuted(layout.axesFromChannelsFirst(rank: rank))
    precondition(result.shape == shape)
    return [result]
  }

  /// One channel of one image.
  private func pool(_ plane: [Double], extents old: [Int]) -> [Double] {
    let strides = Tensor.rowMajorStrides(old)
    // For each output element the indices of its window, axis by axis.
    var windows: [[Int]] = [[0]]
    for axis in old.indices {
      let ranges = (0..<extents[axis]).map { range($0, from: old[axis], to: extents[axis]) }
      windows = windows.flatMap { window in
        ranges.map { range in
          window.flatMap { start in range.map { start + $0 * strides[axis] } }
        }
      }
    }
    return windows.map { window in pool(window.map { plane[$0] }) }
  }

  private func range(_ output: Int, from old: Int, to new: Int) -> Range<Int> {
    output * old / new..<((output + 1) * old + new - 1) / new
  }

  package func permutingAxes(_ axes: [Int]) -> Self? {
    guard axes.count == extents.count + 2, let layout = layout.permuted(by: axes) else {
      return nil
    }
    return Self(extents: extents, layout: layout)
  }

  package var decomposition: Decomposition { .primitive }

  /// The builder of a Keras layer: `output_size` and `data_format`.
  static func builder(axes: Int) -> KerasMapping.Build {
    return { (layer, inputs) throws(WeighbridgeError) in
      try layer.requireSpatialAxes(axes, of: inputs)
      let extents = try layer.integers("output_size", count: axes)
      if let problem = Resizing.problem(extents) { throw WeighbridgeError(.malformed, problem) }
      return try layer.add(Self(extents: extents, layout: try layer.dataLayout()), inputs)
    }
  }
}
