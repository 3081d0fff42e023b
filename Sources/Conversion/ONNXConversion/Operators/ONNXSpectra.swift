import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Fourier transforms of signals.
enum ONNXSpectra: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(outputsOf: STFT.self) {
      (operation, builder) throws(WeighbridgeError) in
      guard builder.opset >= 17 else {
        throw .unsupported(
          "is a Fourier transform, which ONNX has from opset 17 on (\(APIName.exportOpset))")
      }
      return builder.fourierTransform(operation)
    }
  ]

  static let nodes: [String: ONNXLayer.Build] = [
    "BlackmanWindow": { (layer) throws(WeighbridgeError) in
      [try layer.window(of: [0.42, -0.5, 0.08])]
    },
    "DFT": { (layer) throws(WeighbridgeError) in [try layer.discreteTransform()] },
    "HammingWindow": { (layer) throws(WeighbridgeError) in
      [try layer.window(of: [25.0 / 46, -21.0 / 46])]
    },
    "HannWindow": { (layer) throws(WeighbridgeError) in [try layer.window(of: [0.5, -0.5])] },
    "STFT": { (layer) throws(WeighbridgeError) in [try layer.fourierTransform()] },
  ]
}

extension ONNXGraphBuilder {
  fileprivate mutating func fourierTransform(_ operation: STFT) -> [String] {
    let (input, type) = (input(), type())
    let sampleAxis = type.rank - 1
    let sampleCount = dimensions(input, type, sampleAxis..<type.rank)
    let shape = concatenate([integers([-1]), sampleCount, integers([1])], axis: 0)
    let signals = add("Reshape", [input, shape])
    let step = number(Double(operation.step), .int64)
    let spectra = add("STFT", [signals, step, numbers(operation.frameFactors)])
    return [0, 1].map { part in
      let component = add("Gather", [spectra, number(Double(part), .int64)], ["axis": .integer(3)])
      guard sampleAxis != 1 else { return component }
      if sampleAxis == 0 { return squeeze(component, [0]) }
      let leading = dimensions(input, type, 0..<sampleAxis)
      let frameDimensions = dimensions(component, 1..<3)
      return add("Reshape", [component, concatenate([leading, frameDimensions], axis: 0)])
    }
  }
}

extension ONNXLayer {
  /// Adds the spectra of frames, `[signals, frames, frequencies, 2]`, of signals
  /// `[signals, samples, 1]`.
  fileprivate mutating func fourierTransform() throws(WeighbridgeError) -> ONNXValue {
    let signals = try input()
    guard try flag("onesided", default: true) else {
      throw unsupported("has onesided=0, and only one side of the spectrum can be read")
    }
    guard let step = try constant(1)?.integers.first, step >= 1 else {
      throw malformed("has no constant frame step, and only a constant one can be read")
    }
    let window = try constant(2)?.doubles
    guard let length = try constant(3)?.integers.first ?? window?.count, length >= 1,
      window.map({ $0.count == length }) ?? true
    else {
      throw malformed("has a frame_length that is not the length of its window, expected the same")
    }
    guard
      let transform = STFT(
        frameFactors: window, fftLength: length, step: step)
    else {
      throw unsupported(
        "has a window of its own, and only those of Hann and Hamming and a rectangle can be read")
    }
    var realSignals = signals
    if type(signals).rank == 3 {
      guard type(signals).shape[2].value == 1 else {
        throw unsupported("transforms complex numbers, and only real signals can be read")
      }
      realSignals = try apply(Squeeze(axes: [2]), to: signals, role: "signals")
    }
    var parts: [ONNXValue] = []
    let spectra = try apply(transform, [realSignals], role: "transform")
    for (part, name) in zip(spectra, ["real", "imaginary"]) {
      parts.append(try apply(ExpandDims(axes: [3]), to: part, role: name))
    }
    return try apply(Concatenate(axis: 3), parts)[0]
  }
}
