import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// An operation of a program that is being converted to nodes of the graph.
///
/// Inputs are marked as read; ``finish(_:)`` refuses those that were not.
struct MILLayer: ValueLayer {
  typealias Context = MILContext

  let operation: MILOperation
  /// The origin that its nodes record.
  let source: SourceScope
  /// The state that it shares with the other operations.
  var network: MILNetwork
  /// The lists among the results, in their order.
  var listOutputs: [MILContext.List] = []
  private let isInBlock: Bool
  private var unread: Set<String>

  /// - Parameter scope: The origin of an operation in a block of another, which runs several times.
  init(_ operation: MILOperation, scope: SourceScope? = nil, network: consuming MILNetwork) {
    (self.operation, self.network) = (operation, network)
    source = scope ?? Self.source(operation)
    isInBlock = scope != nil
    unread = Set(operation.inputs.map(\.name))
  }

  static func source(_ operation: MILOperation) -> SourceScope {
    SourceScope(layer: operation.outputs.first?.name ?? "", className: operation.type)
  }

  var outputNames: [String]? { isInBlock ? nil : operation.outputs.map(\.name) }

  mutating func finish(_ outputs: [SourceValue]) throws(WeighbridgeError) {
    if let name = unread.sorted().first {
      throw unsupported("has the input \(name), which is not known for \(operation.type)")
    }
    let tensors = operation.outputs.filter { !$0.type.isList }
    let lists = operation.outputs.filter(\.type.isList)
    guard tensors.count <= outputs.count, lists.count == listOutputs.count else {
      throw unsupported(
        "gives \(operation.outputs.count) results, and only \(outputs.count + listOutputs.count) can be read"
      )
    }
    for (declared, list) in zip(lists, listOutputs) {
      network.context.lists[declared.name] = list
    }
    for (declared, value) in zip(tensors, outputs) {
      let (stated, inferred) = (try TensorType(declared.type), type(value))
      let agrees =
        stated.elementType == inferred.elementType && stated.rank == inferred.rank
        && zip(stated.shape, inferred.shape).allSatisfy {
          $0.value == nil || $1.value == nil || $0 == $1
        }
      guard agrees else {
        throw malformed("gives \(inferred), and the program says that it is \(stated)")
      }
      try network.define(declared.name, value)
    }
  }
}

// Inputs, by their names in the operator's definition.
extension MILLayer {
  mutating func bindings(_ name: String) -> [MILOperation.Binding]? {
    unread.remove(name)
    if let input = operation.inputs.first(where: { $0.name == name }) { return input.bindings }
    // Compressed weights have attributes for inputs up to iOS 17.
    return operation.attributes.first { $0.name == name && name != "name" }
      .map { [.value($0.value)] }
  }

  /// Marks inputs as read that have no effect on a result.
  mutating func ignore(_ names: String...) { unread.subtract(names) }

  /// A list of values.
  mutating func inputs(_ name: String) throws(WeighbridgeError) -> [SourceValue] {
    guard let bindings = bindings(name) else {
      throw malformed("has no input \(name), which \(operation.type) takes")
    }
    return try bindings.enumerated().map { (position, binding) throws(WeighbridgeError) in
      try value(binding, name, position)
    }
  }

  func value(
    _ binding: MILOperation.Binding, _ name: String, _ position: Int
  ) throws(WeighbridgeError) -> SourceValue {
    switch binding {
    case .value(let value):
      let role = position == 0 ? name : "\(name)_\(position)"
      return newConstant(try network.context.files.tensor(value), role)
    case .name(let name):
      if let value = network.values[name] { return value }
      throw malformed(
        network.context.texts[name] == nil
          ? "takes \(name), which no operation before it gives"
          : "takes the text \(name), expected a tensor")
    }
  }

  /// An input that may be absent.
  mutating func optional(_ name: String) throws(WeighbridgeError) -> SourceValue? {
    guard bindings(name) != nil else { return nil }
    let values = try inputs(name)
    guard values.count == 1 else {
      throw malformed("has \(values.count) values for \(name), expected one")
    }
    return values[0]
  }

  mutating func input(_ name: String = "x") throws(WeighbridgeError) -> SourceValue {
    guard let value = try optional(name) else {
      throw malformed("has no input \(name), which \(operation.type) takes")
    }
    return value
  }

  /// The elements of an input that must be constant; `nil` when it is absent.
  mutating func constant(_ name: String) throws(WeighbridgeError) -> Tensor? {
    guard let value = try optional(name) else { return nil }
    guard let tensor = value.tensor else {
      throw unsupported(
        "the input \(name) of \(operation.type) is known only when the model runs, and only a "
          + "constant one can be read")
    }
    return tensor
  }

  mutating func integers(_ name: String) throws(WeighbridgeError) -> [Int]? {
    guard let tensor = try constant(name) else { return nil }
    guard tensor.elementType.isInteger else {
      throw malformed("has \(tensor.type) as its input \(name), and integers are expected")
    }
    return tensor.wholeNumbers
  }

  mutating func integer(_ name: String, default number: Int? = nil) throws(WeighbridgeError) -> Int
  {
    guard let numbers = try integers(name) else {
      if let number { return number }
      throw malformed("has no input \(name), which \(operation.type) takes")
    }
    guard numbers.count == 1 else { throw malformed("has \(numbers) as \(name), expected one") }
    return numbers[0]
  }

  mutating func number(_ name: String, default number: Double) throws(WeighbridgeError) -> Double {
    guard let tensor = try constant(name) else { return number }
    guard tensor.count == 1 else { throw malformed("has \(tensor.type) as \(name), expected one") }
    return tensor.doubles[0]
  }

  mutating func flag(_ name: String, default flag: Bool = false) throws(WeighbridgeError) -> Bool {
    guard let tensor = try constant(name) else { return flag }
    guard tensor.count == 1 else { throw malformed("has \(tensor.type) as \(name), expected one") }
    return tensor.doubles[0] != 0
  }

  mutating func flags(_ name: String, count: Int) throws(WeighbridgeError) -> [Bool] {
    guard let tensor = try constant(name) else { return [Bool](repeating: false, count: count) }
    guard tensor.count == count else {
      throw malformed("has \(tensor.type) as \(name), expected \(count) booleans")
    }
    return tensor.doubles.map { $0 != 0 }
  }

  /// A text, which is constant.
  mutating func text(_ name: String, default text: String? = nil) throws(WeighbridgeError) -> String
  {
    guard let bindings = bindings(name) else {
      if let text { return text }
      throw malformed("has no input \(name), which \(operation.type) takes")
    }
    let texts: [String]? =
      switch bindings.first {
      case .name(let name)?: network.context.texts[name]
      case .value(let value)?: value.texts
      case nil: nil
      }
    guard let texts, texts.count == 1 else { throw malformed("has no text as \(name)") }
    return texts[0]
  }

  /// An axis of a tensor, which is constant.
  mutating func axis(
    _ name: String = "axis", of value: SourceValue, default axis: Int? = nil
  ) throws(WeighbridgeError) -> Int {
    try self.axis(try integer(name, default: axis), rank: type(value).rank)
  }
}

extension MILValue {
  /// The texts of a constant; `nil` for numbers.
  var texts: [String]? {
    switch content {
    case .strings(let strings): strings
    case .list(let values):
      values.count == values.compactMap(\.texts).count
        ? values.flatMap { $0.texts ?? [] } : nil
    default: nil
    }
  }
}

extension MILType {
  /// Whether it is that of a list.
  fileprivate var isList: Bool { if case .list = self { true } else { false } }
}
