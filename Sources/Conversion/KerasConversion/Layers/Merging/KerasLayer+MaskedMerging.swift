import Bytes
import GraphIR
import KerasFormat
import LayerCatalog

/// Merging of sequences with masks, as in Keras since 3.4: masked steps are excluded from products,
/// maxima and minima.
extension KerasLayer {
  /// Adds a maximum or minimum. A step masked in one input is taken from the other; a step masked
  /// in all is taken from one of them.
  mutating func addExtremum(
    _ operation: some PlainOperator, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    let aligned = try aligned(inputs)
    guard let masks = try stepMasks(inputs), var output = aligned.first else {
      return try add(operation, aligned)
    }
    var outputMask = masks[0]
    for index in aligned.indices.dropFirst() {
      var next = aligned[index]
      let mask = masks[index]
      if let mask { next = try add(Where(), [mask, next, output], role: "input_\(index)")[0] }
      if let outputMask {
        output = try add(Where(), [outputMask, output, next], role: "before_\(index)")[0]
      }
      let isLast = index == aligned.count - 1
      output = try add(operation, [output, next], role: isLast ? "" : "merged_\(index)")[0]
      guard !isLast, let mask, let other = outputMask else {
        outputMask = nil
        continue
      }
      outputMask = try add(LogicalOr(), [other, mask], role: "mask_\(index)")[0]
    }
    return [output]
  }

  /// Adds a product. A step masked in one input counts as 1 there; for a step masked in all, the
  /// product is 0.
  mutating func addProduct(of inputs: [ValueID]) throws(WeighbridgeError) -> [ValueID] {
    var factors = try aligned(inputs)
    guard let masks = try stepMasks(inputs) else { return try add(Multiply(), factors) }
    for (index, mask) in masks.enumerated() {
      guard let mask else { continue }
      let ones = try add(FullLike(value: 1), [factors[index]], role: "ones_\(index)")
      factors[index] = try add(
        Where(), [mask, factors[index]] + ones, role: "factor_\(index)")[0]
    }
    let presentMasks = masks.compactMap { $0 }
    guard presentMasks.count == inputs.count else { return try add(Multiply(), factors) }
    let product = try add(Multiply(), factors, role: "product")
    let mask = try add(LogicalOr(), presentMasks, role: "any_mask")
    let zeros = try add(FullLike(value: 0), product, role: "zeros")
    return try add(Where(), mask + product + zeros)
  }

  /// The inputs' masks with an axis of size 1 for the features; `nil` when no step is masked.
  private mutating func stepMasks(
    _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID?]? {
    guard combinesMasksWithOr, inputs.contains(where: { mask(of: $0) != nil }) else { return nil }
    let rank = inputs.map { graph.type(of: $0).rank }.max() ?? 0
    var stepMasks: [ValueID?] = []
    for (index, input) in inputs.enumerated() {
      guard let mask = mask(of: input) else {
        stepMasks.append(nil)
        continue
      }
      guard graph.type(of: input).rank == rank, graph.type(of: mask).rank == rank - 1 else {
        throw .unsupported(
          "merges \(graph.type(of: input)) with the mask \(graph.type(of: mask)); masks are supported "
            + "that have one axis less than every input")
      }
      stepMasks += try add(ExpandDims(axes: [rank - 1]), [mask], role: "mask_of_\(index)")
    }
    return stepMasks
  }
}
