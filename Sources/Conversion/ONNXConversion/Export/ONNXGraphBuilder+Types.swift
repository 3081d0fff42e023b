import Bytes
import ConversionCore
import GraphIR
import ONNXFormat

/// The types that a node takes. Where an operator does not take the type of a value, the node computes
/// in a wider type between casts.
extension ONNXGraphBuilder {
  /// The types of a node's values: in the model, and those in which the node computes.
  struct NodeTypes {
    /// The types to which inputs are cast, by their positions.
    var inputCasts: [Int: ElementType] = [:]
    /// The types of the outputs in the model; `nil` for those that are not known.
    var outputs: [ElementType?] = []
    /// The types that the node gives instead, by the positions of the outputs.
    var computedOutputs: [Int: ElementType] = [:]
  }

  /// The types in which elements of another type may be computed, in order of preference: they hold
  /// all its values, and conversion back rounds or wraps once.
  private static let widerTypes: [ElementType: [ElementType]] = [
    .bfloat16: [.float32, .float64], .float16: [.float32, .float64], .bool: [.uint8, .int32],
    .int8: [.int32, .int64], .uint8: [.int32, .int64], .int16: [.int32, .int64],
    .uint16: [.int32, .int64], .int32: [.int64], .uint32: [.int64],
  ]

  /// A type and the wider ones in which its elements may be computed.
  private static func sufficientTypes(_ type: ElementType) -> [ElementType] {
    [type] + (widerTypes[type] ?? [])
  }

  /// Whether onnxruntime computes an operator with elements of the first input's type, or of a wider one.
  func runs(_ operation: String) -> Bool {
    guard let signature = ONNXSignature.of(operation, opset: opset),
      case .variable(let variable) = signature.input(0)
    else { return true }
    let runnable = signature.runnable[variable] ?? []
    return Self.sufficientTypes(elementType).contains(where: runnable.contains)
  }

  /// Returns the element type of a value; `nil` if it is not known.
  func elementType(of name: String) -> ElementType? {
    types[name] ?? operands.first { $0.name == name }?.type.elementType
  }

  /// Returns the types of a node.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the operator does not take the types and no
  ///   wider ones either, or the opset does not have the operator.
  func types(
    of operation: String, _ inputs: [String],
    _ attributes: [(name: String, value: ONNXAttribute)], outputCount: Int
  ) throws(WeighbridgeError) -> NodeTypes {
    guard let signature = ONNXSignature.of(operation, opset: opset) else {
      let first = ONNXSignature.firstOpset(of: operation).map { " from opset \($0) on" } ?? ""
      throw .unsupported(
        "becomes a \(operation), which ONNX has\(first) (\(APIName.exportOpset)), and opset \(opset) is written"
      )
    }
    var result = NodeTypes()
    var variables: [String: (actual: ElementType, computed: ElementType)] = [:]
    for (position, name) in inputs.enumerated() where !name.isEmpty {
      guard let type = elementType(of: name) else { continue }
      switch signature.input(position) {
      case .any: break
      case .type(let expected): if type != expected { result.inputCasts[position] = expected }
      case .variable(let variable):
        if variables[variable] == nil {
          variables[variable] = (type, try computedType(of: type, variable, operation, signature))
        }
        if let computed = variables[variable]?.computed, computed != type {
          result.inputCasts[position] = computed
        }
      }
    }
    // onnxruntime has only exponents of their bases' type.
    if operation == "Pow", let base = variables["T"]?.computed, inputs.count == 2 {
      result.inputCasts[1] = elementType(of: inputs[1]) == base ? nil : base
    }
    for position in 0..<outputCount {
      switch signature.output(position) {
      case .type(let type): result.outputs.append(type)
      case .variable(let name):
        let variable = variables[name]
        result.outputs.append(variable?.actual ?? givenType(operation, attributes))
        if let variable, variable.actual != variable.computed {
          result.computedOutputs[position] = variable.computed
        }
      case .any:
        result.outputs.append(operation == "Scan" ? inputs.first.flatMap(elementType(of:)) : nil)
      }
    }
    return result
  }

  /// The type in which an operator computes with elements of a type.
  private func computedType(
    of type: ElementType, _ variable: String, _ operation: String, _ signature: ONNXSignature
  ) throws(WeighbridgeError) -> ElementType {
    let possible = signature.variables[variable] ?? []
    // A type with which onnxruntime computes, if there is one; else any that ONNX has.
    for types in [signature.runnable[variable] ?? [], possible] {
      if let type = Self.sufficientTypes(type).first(where: types.contains) { return type }
    }
    let names = possible.map(\.rawValue)
    throw .unsupported(
      "becomes a \(operation) of \(type.rawValue), and ONNX's opset \(opset) has it for "
        + "\(String.listing(names)) only")
  }

  /// The type of an output that no input determines.
  private func givenType(
    _ operation: String, _ attributes: [(name: String, value: ONNXAttribute)]
  ) -> ElementType? {
    for case ("to", .integer(let number)) in attributes { return ElementType(onnxNumber: number) }
    return operation == "ConstantOfShape" ? .float32 : nil
  }

  /// The type in which loops carry values of a type.
  ///
  /// - Parameter operation: The loop or branch.
  func loopType(
    _ type: ElementType, of operation: String = "Scan"
  ) throws(WeighbridgeError) -> ElementType {
    guard let signature = ONNXSignature.of(operation, opset: opset) else { return type }
    return try computedType(of: type, "V", operation, signature)
  }

  /// Adds a node that casts a value to a type, as a value of a given name.
  mutating func addCast(_ input: String, to type: ElementType, named output: String) {
    nodes.append(
      ONNXNode(
        name: unusedName("\(output)/Cast"), operation: "Cast", inputs: [input], outputs: [output],
        attributes: [("to", .integer(Int(type.onnxNumber)))]))
  }
}
