import Bytes
import GraphIR

/// Operators with shape rules only, for the graphs of tests.
struct Sum: Operator {
  static let kind = "test_sum"
  static let version = 1
  var inputs: [InputSlot] { [.data("first"), .data("second")] }
  var attributes: Attributes { [:] }
  init() {}
  init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {}

  func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].agrees(with: inputs[1]) else { throw ShapeError("the summands differ") }
    return [
      inputs[0].with(shape: zip(inputs[0].shape, inputs[1].shape).map { $0.merged(with: $1) })
    ]
  }
}

/// Any number of tensors, each of which is an output.
struct Passing: Operator {
  static let kind = "test_passing"
  static let version = 1
  var inputs: [InputSlot] { [.variadic("tensor", atLeast: 2)] }
  var attributes: Attributes { [:] }
  init() {}
  init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {}
  func outputTypes(of inputs: [TensorType]) -> [TensorType] { inputs }
}

/// Rows of a table, by their indices.
struct Rows: Operator {
  static let kind = "test_rows"
  static let version = 1
  var inputs: [InputSlot] {
    [.indices("index", below: .size(ofInput: 1, axis: 0)), .weight("table")]
  }
  var attributes: Attributes { [:] }
  init() {}
  init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {}

  func outputTypes(of inputs: [TensorType]) -> [TensorType] {
    [inputs[1].with(shape: inputs[0].shape + inputs[1].shape.dropFirst())]
  }
}

/// A cast to another element type.
struct Casting: Operator {
  static let kind = "test_casting"
  static let version = 1
  let elementType: ElementType
  var inputs: [InputSlot] { [.data("input")] }
  var attributes: Attributes { ["element_type": .string(elementType.rawValue)] }
  init(to elementType: ElementType) { self.elementType = elementType }
  init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    guard let elementType = ElementType(rawValue: try attributes.string("element_type")) else {
      throw attributes.malformed("the element type is not known")
    }
    self.elementType = elementType
  }

  func outputTypes(of inputs: [TensorType]) -> [TensorType] {
    [TensorType(elementType, inputs[0].shape)]
  }
}

extension SourceScope {
  /// A layer of that name.
  static func layer(_ name: String) -> SourceScope { SourceScope(layer: name, className: "Test") }
}
