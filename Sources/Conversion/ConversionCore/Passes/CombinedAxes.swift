package import GraphIR
import LayerCatalog

extension Operator {
  /// The axes of an input along which this operator combines, selects, repeats or reorders
  /// elements. Along any other axis, each index of the output is computed from one index of the
  /// input.
  ///
  /// - Parameters:
  ///   - position: The position of the input.
  ///   - rank: The number of its axes.
  package func combinedAxes(ofInput position: Int, rank: Int) -> [Int] {
    let operation: any Operator = self
    switch operation {
    case is any ImageOperator, is any RecurrentOperator, is any AttentionOperator, is ConvLSTM,
      is GroupNormalization, is AutoContrast, is CLAHE:
      // Axis 0 is the batch, and they combine elements within an example.
      return Array(1..<max(1, rank))
    case is Concatenate: return storedAxes
    default: return position == 0 ? operation.combinedAxes(rank: rank) : []
    }
  }

  /// The axes of the first input, for an operator that does not treat axis 0 as the batch.
  private func combinedAxes(rank: Int) -> [Int] {
    let operation: any Operator = self
    switch operation {
    case let slice as Slice: return slice.ranges.filter { !$0.isUnlimited }.map(\.axis)
    case let tile as Tile: return tile.counts.indices.filter { tile.counts[$0] != 1 }
    case let pad as Pad:
      return pad.before.indices.filter { pad.before[$0] > 0 || pad.after[$0] > 0 }
    case let product as MatMul: return [product.transposeA ? rank - 2 : rank - 1]
    case let dense as EinsumDense:
      let letters = dense.input.letters
      return letters.indices.filter { !dense.output.letters.contains(letters[$0]) }
    case let dot as Dot: return [dot.firstAxis]
    case is STFT, is CategoryEncoding, is Masking: return [rank - 1]
    // Their axes are those of the output, or are only moved.
    case is ExpandDims, is OneHot, is Squeeze, is Transpose: return []
    default: return storedAxes
    }
  }

  /// The axes in the attributes, which have the same names in all operators that work along axes.
  private var storedAxes: [Int] {
    switch (attributes["axis"], attributes["axes"]) {
    case (.integer(let axis)?, _): [axis]
    case (_, .integers(let axes)?): axes
    default: []
    }
  }
}

extension Slice.Range {
  /// Whether it takes all elements in order, however many there are: some tools write the largest
  /// 32-bit integer for an end that is not given.
  fileprivate var isUnlimited: Bool { step == 1 && start == 0 && stop >= Int(Int32.max) }
}
