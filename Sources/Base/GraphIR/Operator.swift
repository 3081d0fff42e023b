package import Bytes

/// What a node computes: typed settings, and the rules that do not depend on elements.
///
/// The catalog's operators add the reference kernel and the mappings from and to other formats.
package protocol Operator: Sendable, Hashable {
  /// The operator's name in files, for example `convolution`.
  static var kind: String { get }
  /// The version, increased whenever stored operators would otherwise be misinterpreted.
  static var version: Int { get }

  /// The inputs, in order: data first, then weights.
  var inputs: [InputSlot] { get }

  /// The settings as they are stored.
  var attributes: Attributes { get }
  /// Creates the operator from stored settings. Reads every attribute and subgraph; the caller calls
  /// `finish`.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when a setting is missing or invalid.
  init(reading attributes: inout AttributeReader) throws(WeighbridgeError)

  /// The graphs that it runs, in the order in which they are stored; most operators run none.
  var subgraphs: [Subgraph] { get }

  /// The shape rule: the types of the outputs for given input types, including weights.
  ///
  /// - Parameter inputs: One for each slot; the caller has checked that.
  /// - Throws: When the inputs, the weights and the settings do not fit together.
  func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType]
}

/// One input of an operator.
package enum InputSlot: Hashable, Sendable {
  /// A tensor that flows through the model.
  case data(String)
  /// A tensor that flows through the model, whose elements are indices.
  case indices(String, below: IndexLimit)
  /// A constant of the model, in the canonical axis order that its operator documents.
  case weight(String)
  /// Any number of tensors, with a minimum; it must be the only slot.
  case variadic(String, atLeast: Int)

  /// The slot's name, for example `kernel`.
  package var name: String {
    switch self {
    case .data(let name), .indices(let name, _), .weight(let name), .variadic(let name, _): name
    }
  }
}

/// The exclusive upper bound of indices, which start at 0.
package enum IndexLimit: Hashable, Sendable {
  /// A number.
  case count(Int)
  /// The size of an axis of another input of the operator, given by its position.
  case size(ofInput: Int, axis: Int)
}

extension Operator {
  package var subgraphs: [Subgraph] { [] }

  /// The kind of this operator's type.
  package var kind: String { Self.kind }

  /// The slot of an input, by its position.
  package func slot(_ position: Int) -> InputSlot? {
    let slots = inputs
    if case .variadic = slots.first { return slots[0] }
    return position < slots.count ? slots[position] : nil
  }

  /// Checks the number of inputs, then applies the shape rule.
  package func checkedOutputTypes(of types: [TensorType]) throws(ShapeError) -> [TensorType] {
    let slots = inputs
    if case .variadic(let name, let minimum) = slots.first {
      guard types.count >= minimum else {
        throw ShapeError("needs at least \(minimum) \(name)s and has \(types.count)")
      }
    } else if types.count != slots.count {
      let names = slots.map(\.name).joined(separator: ", ")
      throw ShapeError("takes \(slots.count.counted("input")) (\(names)) and has \(types.count)")
    }
    return try outputTypes(of: types)
  }
}
