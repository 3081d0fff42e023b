import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Dense layers and embeddings.
enum CoreMLDense: CoreMLFamily {
  static let rows: [CoreMLRow] = [
    CoreMLRow(Dense.self) { (operation, builder) throws(WeighbridgeError) in
      let x = try builder.input()
      guard let kernel = builder.operands[1].constant else {
        // A quantized kernel is computed when the model runs.
        let product = try builder.matrixProduct(x, try builder.input(1), transposeB: true)
        return operation.hasBias ? try builder.sum(product, try builder.input(2)) : product
      }
      // Core ML's inner product flattens inputs with more axes before it multiplies.
      guard builder.type().rank <= 3 else { return try builder.product(x, kernel, operation) }
      var settings: ProtobufRecord = [
        "inputChannels": .integer(kernel.shape[1]), "outputChannels": .integer(kernel.shape[0]),
        "hasBias": .boolean(operation.hasBias),
        "weights": builder.weights(kernel, hasChannels: true),
      ]
      if operation.hasBias { settings["bias"] = try builder.weights(2) }
      return try builder.add("innerProduct", [x], settings)
    },
    CoreMLRow(EinsumDense.self) { (operation, builder) throws(WeighbridgeError) in
      let product = try builder.einsum(
        (try builder.input(0), builder.type(0), operation.input.letters),
        (try builder.input(1), builder.type(1), operation.kernel.letters),
        to: operation.output.letters)
      guard !operation.bias.letters.isEmpty else { return product }
      let output = operation.output.letters
      let axes = operation.bias.letters.compactMap { output.firstIndex(of: $0) }
      return try builder.sum(
        product, try builder.broadcastableWeight(2, along: axes, rank: output.count))
    },
    CoreMLRow(Embedding.self) { (_, builder) throws(WeighbridgeError) in
      let table = try builder.tensor(1)
      let column = try builder.expandDims(try builder.integerInput(), [builder.type().rank])
      return try builder.add(
        "embeddingND", [column],
        [
          "vocabSize": .integer(table.shape[0]), "embeddingSize": .integer(table.shape[1]),
          "weights": builder.weights(table.permuted([1, 0]), hasChannels: true),
        ])
    },
  ]
}

extension CoreMLNetworkBuilder {
  /// Adds the product with a matrix along the last axis.
  fileprivate mutating func product(
    _ input: String, _ kernel: Tensor, _ operation: Dense
  ) throws(WeighbridgeError) -> String {
    var settings: ProtobufRecord = [
      "weightMatrixFirstDimension": .integer(kernel.shape[1]),
      "weightMatrixSecondDimension": .integer(kernel.shape[0]),
      "hasBias": .boolean(operation.hasBias), "weights": weights(kernel),
    ]
    if operation.hasBias { settings["bias"] = try weights(2) }
    return try add("batchedMatmul", [input], settings)
  }
}
