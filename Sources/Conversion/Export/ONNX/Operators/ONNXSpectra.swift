import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

/// Signals taken apart into frequencies.
enum ONNXSpectra {
  static let rows: [ONNXRow] = [
    ONNXRow(outputsOf: ShortTimeFourierTransform.self) {
      (operation, draft) throws(WeighbridgeError) in
      guard draft.opset >= 17 else {
        throw WeighbridgeError(.unsupported, "ONNX has Fourier transforms from opset 17 on")
      }
      return draft.fourierTransform(operation)
    }
  ]
}

extension ONNXDraft {
  fileprivate mutating func fourierTransform(_ operation: ShortTimeFourierTransform) -> [String] {
    let (input, type) = (input(), type())
    let samples = type.rank - 1
    let last = extents(input, type, samples..<type.rank)
    let shape = concatenate([integers([-1]), last, integers([1])], axis: 0)
    let signals = add("Reshape", [input, shape])
    let step = number(Double(operation.step), .int64)
    let parts = add("STFT", [signals, step, numbers(operation.frameFactors)])
    return [0, 1].map { part in
      let sums = add("Gather", [parts, number(Double(part), .int64)], ["axis": .integer(3)])
      guard samples != 1 else { return sums }
      if samples == 0 { return squeeze(sums, [0]) }
      let leading = extents(input, type, 0..<samples)
      let own = extents(sums, 1..<3)
      return add("Reshape", [sums, concatenate([leading, own], axis: 0)])
    }
  }
}
