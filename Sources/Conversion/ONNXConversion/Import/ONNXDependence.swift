import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// The model inputs that determine a value which should have been constant.
struct ONNXDependence {
  /// Inputs that are a single number.
  private var numbers: Set<String> = []
  /// Inputs with a relevant open size.
  private var sizes: Set<String> = []
  /// Inputs whose elements are relevant.
  private var contents: Set<String> = []
  /// A number that appears in a comparison.
  private var example: Double?

  /// - Parameter value: A value that is known only when the model runs.
  init(of value: ONNXValue, _ network: ONNXNetwork) {
    switch value {
    case .computed(let id): follow(id, network)
    case .constant: break
    case .dimensions(let dimensions, _, _):
      for case .axis(let id, _, _) in dimensions { sizes.formUnion(Self.openInputs(id, network)) }
    }
  }

  private mutating func follow(_ id: ValueID, _ network: ONNXNetwork) {
    var (stack, seen) = ([id], Set([id]))
    while let id = stack.popLast() {
      if let name = network.inputNames[id] {
        let isNumber = network.graph.type(of: id).shape.allSatisfy { $0.value == 1 }
        if isNumber { numbers.insert(name) } else { contents.insert(name) }
      }
      guard let (operation, inputs) = network.makers[id] else { continue }
      if operation is Shape {
        sizes.formUnion(Self.openInputs(inputs[0], network))
        continue
      }
      if operation is Comparison {
        let constants = inputs.compactMap { network.graph.constant(of: $0) }
        example = example ?? constants.first { $0.count == 1 }?.doubles[0]
      }
      stack += inputs.filter { seen.insert($0).inserted }
    }
  }

  /// The inputs with open sizes from which a value is computed.
  private static func openInputs(_ id: ValueID, _ network: ONNXNetwork) -> Set<String> {
    var (stack, seen, names) = ([id], Set([id]), Set<String>())
    while let id = stack.popLast() {
      if let name = network.inputNames[id], network.graph.type(of: id).fixedShape == nil {
        names.insert(name)
      }
      stack += (network.makers[id]?.inputs ?? []).filter { seen.insert($0).inserted }
    }
    return names
  }

  /// The reason why a condition cannot be decided, and what can be done.
  var reason: String {
    var parts: [String] = []
    if !contents.isEmpty {
      parts.append(
        "its condition follows from what \(Self.list(contents)) holds, so that the way through the "
          + "model is known only when it runs; a graph has one way")
    }
    if let name = numbers.sorted().first {
      let number = example.map { InputNumber.description(of: $0) } ?? "NUMBER"
      parts.append(
        "its condition follows from \(Self.list(numbers)), known only when the model runs: fix "
          + "\(numbers.count == 1 ? "it" : "them"), for example with \(APIName.fixedInputs) \(name)=\(number)"
      )
    }
    if !sizes.isEmpty {
      parts.append(
        "its condition follows from a size of \(Self.list(sizes)) that the file leaves open: give the "
          + "input a fixed shape, with onnxruntime.tools.make_dynamic_shape_fixed (Python package "
          + "onnxruntime) or by exporting the model again without dynamic axes")
    }
    return parts.isEmpty
      ? "its condition is known only when the model runs" : parts.joined(separator: "; ")
  }

  private static func list(_ names: Set<String>) -> String {
    "the input\(names.count == 1 ? "" : "s") \(names.sorted().joined(separator: ", "))"
  }
}

extension InputNumber {
  /// The number as a user would write it: an integer where possible.
  fileprivate static func description(of number: Double) -> String {
    Int(exactly: number).map { InputNumber.integer($0).description }
      ?? InputNumber.real(number).description
  }
}
