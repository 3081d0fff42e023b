import Bytes
import ConversionCore
import FormatRegistry
import GraphIR
import ONNXFormat
import ReferenceRuntime
import TestSupport
import Testing
import Weighbridge

/// ONNX files of a single node, against what onnxruntime 1.31 computes with them.
@Suite struct ONNXNodeTests {
  /// Writes a file of one node.
  ///
  /// - Parameters:
  ///   - inputs: The model's inputs, which are the node's first inputs.
  ///   - weights: The node's other inputs; `nil` for one that is omitted.
  private func write(
    _ operation: String, inputs: [Tensor], weights: [Tensor?], to path: String
  ) throws {
    let features = inputs.enumerated().map { position, tensor in
      ONNXFeature(
        name: "x\(position)", elementType: tensor.elementType,
        shape: tensor.shape.map { .fixed($0) })
    }
    let names = weights.enumerated().map { position, tensor in
      tensor == nil ? "" : "w\(position)"
    }
    let initializers = zip(names, weights).compactMap { name, tensor in
      tensor.map { ONNXInitializer(name: name, elementType: $0.elementType, shape: $0.shape) }
    }
    let node = ONNXNode(
      name: "n", operation: operation, inputs: features.map(\.name) + names, outputs: ["y"],
      attributes: [])
    let rank = inputs.map(\.shape.count).max() ?? 0
    let output = ONNXFeature(
      name: "y", elementType: inputs[0].elementType,
      shape: [ONNXFeature.Dimension](repeating: .unknown, count: rank))
    let model = ONNXModel(
      irVersion: 8, opset: 17, producerName: "tests", producerVersion: "1", summary: nil,
      metadata: [],
      graph: ONNXGraph(
        name: "g", nodes: [node], initializers: initializers, inputs: features, outputs: [output]))
    var writer = try ONNXWriter(model, to: path, storage: .embedded)
    for case let tensor? in weights {
      let bytes = tensor.contiguousBytes()
      try writer.beginWeight()
      try writer.append(bytes.span.bytes)
    }
    try writer.commit(replacing: true)
  }

  /// Reads a file of one node and computes its output.
  private func output(
    _ operation: String, inputs: [Tensor], weights: [Tensor?] = []
  ) throws -> Tensor {
    let folder = try TemporaryFolder()
    try write(operation, inputs: inputs, weights: weights, to: folder.file("m.onnx"))
    let graph = try ModelReader.read(folder.file("m.onnx")).content.graph
    return try ReferenceRuntime(workers: Workers(count: 1)).run(graph, inputs: inputs) { _ in }[0]
  }

  @Test(
    "A power of integers with a floating-point exponent is truncated",
    arguments: [ElementType.int32, .int64], [ElementType.float32, .float64])
  func powers(type: ElementType, exponentType: ElementType) throws {
    let expected: [(exponent: Double, powers: [Double])] = [
      (0.5, [1, 1, 2, 3, 3, 1]), (1.5, [1, 2, 8, 27, 31, 5]), (2, [1, 4, 16, 81, 100, 9]),
      (-1, [1, 0, 0, 0, 0, 0]),
    ]
    let bases = Tensor(type, shape: [6], [1, 2, 4, 9, 10, 3])
    for (exponent, powers) in expected {
      let weight = Tensor(exponentType, shape: [], [exponent])
      let result = try output("Pow", inputs: [bases], weights: [weight])
      #expect(result.elementType == type && result.doubles == powers, "\(exponent)")
    }
    let exponents = Tensor(exponentType, shape: [4, 1], [0.5, 1.5, 2, -1])
    let result = try output(
      "Pow", inputs: [Tensor(type, shape: [4], [10, 3, 2, 7]), exponents])
    #expect(result.elementType == type && result.shape == [4, 4])
    #expect(result.doubles == [3, 1, 1, 2, 31, 5, 2, 18, 100, 9, 4, 49, 0, 0, 0, 0])
  }

  @Test("Integers are clipped", arguments: [ElementType.int32, .int64])
  func clip(type: ElementType) throws {
    let expected: [(minimum: Double?, maximum: Double?, elements: [Double])] = [
      (nil, 3, [0, 1, 2, 3, 3, 3, -8, 3]), (2, nil, [2, 2, 2, 4, 9, 10, 2, 3]),
      (-2, 5, [0, 1, 2, 4, 5, 5, -2, 3]), (5, 2, [2, 2, 2, 2, 2, 2, 2, 2]),
    ]
    let input = Tensor(type, shape: [8], [0, 1, 2, 4, 9, 10, -8, 3])
    for (minimum, maximum, elements) in expected {
      let bounds = [minimum, maximum].map { bound in
        bound.map { Tensor(type, shape: [], [$0]) }
      }
      let result = try output("Clip", inputs: [input], weights: bounds)
      #expect(result.elementType == type && result.doubles == elements)
    }
    let error = failure {
      _ = try output("Clip", inputs: [input], weights: [Tensor(type, shape: [2], [1, 2])])
    }
    #expect(error?.code == .malformed)
    #expect(error?.reason.contains(", and one element is expected") == true)
  }
}
