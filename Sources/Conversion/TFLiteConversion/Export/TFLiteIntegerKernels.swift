import Bytes
import ConversionCore
import GraphIR
import TFLiteFormat

/// The operators of a graph, of which convolutions with integers on both sides are computed with
/// integers: their sums are converted to the integers of the next operator without becoming
/// floating-point numbers in between, which may differ by one from rounding these.
struct TFLiteIntegerKernels {
  private(set) var nodes: [TFLiteNode]
  private(set) var builder: TFLiteBuilder
  /// The positions of the operators that produce and read tensors.
  private var producers: [String: Int] = [:]
  private var readers: [String: [Int]] = [:]
  private var removed: Set<Int> = []

  /// Operators that give numbers of their input, or zeros.
  private static let transparent: Set<TFLiteBuiltin> = [
    .maxPool2D, .reshape, .squeeze, .expandDims, .transpose, .pad,
  ]

  /// - Parameter outputs: The names of tensors that must stay.
  init(_ nodes: [TFLiteNode], _ builder: TFLiteBuilder, _ outputs: [String]) {
    (self.nodes, self.builder) = (nodes, builder)
    for (position, node) in nodes.enumerated() {
      for name in node.inputs { readers[name, default: []].append(position) }
      for name in node.outputs { producers[name] = position }
    }
    for name in outputs { readers[name, default: []].append(nodes.count) }
    for position in nodes.indices where nodes[position].builtin == .conv2D { convert(position) }
    self.nodes = self.nodes.enumerated().filter { !removed.contains($0.offset) }.map(\.element)
      .needed(for: outputs, renaming: [:])
  }

  /// Computes a convolution with integers where that is possible.
  private mutating func convert(_ position: Int) {
    let node = nodes[position]
    guard let source = producers[node.inputs[0]], nodes[source].builtin == .dequantize,
      let data = builder.quantizations[nodes[source].inputs[0]],
      let chain = chain(after: position),
      let result = builder.quantizations[nodes[chain.end].outputs[0]],
      let kernel = TFLiteIntegerKernel(builder, node, dataScale: data.scales[0])
    else { return }
    let (weights, biases) = builder.add(kernel, named: node.inputs[1], data.scales[0])
    nodes[position].inputs = [nodes[source].inputs[0], weights, biases]
    for step in [position] + chain.steps {
      builder.setIntegers(nodes[step].outputs[0], result)
    }
    nodes[chain.steps.last ?? position].outputs = nodes[chain.end].outputs
    removed.insert(chain.end)
  }

  /// The operators between a convolution and the only one that makes integers of its numbers.
  private func chain(after position: Int) -> (steps: [Int], end: Int)? {
    var (steps, last) = ([Int](), position)
    while let all = readers[nodes[last].outputs[0]], all.count == 1, all[0] < nodes.count {
      let next = nodes[all[0]]
      if next.builtin == .quantize { return (steps, all[0]) }
      guard Self.transparent.contains(next.builtin),
        next.inputs[0] == nodes[last].outputs[0]
      else { return nil }
      last = all[0]
      steps.append(last)
    }
    return nil
  }
}

/// The weights of a convolution with integers.
struct TFLiteIntegerKernel {
  /// int8, `[output channels, height, width, input channels]`
  let integers: Tensor
  /// One for each output channel.
  let scales: [Float]
  /// int32, in units of the products of integers.
  let biases: Tensor

  /// - Returns: `nil` where the weights are no such integers, or a bias is too large.
  fileprivate init?(_ builder: TFLiteBuilder, _ node: TFLiteNode, dataScale: Float) {
    guard node.inputs.count == 3, let kernel = builder.weights[node.inputs[1]],
      let bias = builder.weights[node.inputs[2]], let stored = kernel.quantized,
      stored.integers.elementType == .int8, case .linear(let line) = stored.dequantization,
      line.zeroPoints.isEmpty, line.offsets.isEmpty, line.axis ?? 0 == 0
    else { return nil }
    let count = kernel.shape[0]
    scales =
      line.scales.count == count
      ? line.scales : [Float](repeating: line.scales[0], count: count)
    integers = stored.integers
    let sums = zip(bias.doubles, scales).map { ($0 / Double($1 * dataScale)).rounded() }
    guard sums.allSatisfy({ Int32(exactly: $0) != nil }) else { return nil }
    biases = Tensor(.int32, shape: [count], sums)
  }
}

extension TFLiteBuilder {
  /// Adds the weights of a convolution with integers.
  fileprivate mutating func add(
    _ kernel: TFLiteIntegerKernel, named name: String, _ dataScale: Float
  ) -> (weights: String, biases: String) {
    let zeros = kernel.scales.map { _ in 0 }
    let weights = addIntegers(
      "\(name)/integers", kernel.integers,
      TFLiteQuantization(scales: kernel.scales, zeroPoints: zeros, axis: 0))
    let biases = addIntegers(
      "\(name)/biases", kernel.biases,
      TFLiteQuantization(
        scales: kernel.scales.map { $0 * dataScale }, zeroPoints: zeros, axis: 0))
    return (weights, biases)
  }
}
