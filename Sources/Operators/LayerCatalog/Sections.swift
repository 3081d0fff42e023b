import Bytes
import GraphIR

/// The inputs of a graph cut along an axis along which every element of the outputs depends only on
/// elements with the same index, so that the graph can be evaluated section by section, with all
/// intermediate results in a processor's cache.
struct Sections: Sendable {
  private let inputs: [Tensor]
  private let rank: Int
  private let axis: Int
  private let size: Int
  /// The number of indices in a section.
  private let length: Int

  /// The largest number of elements in a section, unless a single index has more.
  private static let largestCount = 16384

  /// - Returns: `nil` if the outputs are small, there is no such axis, or every node computes element
  ///   by element, so that the graph is evaluated in pieces anyway.
  init?(of graph: Graph, _ inputs: [Tensor]) {
    let types = graph.outputs.map { graph[$0.value].type }
    guard let shape = types.first?.fixedShape, types.allSatisfy({ $0.shape == types[0].shape }),
      let axis = shape.firstIndex(where: { $0 > 1 }),
      case let count = shape.reduce(1, *), count > Self.largestCount,
      graph.isIndependent(along: axis, size: shape[axis], rank: shape.count)
    else { return nil }
    (self.inputs, rank, self.axis, size) = (inputs, shape.count, axis, shape[axis])
    length = max(1, Self.largestCount / (count / size))
  }

  /// The outputs, of which the sections follow each other because all axes before the one that is
  /// cut have size 1.
  func evaluate(
    _ workers: Workers, _ body: @Sendable ([Tensor]) throws(WeighbridgeError) -> [Tensor]
  ) throws(WeighbridgeError) -> [Tensor] {
    let sections = workers.map((size + length - 1) / length) { number in
      let range = number * length..<min((number + 1) * length, size)
      return Result { () throws(WeighbridgeError) in
        try body(
          inputs.map {
            $0.shape.count == rank && $0.shape[axis] == size ? $0.slice(range, along: axis) : $0
          })
      }
    }
    let first = try sections[0].get()
    var outputs: [Tensor] = []
    for (number, output) in first.enumerated() {
      var shape = output.shape
      shape[axis] = size
      var bytes: [UInt8] = []
      bytes.reserveCapacity(shape.reduce(output.elementType.byteCount, *))
      for section in sections { bytes += try section.get()[number].contiguousBytes() }
      outputs.append(Tensor(output.elementType, shape: shape, bytes: bytes))
    }
    return outputs
  }
}

extension Graph {
  /// Whether each element of the outputs depends only on elements with the same index along an axis
  /// of those inputs that have it, but not always on one of each input.
  fileprivate func isIndependent(along axis: Int, size: Int, rank: Int) -> Bool {
    let isCut = { (type: TensorType) in type.rank == rank && type.shape[axis] == .fixed(size) }
    var cut = Set(inputs.map(\.value).filter { isCut(self[$0].type) })
    var isElementwise = true
    for node in nodes where node.inputs.contains(where: cut.contains) {
      let isWhole = { (id: ValueID) in cut.contains(id) || self[id].type.shape[axis] == 1 }
      guard let operation = node.operation as? any CatalogOperator,
        operation.isIndependent(along: axis, node.inputs.map { self[$0].type.elementType }),
        node.inputs.allSatisfy({ self[$0].type.rank == rank && isWhole($0) }),
        node.outputs.allSatisfy({ isCut(self[$0].type) })
      else { return false }
      cut.formUnion(node.outputs)
      if pointwiseFunction(of: node) == nil { isElementwise = false }
    }
    return !isElementwise && outputs.allSatisfy { cut.contains($0.value) }
  }
}

extension CatalogOperator {
  /// Whether each element of the outputs depends only on elements with the same index along an axis.
  ///
  /// - Parameter types: Those of the inputs.
  fileprivate func isIndependent(along axis: Int, _ types: [ElementType]) -> Bool {
    switch self {
    case let reduction as Reduce: reduction.keepDims && !reduction.axes.contains(axis)
    case let operation as any LanewiseOperator: !operation.axes.contains(axis)
    case let operation as any PointwiseOperator: operation.pointwise(types) != nil
    default: false
    }
  }
}
