import Bytes
package import GraphIR
import JSON
import KerasFormat

/// What is known before the model runs about a value that consists of dimensions of others, such as
/// `tf.shape(x)`: their sizes, or their symbolic names.
package struct KnownDimensions: Sendable {
  /// The dimensions, one when it is a scalar.
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
  /// The known dimension of a scalar term; `nil` for other terms.
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

  /// Records a constant of integers, which may become dimensions.
  mutating func noteConstant(_ tensor: Tensor, _ value: ValueID) {
    guard !tensor.elementType.isFloat, tensor.elementType != .bool, tensor.shape.count <= 1,
      tensor.count <= 32
    else { return }
    layer.network.knownDimensions[value] = KnownDimensions(
      dimensions: tensor.doubles.map { Int(exactly: $0).map(Dimension.fixed) ?? .unknown },
      isVector: tensor.shape.count == 1)
  }

  /// Records stacked dimensions.
  mutating func noteStack(_ terms: [Term], _ result: ValueID) {
    guard terms.contains(where: { if case .value = $0 { true } else { false } }) else { return }
    let dimensions = terms.compactMap(dimension)
    guard dimensions.count == terms.count else { return }
    layer.network.knownDimensions[result] = KnownDimensions(dimensions: dimensions, isVector: true)
  }

  /// Records the result of arithmetic on two dimensions.
  mutating func noteArithmetic(
    _ terms: [Term], _ result: ValueID, _ combine: (Int, Int) -> (Int, Bool)
  ) {
    guard terms.count == 2, let lhs = dimension(terms[0]), let rhs = dimension(terms[1]),
      !layer.graph.type(of: result).elementType.isFloat
    else { return }
    var dimension = Dimension.unknown
    if let lhs = lhs.value, let rhs = rhs.value {
      let (number, overflow) = combine(lhs, rhs)
      if !overflow { dimension = .fixed(number) }
    }
    layer.network.knownDimensions[result] = KnownDimensions(
      dimensions: [dimension], isVector: false)
  }

  /// The dimensions that an argument requests. A dimension that is known only as that of a tensor
  /// keeps its name; -1 or null means the remaining size.
  func dimensions(_ operand: KerasOperand) throws(WeighbridgeError) -> [RequestedDimension] {
    switch operand {
    case .tensor(let input):
      let value = try value(input)
      guard let known = layer.network.knownDimensions[value] else {
        throw .unsupported("a shape is a tensor whose numbers are not known before the model runs")
      }
      return known.dimensions.map(RequestedDimension.init)
    case .value(let json):
      if json == .null { return [.inferred] }
      if let one = json.integer { return [one == -1 ? .inferred : .dimension(.fixed(one))] }
      let constant = try plain(operand, as: "shape")
      guard let list = constant.array else { throw .unsupported("\(json.text()) is not a shape") }
      var result: [RequestedDimension] = []
      for part in list { result += try dimensions(.value(part)) }
      return result
    case .list(let parts):
      var result: [RequestedDimension] = []
      for part in parts { result += try dimensions(part) }
      return result
    case .dictionary: throw .unsupported("a dictionary is not a shape")
    }
  }
}

/// A dimension in a shape that is an argument of a function.
enum RequestedDimension: Equatable {
  case dimension(Dimension)
  case inferred

  /// Creates a request from a dimension; the number -1 means the remaining size.
  init(_ dimension: Dimension) { self = dimension.value == -1 ? .inferred : .dimension(dimension) }
}
