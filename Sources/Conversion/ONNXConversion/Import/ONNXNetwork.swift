import Bytes
import ConversionCore
import GraphIR
import ONNXFormat

typealias ONNXValue = SourceValue
typealias ONNXDimension = SourceDimension

/// The graph of an ONNX file under construction.
typealias ONNXNetwork = ValueNetwork<ONNXContext>

/// What the nodes of an ONNX file share besides their values.
struct ONNXContext {
  /// The version of ONNX's operator set.
  let opset: Int
  let readTensor: ONNXNetwork.TensorReader
  /// The types of values that are narrower than those of the graph, by their names in the file.
  fileprivate(set) var narrowTypes: [String: ONNXNarrowType] = [:]
  /// How integers of 8 bits were rounded, with one scale for all.
  var quantizations: [ValueID: QuantizationParameters] = [:]

  /// The lists of tensors, by their names in the file.
  fileprivate(set) var sequences: [String: [ONNXValue]] = [:]

  init(opset: Int, readTensor: @escaping ONNXNetwork.TensorReader) {
    (self.opset, self.readTensor) = (opset, readTensor)
  }

  /// What the nodes of a subgraph share, some of whose values are those of the network around it.
  func ofSubgraph(reading names: [String]) -> ONNXContext {
    var result = ONNXContext(opset: opset, readTensor: readTensor)
    for name in names { result.narrowTypes[name] = narrowTypes[name] }
    return result
  }
}

extension ONNXNetwork {
  /// Reads the elements of a tensor of the file.
  typealias TensorReader = (ONNXInitializer) throws(WeighbridgeError) -> Tensor

  /// - Parameter names: All names in the file.
  init(opset: Int, names: Set<String>, readTensor: @escaping TensorReader) {
    self.init(ONNXContext(opset: opset, readTensor: readTensor), names: names)
  }

  var opset: Int { context.opset }
  var readTensor: TensorReader { context.readTensor }
  var narrowTypes: [String: ONNXNarrowType] { context.narrowTypes }

  /// Adds an input of the model.
  mutating func addInput(_ feature: ONNXFeature) throws(WeighbridgeError) {
    try addInput(feature.name, feature.type)
    guard let type = feature.narrowType else { return }
    context.narrowTypes[feature.name] = type
    decide(feature.name, "takes the values of \(type.name) as \(type.elementType.rawValue)")
  }

  /// The lists of tensors, by their names in the file.
  var sequences: [String: [ONNXValue]] { context.sequences }

  /// Defines a list of tensors.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the name is taken.
  mutating func defineSequence(
    _ name: String, _ tensors: [ONNXValue]
  ) throws(WeighbridgeError) {
    guard values[name] == nil, context.sequences.updateValue(tensors, forKey: name) == nil else {
      throw .malformed("two values are called \(name), and each needs a name of its own")
    }
  }

  /// Defines the value of a name.
  ///
  /// - Parameter narrowType: The type of its elements if it is narrower than those of the graph.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the name is taken.
  mutating func define(
    _ name: String, _ value: ONNXValue, narrowType: ONNXNarrowType?
  ) throws(WeighbridgeError) {
    context.narrowTypes[name] = narrowType
    try define(name, value)
  }
}

extension Tensor {
  /// The elements as integers; see ``wholeNumbers``.
  var integers: [Int] { wholeNumbers }
}
