import Bytes
package import GraphIR
import JSON
import KerasFormat

/// What is known before the model runs about a value that consists of sizes of others, such as
/// `tf.shape(x)`: the numbers, or the axes that they belong to.
package struct KnownDimensions: Sendable {
  /// The sizes, one when it is a scalar.
  package let dimensions: [Dimension]
  /// Whether it is a vector.
  package let isVector: Bool

  /// The numbers, when all are known.
  var numbers: [Int]? {
    let numbers = dimensions.compactMap(\.value)
    return numbers.count == dimensions.count ? numbers : nil
  }
}

extension KerasFunction {
  /// The known size of a scalar term; `nil` for others.
  func dimension(_ term: Term) -> Dimension? {
    switch term {
    case .value(let value):
      guard let known = layer.network.knownDimensions[value], !known.isVector else { return nil }
      return known.dimensions[0]
    case .constant(let constant):
      guard constant.shape.isEmpty, let number = Int(exactly: constant.numbers[0]) else {
        return nil
      }
      return .fixed(number)
    }
  }

  /// Records integers that may become sizes.
  mutating func noteConstant(_ tensor: Tensor, _ value: ValueID) {
    guard !tensor.elementType.isFloat, tensor.elementType != .bool, tensor.shape.count <= 1,
      tensor.count <= 32
    else { return }
    layer.network.knownDimensions[value] = KnownDimensions(
      dimensions: tensor.doubles.map { Int(exactly: $0).map(Dimension.fixed) ?? .unknown },
      isVector: tensor.shape.count == 1)
  }

  /// Records stacked sizes.
  mutating func noteStack(_ terms: [Term], _ result: ValueID) {
    guard terms.contains(where: { if case .value = $0 { true } else { false } }) else { return }
    let dimensions = terms.compactMap(dimension)
    guard dimensions.count == terms.count else { return }
    layer.network.knownDimensions[result] = KnownDimensions(dimensions: dimensions, isVector: true)
  }

  /// Records the result of arithmetic on two sizes.
  mutating func noteArithmetic(
    _ terms: [Term], _ result: ValueID, _ combine: (Int, Int) -> (Int, Bool)
  ) {
    guard terms.count == 2, let first = dimension(terms[0]), let second = dimension(terms[1]),
      !layer.graph.type(of: result).elementType.isFloat
    else { return }
    var dimension = Dimension.unknown
    if let first = first.value, let second = second.value {
      let (number, overflow) = combine(first, second)
      if !overflow { dimension = .fixed(number) }
    }
    layer.network.knownDimensions[result] = KnownDimensions(
      dimensions: [dimension], isVector: false)
  }

  /// The sizes that an argument requests; an axis that is only known as that of a tensor keeps its
  /// name, and -1 or null means the remaining size.
  func dimensions(_ operand: KerasOperand) throws(WeighbridgeError) -> [RequestedDimension] {
    switch operand {
    case .tensor(let input):
      let value = try value(input)
      guard let known = layer.network.knownDimensions[value] else {
        throw .unsupported("a shape is a tensor whose numbers are not known before the model runs")
      }
      return known.dimensions.map(RequestedDimension.init)
    case .value(let json):
      if json == .null { return [.rest] }
      if let one = json.integer { return [one == -1 ? .rest : .dimension(.fixed(one))] }
      let constant = try plain(operand, as: "shape")
      guard let list = constant.array else { throw .unsupported("\(json.text()) is no shape") }
      var result: [RequestedDimension] = []
      for part in list { result += try dimensions(.value(part)) }
      return result
    case .list(let parts):
      var result: [RequestedDimension] = []
      for part in parts { result += try dimensions(part) }
      return result
    case .dictionary: throw .unsupported("a dictionary is no shape")
    }
  }
}

/// A size requested from a function.
enum RequestedDimension: Equatable {
  case dimension(Dimension)
  case rest

  /// Makes a request from a known number, where -1 means the remaining size, or from the size of
  /// some axis.
  init(_ dimension: Dimension) { self = dimension.value == -1 ? .rest : .dimension(dimension) }
}
