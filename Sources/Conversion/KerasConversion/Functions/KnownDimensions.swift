import Bytes
package import GraphIR
import JSON
import KerasFormat

/// What is known before the model runs about a value that consists of dimensions of others, such as
/// `tf.shape(x)`: their sizes, or their symbolic names.
package struct KnownDimensions: Sendable {
  /// The size of an axis of a value, plus a number.
  package struct Origin: Sendable {
    let value: ValueID
    let axis: Int
    var offset = 0
  }

  /// The dimensions, one when it is a scalar.
  package let dimensions: [Dimension]
  /// Where each dimension comes from, if that is the size of an axis.
  let origins: [Origin?]
  /// Whether it is a vector.
  package let isVector: Bool

  init(dimensions: [Dimension], origins: [Origin?]? = nil, isVector: Bool) {
    self.dimensions = dimensions
    self.origins = origins ?? dimensions.map { _ in nil }
    self.isVector = isVector
  }

  /// The dimensions of a value's axes.
  init(of value: ValueID, _ type: TensorType) {
    self.init(
      dimensions: type.shape, origins: type.shape.indices.map { Origin(value: value, axis: $0) },
      isVector: true)
  }

  /// Some of the dimensions, as a vector, or the only one as a scalar.
  func selecting(_ positions: [Int], isVector: Bool = true) -> KnownDimensions {
    KnownDimensions(
      dimensions: positions.map { dimensions[$0] }, origins: positions.map { origins[$0] },
      isVector: isVector)
  }

  /// The numbers, when all are known.
  var numbers: [Int]? {
    let numbers = dimensions.compactMap(\.value)
    return numbers.count == dimensions.count ? numbers : nil
  }
}

extension KerasFunction {
  /// The known dimensions of a term; `nil` for other terms.
  private func known(_ term: Term) -> KnownDimensions? {
    switch term {
    case .value(let value): layer.network.knownDimensions[value]
    case .constant(let constant):
      constant.shape.count > 1
        ? nil
        : KnownDimensions(
          dimensions: constant.numbers.map { Int(exactly: $0).map(Dimension.fixed) ?? .unknown },
          isVector: !constant.shape.isEmpty)
    }
  }

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
    layer.network.knownDimensions[result] = KnownDimensions(
      dimensions: dimensions, origins: terms.map { known($0)?.origins.first ?? nil },
      isVector: true)
  }

  /// Records the result of arithmetic on two dimensions, or on the elements of two vectors.
  mutating func noteArithmetic(
    _ terms: [Term], _ result: ValueID, _ combine: (Int, Int) -> (Int, Bool)
  ) {
    guard terms.count == 2, let lhs = known(terms[0]), let rhs = known(terms[1]),
      !layer.graph.type(of: result).elementType.isFloat
    else { return }
    let count = max(lhs.dimensions.count, rhs.dimensions.count)
    guard [1, count].contains(lhs.dimensions.count), [1, count].contains(rhs.dimensions.count)
    else { return }
    var dimensions: [Dimension] = []
    var origins: [KnownDimensions.Origin?] = []
    for index in 0..<count {
      let (first, second) = (index % lhs.dimensions.count, index % rhs.dimensions.count)
      let pair = (lhs.dimensions[first], rhs.dimensions[second])
      var dimension = Dimension.unknown
      if let lhs = pair.0.value, let rhs = pair.1.value {
        let (number, overflow) = combine(lhs, rhs)
        if !overflow { dimension = .fixed(number) }
      }
      dimensions.append(dimension)
      origins.append(
        Self.origin(lhs.origins[first], pair.0, rhs.origins[second], pair.1, combine))
    }
    layer.network.knownDimensions[result] = KnownDimensions(
      dimensions: dimensions, origins: origins, isVector: lhs.isVector || rhs.isVector)
  }

  /// The origin of a size plus or minus a number, or a number plus a size; `nil` for other results.
  private static func origin(
    _ lhs: KnownDimensions.Origin?, _ first: Dimension, _ rhs: KnownDimensions.Origin?,
    _ second: Dimension, _ combine: (Int, Int) -> (Int, Bool)
  ) -> KnownDimensions.Origin? {
    func shifted(_ origin: KnownDimensions.Origin, _ number: Int, _ isFirst: Bool)
      -> KnownDimensions.Origin?
    {
      // Whether the result is the size plus one number shows in sizes of all magnitudes.
      let sizes = [0, 1, 2, 1000, 1 << 40]
      let differences = sizes.map { size -> Int? in
        let (result, overflow) = isFirst ? combine(size, number) : combine(number, size)
        let (difference, isTooSmall) = result.subtractingReportingOverflow(size)
        return overflow || isTooSmall ? nil : difference
      }
      guard let offset = differences[0], differences.allSatisfy({ $0 == offset }),
        offset.magnitude <= 1 << 24
      else { return nil }
      var origin = origin
      origin.offset += offset
      return origin
    }
    if let lhs, first.value == nil, let number = second.value { return shifted(lhs, number, true) }
    if let rhs, second.value == nil, let number = first.value { return shifted(rhs, number, false) }
    return nil
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
