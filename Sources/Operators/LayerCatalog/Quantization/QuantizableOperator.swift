package import Bytes
package import GraphIR

/// An operator whose products can be computed with 8-bit integers or bfloat16. Its inputs are the
/// data, the kernel and optionally a bias.
package protocol QuantizableOperator: CatalogOperator {
  /// The number of groups if it is a transposed convolution, whose kernel is
  /// `[in, out/groups, spatial...]`; `nil` if the output channels are the kernel's first axis.
  var transposedGroups: Int? { get }
  /// The same operator without a bias.
  var withoutBias: Self { get }
  /// The index of the output's channel axis.
  func outputChannelAxis(rank: Int) -> Int
}

extension Convolution: QuantizableOperator {
  package var withoutBias: Convolution {
    Convolution(window: window, groups: groups, hasBias: false, layout: layout)
  }

  package func outputChannelAxis(rank: Int) -> Int { layout.channelAxis(rank: rank) }
}

extension TransposedConvolution: QuantizableOperator {
  package var transposedGroups: Int? { groups }

  package var withoutBias: TransposedConvolution {
    TransposedConvolution(
      window: window, outputPadding: outputPadding, groups: groups, hasBias: false, layout: layout)
  }

  package func outputChannelAxis(rank: Int) -> Int { layout.channelAxis(rank: rank) }
}

extension Dense: QuantizableOperator {
  package var withoutBias: Dense { Dense(hasBias: false) }
  package func outputChannelAxis(rank: Int) -> Int { rank - 1 }
}

extension QuantizableOperator {
  package var transposedGroups: Int? { nil }

  /// The number of products in the sum that is an output.
  fileprivate func productCount(kernel: [Int]) -> Int {
    guard let groups = transposedGroups else { return kernel.dropFirst().reduce(1, *) }
    return kernel[0] / groups * kernel.dropFirst(2).reduce(1, *)
  }

  /// The reference kernel for products of 8-bit integers. Their sum is exact; it is converted to
  /// float32, multiplied by the scales, and added to the bias, in float32.
  fileprivate func evaluate(
    _ inputs: [Tensor], by quantization: IntegerQuantization, workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let zero = Float(quantization.zeroPoint)
    let data = inputs[0].floats.map { Float(quantization.quantized($0)) - zero }
    let channels = QuantizedChannels(inputs[1], transposedGroups: transposedGroups)
    let sums = try withoutBias.evaluate(
      [
        Tensor(.float32, shape: inputs[0].shape, floats: data),
        Tensor(.float32, shape: inputs[1].shape, floats: channels.integers.map { Float($0) }),
      ], workers: workers)[0]
    let bias = inputs.count > 2 ? inputs[2].floats : channels.scales.map { _ in 0 }
    let axis = outputChannelAxis(rank: sums.shape.count)
    let inner = sums.shape[(axis + 1)...].reduce(1, *)
    let numbers = sums.floats.enumerated().map { index, sum in
      let channel = index / inner % bias.count
      let product = sum * (channels.scales[channel] * quantization.scale)
      return product + bias[channel]
    }
    return [Tensor(.float32, shape: sums.shape, floats: numbers)]
  }
}

extension CatalogOperator {
  /// The reference kernel, or that of the same operator computed with 8-bit integers or bfloat16.
  ///
  /// - Parameter quantization: One that ``GraphIR/Graph/quantizationProblem(_:input:)`` allows for
  ///   the node.
  package func evaluate(
    _ inputs: [Tensor], quantization: InputQuantization?, workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    guard let quantization else { return try evaluate(inputs, workers: workers) }
    var quantizedInputs = [quantization.input]
    if let operation = self as? any QuantizableOperator {
      if case .integers(let integers) = quantization.elements {
        return try operation.evaluate(inputs, by: integers, workers: workers)
      }
      quantizedInputs.append(1)
    }
    var inputs = inputs
    for index in quantizedInputs {
      let numbers = inputs[index].floats.map(quantization.rounded)
      inputs[index] = Tensor(.float32, shape: inputs[index].shape, floats: numbers)
    }
    return try evaluate(inputs, workers: workers)
  }
}

extension Graph {
  /// The number of layers with weights that are computed with 8-bit integers, and with bfloat16.
  package var quantizedLayerCounts: (integers: Int, bfloat16: Int) {
    nodes.reduce(into: (0, 0)) { counts, node in
      guard node.operation is any QuantizableOperator else { return }
      switch node.quantization?.elements {
      case .integers: counts.0 += 1
      case .bfloat16: counts.1 += 1
      case nil: break
      }
    }
  }

  /// The largest number of products of 8-bit integers whose sum always fits in 32 bits.
  private static let maximumProducts = 1 << 16

  /// Why an input of a node cannot be quantized to 8-bit integers or bfloat16; `nil` if it can.
  package func quantizationProblem(_ node: Node, input: Int = 0) -> String? {
    guard node.inputs.allSatisfy({ self[$0].type.elementType == .float32 }) else {
      return "is not float32, as it must be to be computed with 8-bit integers or bfloat16"
    }
    if node.operation is Add {
      guard node.inputs.count == 2 else {
        return
          "adds \(node.inputs.count.counted("tensor")); with 8-bit integers or bfloat16 it must be 2"
      }
      return node.inputs.indices.contains(input) ? nil : "has no input \(input)"
    }
    guard let operation = node.operation as? any QuantizableOperator else {
      return "is a \(node.operation.kind), which cannot be computed with 8-bit integers or bfloat16"
    }
    guard node.inputs.dropFirst().allSatisfy({ self[$0].constant != nil }) else {
      return
        "has weights that other layers compute; with 8-bit integers or bfloat16 they must be constant"
    }
    guard input == 0 else { return "has weights as its input \(input)" }
    let kernel = self[node.inputs[1]].constant?.shape
    let products = kernel.map { operation.productCount(kernel: $0) } ?? 0
    guard (1...Self.maximumProducts).contains(products) else {
      return
        "sums \(products) products; with 8-bit integers or bfloat16 it must be 1 to "
        + "\(Self.maximumProducts)"
    }
    return nil
  }
}
