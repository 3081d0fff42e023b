import GraphIR

/// The weights of a recurrent cell in the form that the steps of the reference kernel use.
struct RecurrentWeights: Sendable {
  /// The kernel for the input.
  private let kernel: CellMatrix
  private let inputBias: [Double]
  /// The kernel for the state.
  let recurrentKernel: CellMatrix
  /// The bias for the products with the state.
  let recurrentBias: [Double]

  /// - Parameter weights: Kernel, recurrent kernel, and the bias, if any.
  init(_ weights: [Tensor], bias: RecurrentBias) {
    kernel = CellMatrix(weights[0])
    recurrentKernel = CellMatrix(weights[1])
    let sums = weights[0].shape[0]
    let zeros = [Double](repeating: 0, count: sums)
    let numbers = bias == .none ? zeros : weights[2].doubles
    inputBias = Array(numbers[..<sums])
    recurrentBias = bias == .separate ? Array(numbers[sums...]) : zeros
  }

  /// Returns the input's contribution to the sums of all gates, with its bias.
  func inputSums(_ input: ArraySlice<Double>) -> [Double] {
    var sums = inputBias
    kernel.add(product: input, rows: 0..<sums.count, to: &sums)
    return sums
  }

  /// Returns a state's contribution to the sums of some gates, with its bias.
  func stateSums(_ state: [Double], rows: Range<Int>) -> [Double] {
    var sums = Array(recurrentBias[rows])
    recurrentKernel.add(product: state[...], rows: rows, to: &sums)
    return sums
  }
}

/// A matrix `[out, in]`, stored column by column, as a product with a vector reads it.
struct CellMatrix: Sendable {
  private let outCount: Int
  private let columns: [Double]

  init(_ matrix: Tensor) {
    outCount = matrix.shape[0]
    columns = matrix.permuted([1, 0]).doubles
  }

  /// Adds some rows of the product with a vector to as many sums.
  func add(product vector: ArraySlice<Double>, rows: Range<Int>, to sums: inout [Double]) {
    var target = sums.mutableSpan
    for (index, element) in vector.enumerated() {
      let start = index * outCount + rows.lowerBound
      let column = columns.span.extracting(start..<start + rows.count)
      for row in 0..<rows.count { target[row] += element * column[row] }
    }
  }
}
