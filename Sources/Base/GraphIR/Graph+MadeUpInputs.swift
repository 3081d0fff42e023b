package import Bytes

/// What the inputs of a model consist of when nobody has any.
public enum MadeUpNumbers: Hashable, Sendable {
  /// Numbers evenly distributed over 0..<1, and whole numbers that the model can take; the same for
  /// each seed.
  case random(seed: UInt64)
  /// Ones everywhere.
  case ones
}

extension Graph {
  /// Inputs for a model of which nobody has any.
  ///
  /// A dimension that is open is 1 in the batch and 32 elsewhere; of one name, it is the same
  /// everywhere. Whole numbers stay below the limit where an operator takes them as indices (the rows
  /// of an embedding), whatever the element type; other integers are 0 or 1, and bytes any byte.
  ///
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` for an input of more than 2^28 elements.
  package func madeUpInputs(_ numbers: MadeUpNumbers) throws(WeighbridgeError) -> [Tensor] {
    let limits = indexLimits
    var sizes: [String: Int] = [:]
    var tensors: [Tensor] = []
    for (number, port) in inputs.enumerated() {
      let type = self[port.value].type
      let shape = Self.madeUpShape(type, &sizes)
      guard let count = try? Checked.product(shape, of: "the size of an input"), count <= 1 << 28
      else {
        throw .limitExceeded(
          "the input \(port.name) is \(shape), and inputs of up to \(1 << 28) elements are made up")
      }
      var source = NumberSource(
        numbers, input: number, limit: limits[port.value] ?? Self.usualLimit(type.elementType))
      tensors.append(
        Tensor(type.elementType, shape: shape, (0..<count).map { _ in source.next() }))
    }
    return tensors
  }

  private static func madeUpShape(_ type: TensorType, _ sizes: inout [String: Int]) -> [Int] {
    type.shape.enumerated().map { axis, dimension in
      let usual = axis == 0 ? 1 : 32
      switch dimension {
      case .fixed(let value): return value
      case .unknown: return usual
      case .symbolic(let name):
        let size = sizes[name] ?? usual
        sizes[name] = size
        return size
      }
    }
  }

  /// Where no operator says it; `nil` for fractions.
  private static func usualLimit(_ type: ElementType) -> Int? {
    if type.isFloat { return nil }
    return type == .uint8 ? 256 : 2
  }

  /// For values whose elements are taken as indices, what they must stay below: at the operator
  /// itself, or behind operators that take nothing else, such as casts and reshapes.
  private var indexLimits: [ValueID: Int] {
    var limits: [ValueID: Int] = [:]
    for node in nodes.reversed() {
      for (position, id) in node.inputs.enumerated() where self[id].constant == nil {
        let passed = node.inputs.count == 1 ? node.outputs.compactMap { limits[$0] }.min() : nil
        guard let limit = limit(of: node, position) ?? passed else { continue }
        limits[id] = min(limits[id] ?? limit, max(1, limit))
      }
    }
    return limits
  }

  private func limit(of node: Node, _ position: Int) -> Int? {
    guard case .indices(_, let limit)? = node.operation.slot(position) else { return nil }
    switch limit {
    case .count(let count): return count
    case .size(let input, let axis):
      guard node.inputs.indices.contains(input) else { return nil }
      let shape = self[node.inputs[input]].type.shape
      return shape.indices.contains(axis) ? shape[axis].value : nil
    }
  }
}

/// The numbers of one made-up input.
private struct NumberSource {
  private let isRandom: Bool
  private let limit: Int?
  private var generator: SplitMix64

  /// - Parameter limit: What whole numbers stay below; `nil` for fractions.
  init(_ numbers: MadeUpNumbers, input: Int, limit: Int?) {
    self.limit = limit
    switch numbers {
    case .ones: (isRandom, generator) = (false, SplitMix64(seed: 0))
    case .random(let seed):
      (isRandom, generator) = (true, SplitMix64(seed: seed &+ UInt64(input)))
    }
  }

  mutating func next() -> Double {
    guard isRandom else { return Double(min(1, (limit ?? 2) - 1)) }
    guard let limit else { return Double(generator.next() >> 11) / 0x1p53 }
    return Double(Int.random(in: 0..<max(1, limit), using: &generator))
  }
}
