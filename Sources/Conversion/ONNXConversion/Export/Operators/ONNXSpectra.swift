import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Signals taken apart into frequencies.
enum ONNXSpectra {
  static let rows: [ONNXRow] = [
    ONNXRow(outputsOf: STFT.self) {
      (operation, builder) throws(WeighbridgeError) in
      guard builder.opset >= 17 else {
        throw WeighbridgeError(.unsupported, "ONNX has Fourier transforms from opset 17 on")
      }
      return builder.fourierTransform(operation)
    }
  ]
}

extension ONNXGraphBuilder {
  fileprivate mutating func fourierTransform(_ operation: STFT) -> [String] {
    let (input, type) = (input(), type())
    let samples = type.rank - 1
    let last = dimensions(input, type, samples..<type.rank)
    let shape = concatenate([integers([-1]), last, integers([1])], axis: 0)
    let signals = add("Reshape", [input, shape])
    let step = number(Double(operation.step), .int64)
    let parts = add("STFT", [signals, step, numbers(operation.frameFactors)])
    return [0, 1].map { part in
      let sums = add("Gather", [parts, number(Double(part), .int64)], ["axis": .integer(3)])
      guard samples != 1 else { return sums }
      if samples == 0 { return squeeze(sums, [0]) }
      let leading = dimensions(input, type, 0..<samples)
      let own = dimensions(sums, 1..<3)
      return add("Reshape", [sums, concatenate([leading, own], axis: 0)])
    }
  }
}
