import Bytes
import GraphIR
import LayerCatalog
import NCNNFormat
import TestSupport

/// Computes what ncnn computes with the two files of a model, one example at a time, as ncnn's
/// documentation of its layers says (docs/developer-guide/operators.md): a second reading of the
/// files, apart from the exporter that wrote them.
struct NCNNInterpreter {
  /// A layer that the interpreter cannot compute.
  struct Unknown: Error { let layer: String }

  /// The names of the inputs, in order.
  let inputs: [String]
  private let layers: [(layer: NCNNLayer, weights: [Tensor])]

  /// - Parameter paths: The `.param` file and the `.bin` file.
  init(_ paths: [String]) throws {
    let model = try NCNNModel([UInt8](try Files.read(paths[0])))
    let bytes = [UInt8](try Files.read(paths[1]))
    let file = try ByteStore(bytes).withBytes { (bytes) throws(WeighbridgeError) in
      try NCNNFile(model, weights: bytes)
    }
    layers = zip(file.model.layers, file.weights).map { layer, weights in
      (
        layer,
        weights.map { weight in
          let type = weight.encoding == .float16 ? ElementType.float16 : .float32
          return Tensor(
            type, shape: [weight.range.count / weight.encoding.byteCount],
            bytes: Array(bytes[weight.range]))
        }
      )
    }
    inputs = model.layers.filter { $0.type == "Input" }.flatMap(\.outputs)
  }

  /// Returns the blobs that no layer reads, by name.
  ///
  /// - Parameter arrays: The inputs, by name, without a batch axis.
  func outputs(_ arrays: [String: Tensor]) throws -> [String: Tensor] {
    var blobs: [String: Tensor] = [:]
    for (layer, weights) in layers {
      let read = try layer.inputs.map { name in
        guard let blob = blobs.removeValue(forKey: name) else {
          throw Unknown(layer: "\(layer.name) reads \(name), which no layer computes")
        }
        return blob
      }
      let isInput = layer.type == "Input"
      let results =
        isInput
        ? layer.outputs.compactMap { arrays[$0] }
        : try NCNNLayerCall(layer: layer, inputs: read, weights: weights).outputs()
      guard results.count == layer.outputs.count else {
        throw Unknown(layer: "\(layer.name) computes \(results.count) blobs")
      }
      for (name, result) in zip(layer.outputs, results) {
        guard blobs.updateValue(result, forKey: name) == nil else {
          throw Unknown(layer: "\(layer.name) computes \(name) again")
        }
      }
    }
    return blobs
  }
}

/// A layer with what it reads. Axes are those of blobs, which have no batch axis.
struct NCNNLayerCall {
  let layer: NCNNLayer
  let inputs: [Tensor]
  let weights: [Tensor]

  var x: Tensor { inputs[0] }

  func integer(_ id: Int, default value: Int = 0) -> Int { layer.integer(id, default: value) }

  func float(_ id: Int, default value: Double = 0) -> Double {
    switch layer.parameters[id] {
    case .float(let number): Double(number)
    case .integer(let number): Double(number)
    default: value
    }
  }

  func integers(_ id: Int) -> [Int] {
    if case .integers(let numbers) = layer.parameters[id] { numbers } else { [] }
  }

  /// Evaluates an operator of the catalog on arrays without a batch axis.
  func evaluate(_ operation: any CatalogOperator, _ arrays: [Tensor]) throws -> [Tensor] {
    try operation.evaluate(arrays, workers: Workers(count: 1))
  }

  /// Evaluates an operator of the catalog on an example and weights.
  func batched(_ operation: any CatalogOperator, _ weights: [Tensor] = []) throws -> Tensor {
    let result = try evaluate(operation, [x.reshaped([1] + x.shape)] + weights)[0]
    return result.reshaped(Array(result.shape.dropFirst()))
  }

  func outputs() throws -> [Tensor] {
    if let results = try recurrent() { return results }
    switch layer.type {
    case "Split": return layer.outputs.map { _ in x }
    case "Slice":
      return try evaluate(Split(axis: integer(1), sizes: integers(0)), [x])
    default: break
    }
    if let operation = elementwise { return try evaluate(operation, [x]) }
    if let result = try arithmetic() ?? weighted() ?? window() ?? moved() { return [result] }
    throw NCNNInterpreter.Unknown(layer: "\(layer.name) (\(layer.type))")
  }
}
