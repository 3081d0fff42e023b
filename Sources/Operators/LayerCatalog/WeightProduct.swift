package import GraphIR

/// A product of an operator's weight, as a matrix, with vectors of its data.
package struct WeightProduct: Sendable {
  /// The source of the vectors.
  package enum Vectors: Sendable {
    /// One for each index of a data input's other axes, along these axes, ascending.
    case axes(input: Int, [Int])
    /// The elements of an input in each window, `[channels, window...]`; the channels are split
    /// into groups.
    case windows(input: Int, Window, DataLayout, groups: Int)
    /// Computed inside the operator, such as the state of a recurrent cell.
    case hidden
  }

  /// The weight's index among the inputs.
  package let weight: Int
  /// The weight's axes that index outputs.
  package let outputAxes: [Int]
  /// The weight's axes along the vectors, in order.
  package let inputAxes: [Int]
  /// The vectors.
  package let vectors: Vectors

  /// Creates a product.
  package init(weight: Int, outputAxes: [Int], inputAxes: [Int], vectors: Vectors) {
    self.weight = weight
    self.outputAxes = outputAxes
    self.inputAxes = inputAxes
    self.vectors = vectors
  }
}

/// An operator that multiplies weights by vectors of its data.
package protocol WeightMultiplyingOperator: CatalogOperator {
  /// The products with its weights.
  ///
  /// - Parameter types: The types of its inputs.
  func weightProducts(_ types: [TensorType]) -> [WeightProduct]
}

extension Convolution: WeightMultiplyingOperator {
  package func weightProducts(_ types: [TensorType]) -> [WeightProduct] {
    [
      WeightProduct(
        weight: 1, outputAxes: [0], inputAxes: Array(1..<types[1].rank),
        vectors: .windows(input: 0, window, layout, groups: groups))
    ]
  }
}

extension TransposedConvolution: WeightMultiplyingOperator {
  package func weightProducts(_ types: [TensorType]) -> [WeightProduct] {
    [
      WeightProduct(
        weight: 1, outputAxes: Array(1..<types[1].rank), inputAxes: [0],
        vectors: groups == 1
          ? .axes(input: 0, [layout.channelAxis(rank: types[0].rank)]) : .hidden)
    ]
  }
}

extension Dense: WeightMultiplyingOperator {
  package func weightProducts(_ types: [TensorType]) -> [WeightProduct] {
    [
      WeightProduct(
        weight: 1, outputAxes: [0], inputAxes: [1],
        vectors: .axes(input: 0, [types[0].rank - 1]))
    ]
  }
}

extension EinsumDense: WeightMultiplyingOperator {
  package func weightProducts(_ types: [TensorType]) -> [WeightProduct] {
    let axes = Array(kernel.letters.enumerated())
    let isSummed = { (letter: Character) in !self.output.letters.contains(letter) }
    let summed = input.letters.indices.filter { isSummed(input.letters[$0]) }
    // Along an axis of input, kernel and output there is a separate matrix for each index; an axis
    // that only the input has is summed over before the product.
    let isPlain = input.letters.allSatisfy { kernel.letters.contains($0) == isSummed($0) }
    return [
      WeightProduct(
        weight: 1, outputAxes: axes.filter { !isSummed($0.element) }.map(\.offset),
        inputAxes: axes.filter { isSummed($0.element) }.map(\.offset),
        vectors: isPlain ? .axes(input: 0, summed) : .hidden)
    ]
  }
}

extension MatMul: WeightMultiplyingOperator {
  package func weightProducts(_ types: [TensorType]) -> [WeightProduct] {
    let rank = types[0].rank
    return [(weight: 0, isTransposed: transposeA), (weight: 1, isTransposed: !transposeB)].map {
      let other = 1 - $0.weight
      let inner = $0.isTransposed ? rank - 2 : rank - 1
      let isOtherTransposed = other == 0 ? transposeA : !transposeB
      let hasMatrices = types[$0.weight].shape.dropLast(2).contains { $0 != 1 }
      return WeightProduct(
        weight: $0.weight, outputAxes: (0..<rank).filter { $0 != inner }, inputAxes: [inner],
        vectors: hasMatrices
          ? .hidden : .axes(input: other, [isOtherTransposed ? rank - 2 : rank - 1]))
    }
  }
}

extension RecurrentOperator {
  package func weightProducts(_ types: [TensorType]) -> [WeightProduct] {
    let dataCount = inputs.prefix { if case .data = $0 { true } else { false } }.count
    return [
      WeightProduct(
        weight: dataCount, outputAxes: [0], inputAxes: [1], vectors: .axes(input: 0, [2])),
      WeightProduct(weight: dataCount + 1, outputAxes: [0], inputAxes: [1], vectors: .hidden),
    ]
  }
}
