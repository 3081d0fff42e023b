import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions of signals: their frames, their spectra, and shifts of these.
extension KerasFunctionTable {
  static let signals: [Entry] =
    [
      Entry(["ExtractSequences"]) { (call) throws(WeighbridgeError) in
        let value = try call.tensor("x", at: 0)
        let length = try call.integer("sequence_length")
        let step = try call.integer("sequence_stride")
        let axis = call.type(of: value).rank - 1
        let size = try axis >= 0 ? call.size(axis, of: value) : 0
        guard (1...1 << 24).contains(step), (1...max(1, size)).contains(length), size > 0 else {
          throw .unsupported(
            "takes sequences of \(length) elements, \(step) apart, of \(call.type(of: value)), "
              + "expected at least one sequence")
        }
        let starts = Array(stride(from: 0, through: size - length, by: step))
        let count = try Checked.product([starts.count, length], of: "the number of elements")
        guard count <= 1 << 24 else {
          throw .limitExceeded("takes sequences of \(count) elements, expected at most 2^24")
        }
        let places = starts.flatMap { start in (0..<length).map { Double(start + $0) } }
        let indices = try call.add(
          constant: Tensor(.int32, shape: [starts.count, length], places))
        return try call.add(Gather(axis: axis), [value, indices])
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
