import Bytes
import GraphIR
import LayerCatalog

/// Sums of a cell: products of constant matrices with values, and constants.
struct TFLiteGateSums {
  /// Values `[batch, features]`, and the matrices `[sums, features]` that they are multiplied by.
  var products: [(factor: ValueID, kernel: Tensor)] = []
  /// Constants `[sums]`.
  var biases: [Tensor] = []

  /// Some of the sums.
  func rows(_ range: Range<Int>) -> TFLiteGateSums {
    TFLiteGateSums(
      products: products.map { ($0.factor, $0.kernel.slice(range, along: 0)) },
      biases: biases.map { $0.slice(range, along: 0) })
  }

  /// The matrix of a value, if it is the only one of its products.
  func kernel(of factor: ValueID) -> Tensor? {
    products.count == 1 && products[0].factor == factor ? products[0].kernel : nil
  }
}

/// Finds what sums in the body of a loop consist of.
struct TFLiteGateReader {
  let body: TFLiteLoopGraph
  /// The step's element of the sequence, which may be a term as it is.
  let element: ValueID
  /// How many more values are followed: what it reads is small.
  private var budget = 1024
  /// The largest number of sums that are terms as they are.
  private static let maximumWidth = 1 << 12

  init(_ body: TFLiteLoopGraph, element: ValueID) { (self.body, self.element) = (body, element) }

  /// Returns the terms of `[batch, sums]`; `nil` when it is computed in another way.
  mutating func sums(_ id: ValueID) -> TFLiteGateSums? {
    budget -= 1
    guard budget > 0, body.type(id).rank == 2, let width = body.type(id).shape[1].value else {
      return nil
    }
    if id == element { return identity(width) }
    guard let (operation, inputs) = body.producer(id) else { return nil }
    switch operation {
    case let dense as Dense:
      guard var sums = products(inputs[0], body.constant(inputs[1])) else { return nil }
      guard dense.hasBias else { return sums }
      guard let bias = body.constant(inputs[2]) else { return nil }
      sums.biases.append(bias)
      return sums
    case let product as MatMul:
      guard !product.transposeA, let kernel = body.constant(inputs[1]), kernel.shape.count == 2
      else { return nil }
      return products(inputs[0], product.transposeB ? kernel : kernel.permuted([1, 0]))
    case is Add: return total(inputs, width)
    case let split as Split:
      guard split.axis == 1, let output = body.producer(id, Split.self)?.output else { return nil }
      let start = split.sizes[..<output].reduce(0, +)
      return sums(inputs[0])?.rows(start..<start + split.sizes[output])
    case let slice as Slice:
      let ranges = slice.ranges.filter { $0.axis != 0 || !$0.isWhole }
      guard ranges.count == 1, let range = ranges.first, range.axis == 1, range.step == 1,
        range.start >= 0, let whole = body.type(inputs[0]).shape[1].value,
        range.start <= whole - width
      else { return nil }
      return sums(inputs[0])?.rows(range.start..<range.start + width)
    case is Identity, is Reshape, is ReshapeAxes:
      return body.type(inputs[0]) == body.type(id) ? sums(inputs[0]) : nil
    default: return nil
    }
  }

  private mutating func total(_ terms: [ValueID], _ width: Int) -> TFLiteGateSums? {
    var result = TFLiteGateSums()
    for term in terms {
      if let constant = body.constant(term) {
        guard constant.count == 1 || constant.count == width, constant.shape.last == constant.count
        else { return nil }
        result.biases.append(constant.reshaped([constant.count]).broadcast(to: [width]))
        continue
      }
      guard body.type(term).shape.last?.value == width, let sums = sums(term) else { return nil }
      result.products += sums.products
      result.biases += sums.biases
    }
    return result
  }

  /// Products of a matrix with a value, or with the values that are joined in it.
  private func products(_ factor: ValueID, _ kernel: Tensor?) -> TFLiteGateSums? {
    guard let kernel, kernel.shape.count == 2 else { return nil }
    guard let (join, parts, _) = body.producer(factor, Concatenate.self) else {
      return TFLiteGateSums(products: [(factor, kernel)])
    }
    guard join.axis == 1 else { return nil }
    var (result, start) = (TFLiteGateSums(), 0)
    for part in parts {
      guard let width = body.type(part).shape.last?.value, start + width <= kernel.shape[1] else {
        return nil
      }
      result.products.append((part, kernel.slice(start..<start + width, along: 1)))
      start += width
    }
    return result
  }

  private func identity(_ width: Int) -> TFLiteGateSums? {
    guard width <= Self.maximumWidth else { return nil }
    return TFLiteGateSums(products: [(element, Tensor.identity(width))])
  }
}

extension Tensor {
  /// The matrix that changes no vector.
  static func identity(_ width: Int) -> Tensor {
    var numbers = [Double](repeating: 0, count: width * width)
    for index in 0..<width { numbers[index * width + index] = 1 }
    return Tensor(.float32, shape: [width, width], numbers)
  }
}
