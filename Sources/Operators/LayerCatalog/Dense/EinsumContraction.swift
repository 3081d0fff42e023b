import Bytes
import GraphIR

/// The contraction of the input of ``EinsumDense`` with its kernel, with the axes grouped by the
/// tensors that have them.
struct EinsumContraction {
  /// The axes of input, kernel and output.
  private let shared: [Character]
  /// The axes of input and output only.
  private let free: [Character]
  /// The axes of kernel and output only.
  private let new: [Character]
  /// The axes of input and kernel only, which are summed over.
  private let contracted: [Character]
  /// The axes of the input only, which are summed over.
  private let summed: [Character]
  private let input: AxisLabels
  private let kernel: AxisLabels
  private let output: AxisLabels

  init(input: AxisLabels, kernel: AxisLabels, output: AxisLabels) {
    let (inKernel, inOutput) = (Set(kernel.letters), Set(output.letters))
    shared = input.letters.filter { inKernel.contains($0) && inOutput.contains($0) }
    free = input.letters.filter { !inKernel.contains($0) && inOutput.contains($0) }
    contracted = input.letters.filter { inKernel.contains($0) && !inOutput.contains($0) }
    summed = input.letters.filter { !inKernel.contains($0) && !inOutput.contains($0) }
    new = kernel.letters.filter { !input.letters.contains($0) }
    (self.input, self.kernel, self.output) = (input, kernel, output)
  }

  /// Returns the sums of the products of the input's elements and the kernel's weights, with the
  /// output's axes, as float64.
  func apply(to elements: Tensor, _ weights: Tensor, workers: Workers) -> Tensor {
    var dimensions: [Character: Int] = [:]
    for (letter, dimension) in zip(input.letters, elements.shape) { dimensions[letter] = dimension }
    for (letter, dimension) in zip(kernel.letters, weights.shape) { dimensions[letter] = dimension }
    func size(_ letters: [Character]) -> Int { letters.reduce(1) { $0 * (dimensions[$1] ?? 1) } }
    let rows = transposed(elements, input, shared + free + contracted + summed).doubles
    let columns = transposed(weights, kernel, shared + new + contracted).doubles
    let product = MatrixProduct(
      count: size(shared), rowCount: size(free), columnCount: size(new), length: size(contracted))
    let vectors = Self.sums(
      rows, count: product.count * product.rowCount * product.length, of: size(summed))
    let sums = product.elements(vectors, columns, workers: workers)
    let order = shared + free + new
    let result = Tensor(.float64, shape: order.map { dimensions[$0] ?? 1 }, sums)
    return result.permuted(output.letters.compactMap(order.firstIndex))
  }

  private func transposed(
    _ tensor: Tensor, _ labels: AxisLabels, _ order: [Character]
  ) -> Tensor {
    tensor.permuted(order.compactMap(labels.letters.firstIndex))
  }

  /// Returns `count` sums of `length` consecutive elements each.
  private static func sums(_ numbers: [Double], count: Int, of length: Int) -> [Double] {
    if length == 1 { return numbers }
    return (0..<count).map { numbers[$0 * length..<($0 + 1) * length].reduce(0, +) }
  }
}
