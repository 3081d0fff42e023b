import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions of signals: their frames, their spectra, and shifts of these.
extension KerasFunctionTable {
  static let signals: [Entry] =
    [
      Entry(["ExtractSequences"], tf: ["signal.frame"]) { (call) throws(WeighbridgeError) in
        try call.addFrames()
      },
      Entry(["STFT"]) { (call) throws(WeighbridgeError) in try call.addTransform() },
    ]
    + entries([
      Names(tf: ["signal.fftshift"], 1), Names(tf: ["signal.ifftshift"], -1),
    ]) { (call, sign) throws(WeighbridgeError) in
      var (value, type) = try call.typedTensor("x", at: 0)
      for axis in try call.axes("axes", of: type) ?? Array(0..<type.rank) {
        let size = try call.size(axis, of: value)
        // The number of first elements that move to the end.
        let count = sign > 0 ? size - size / 2 : size / 2
        if count % max(1, size) == 0 { continue }
        value = try call.part(
          Concatenate(axis: axis), try call.sliced(value, axis: axis, from: count),
          try call.sliced(value, axis: axis, to: count))
      }
      return try call.result(value)
    }
}

extension KerasFunction {
  /// Adds overlapping frames of a signal: an axis becomes one of frames and one of their elements.
  fileprivate mutating func addFrames() throws(WeighbridgeError) -> [ValueID] {
    let (value, type) = try typedTensor("signal", "x", at: 0)
    let length = try integer(isOperation ? "sequence_length" : "frame_length", at: 1)
    let step = try integer(isOperation ? "sequence_stride" : "frame_step", at: 2)
    try require("pad_end", toBe: false, because: "the end is not padded")
    ignore("pad_value")
    let axis = try axis(of: type, default: -1)
    guard length >= 1, step >= 1, length <= 1 << 16 else {
      throw .malformed(
        "takes frames of \(length) elements, \(step) apart, and both are 1 or more, the "
          + "length at most "
          + "65,536")
    }
    let size = try size(axis, of: value)
    guard size >= length else {
      throw .unsupported("cuts frames of \(length) from \(size) elements, which are fewer")
    }
    let count = (size - length) / step + 1
    guard try Checked.product([count, length], of: "the frames") <= 1 << 24 else {
      throw .limitExceeded(
        "makes \(count) frames of \(length.counted("element")), expected at most 2^24 "
          + "elements")
    }
    let numbers = (0..<count).flatMap { frame in (0..<length).map { Double(frame * step + $0) } }
    let places = try add(constant: Tensor(.int32, shape: [count, length], numbers))
    return try add(Gather(axis: axis), [value, places])
  }

  /// Adds Keras 3's short-time Fourier transform: real and imaginary parts.
  fileprivate mutating func addTransform() throws(WeighbridgeError) -> [ValueID] {
    var (value, type) = try typedTensor("x", at: 0)
    let (length, frame) = (try integer("sequence_length"), try integer("fft_length"))
    let window: STFT.WindowFunction
    if isNull("window") {
      window = .rectangular
    } else {
      guard let name = try plain("window")?.string, let named = STFT.WindowFunction(rawValue: name),
        named != .rectangular
      else {
        throw .unsupported("has a window of its own numbers; hann, hamming and none are supported")
      }
      window = named
    }
    // Without a window, TensorFlow takes the whole frame.
    let transform = STFT(
      fftLength: frame, windowLength: window == .rectangular ? frame : length,
      step: try integer("sequence_stride"), window: window)
    if let problem = transform.problem { throw .malformed(problem) }
    guard !layer.writer.isJAX, window == .rectangular || length.isMultiple(of: 2) else {
      throw .unsupported(
        "has a window of \(length) samples; of an odd number, or on JAX, it is another one")
    }
    guard type.rank >= 1, type.elementType.isFloat, type.elementType.byteCount >= 4 else {
      throw .malformed("takes signals [..., samples] of float32 or float64, and not \(type)")
    }
    if try flag("center", default: true) {
      let borders = [Int](repeating: 0, count: type.rank - 1) + [frame / 2]
      value = try part(Pad(before: borders, after: borders, mode: .reflect), value)
    }
    return try add(transform, [value])
  }
}
