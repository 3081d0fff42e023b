package import Bytes
package import GraphIR

/// An operator that can be computed with 8-bit integers. Its inputs are the data, the kernel with the
/// output channels first, and optionally a bias.
package protocol QuantizableOperator: CatalogOperator {
  /// Why the settings rule it out; `nil` when they do not.
  var quantizationProblem: String? { get }
  /// The same without a bias.
  var withoutBias: Self { get }
  /// The axis of the output's channels.
  func outputChannelAxis(rank: Int) -> Int
}

extension Convolution: QuantizableOperator {
  package var quantizationProblem: String? {
    if groups > 1 { return "has \(groups) groups" }
    return window.size.count > 2 ? "has \(window.size.count) spatial axes" : nil
  }

  package var withoutBias: Convolution {
    Convolution(window: window, groups: groups, hasBias: false, layout: layout)
  }

  package func outputChannelAxis(rank: Int) -> Int { layout.channelAxis(rank: rank) }
}

extension Dense: QuantizableOperator {
  package var quantizationProblem: String? { nil }
  package var withoutBias: Dense { Dense(hasBias: false) }
  package func outputChannelAxis(rank: Int) -> Int { rank - 1 }
}

extension QuantizableOperator {
  /// The reference for an operator that is computed by integers. The sum of products of integers is
  /// exact, becomes float32, and is then multiplied by the scales and added to the bias in float32.
  fileprivate func evaluate(
    _ inputs: [Tensor], by quantization: InputQuantization, workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let zero = Float(quantization.zeroPoint)
    let data = inputs[0].floats.map { Float(quantization.quantized($0)) - zero }
    let channels = QuantizedChannels(inputs[1])
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
  /// The reference kernel, or that of the same operator computed with 8-bit integers.
  ///
  /// - Parameter quantization: Of a node that ``GraphIR/Graph/quantizationProblem(_:)`` lets have one.
  package func evaluate(
    _ inputs: [Tensor], quantization: InputQuantization?, workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    guard let quantization, let operation = self as? any QuantizableOperator else {
      return try evaluate(inputs, workers: workers)
    }
    return try operation.evaluate(inputs, by: quantization, workers: workers)
  }
}

extension Graph {
  /// The most products whose sum fits 32 bits, whatever the integers.
  private static let mostProducts = 1 << 16

  /// Why a node cannot be computed with 8-bit integers; `nil` when it can.
  package func quantizationProblem(_ node: Node) -> String? {
    guard let operation = node.operation as? any QuantizableOperator else {
      return "is a \(node.operation.kind), which cannot be computed with 8-bit integers"
    }
    if let problem = operation.quantizationProblem {
      return "\(problem), which cannot be computed with 8-bit integers"
    }
    guard node.inputs.dropFirst().allSatisfy({ self[$0].constant != nil }) else {
      return "has weights that other layers compute; with 8-bit integers they must be constant"
    }
    guard node.inputs.allSatisfy({ self[$0].type.elementType == .float32 }) else {
      return "is not float32, as it must be to be computed with 8-bit integers"
    }
    let products = self[node.inputs[1]].constant?.shape.dropFirst().reduce(1, *) ?? 0
    guard (1...Self.mostProducts).contains(products) else {
      return "sums \(products) products; with 8-bit integers the limit is 1 to \(Self.mostProducts)"
    }
    return nil
  }
}
