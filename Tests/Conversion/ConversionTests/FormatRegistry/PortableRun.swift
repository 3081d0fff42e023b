import GraphIR
import TestSupport
import Weighbridge

/// Runs an exported copy on arrays in the original's axis order. Core ML, darknet and ncnn take one
/// image at a time, channels first; TFLite takes images channels last.
struct PortableRun {
  /// The error for arrays that the copy cannot take or return in the original's axis order.
  struct Mismatch: Error { let reason: String }

  /// An input or an output of the copy, with its type if the file says it.
  private struct Port {
    /// The name in the copy.
    let name: String
    /// The name in the original.
    var originalName: String? = nil
    let type: TensorType?
    /// Whether its channels are elsewhere than the original's.
    let isTransposed: Bool
  }

  private let target: ExportFormat
  private let inputs, outputs: [Port]
  private let run: ([NamedTensor]) throws -> [NamedTensor]

  /// Runs a file that can be read again.
  init(
    _ model: Model, _ report: ExportReport, _ target: ExportFormat,
    options: RunOptions = RunOptions()
  ) {
    self.target = target
    let ports = { (ports: [ModelPort]) in
      ports.map {
        let original = report.oldName(of: $0.name)
        return Port(
          name: $0.name, originalName: original, type: $0.type,
          isTransposed: report.hasTransposed(original))
      }
    }
    (inputs, outputs) = (ports(model.inputs), ports(model.outputs))
    run = { try model.run($0, options: options).outputs }
  }

  /// Runs the files of ncnn.
  ///
  /// - Parameter original: The graph that they were made of.
  init(ncnn report: ExportReport, of original: Graph) throws {
    let interpreter = try NCNNInterpreter(report.files)
    target = .ncnn
    inputs = zip(original.inputs, interpreter.inputs).map {
      Port(name: $1, type: nil, isTransposed: report.hasTransposed($0.name))
    }
    outputs = original.outputs.map { port in
      Port(
        name: report.newName(of: port.name), type: nil,
        isTransposed: report.hasTransposed(port.name))
    }
    let names = outputs.map(\.name)
    run = { arrays in
      let blobs = try interpreter.outputs(
        Dictionary(arrays.map { ($0.name, $0.tensor) }, uniquingKeysWith: { first, _ in first }))
      guard Set(blobs.keys).isSuperset(of: names) else {
        throw NCNNInterpreter.Unknown(layer: "computes \(blobs.keys.sorted()), and not \(names)")
      }
      return names.compactMap { name in blobs[name].map { NamedTensor(name: name, tensor: $0) } }
    }
  }

  /// The copy's outputs, in the axis order of the original's.
  func outputs(_ inputs: [NamedTensor], like original: [NamedTensor]) throws -> [NamedTensor] {
    guard
      [.coreml, .mlpackage, .darknet, .ncnn].contains(target)
        || (self.inputs + outputs).contains(where: \.isTransposed)
    else { return try run(inputs) }
    guard self.inputs.count == inputs.count, outputs.count == original.count else {
      throw Mismatch(reason: "it has other numbers of inputs and outputs")
    }
    if let reason = unsuited(inputs) { throw Mismatch(reason: reason) }
    let batch = inputs.first?.tensor.shape.first ?? 1
    // A batch of a fixed size is run as a whole, and every batch where there are some.
    let isWhole =
      target == .tflite
      || zip(self.inputs, inputs).allSatisfy { port, input in
        port.type?.rank == input.tensor.shape.count && port.type?.shape.first?.value == batch
      }
    let size = isWhole ? batch : 1
    guard size == batch || (inputs + original).allSatisfy({ $0.tensor.shape.first == batch }) else {
      throw Mismatch(reason: "it takes one example, and an array has another first axis")
    }
    var parts: [[Tensor]] = []
    for start in stride(from: 0, to: batch, by: size) {
      let copyInputs = try zip(inputs, self.inputs).map { input, port in
        let part = size == batch ? input.tensor : input.tensor.slice(start..<start + size, along: 0)
        return NamedTensor(name: port.name, tensor: try fitted(part, to: port))
      }
      parts.append(
        zip(zip(try run(copyInputs), outputs), original).map { result, reference in
          let part =
            size == batch
            ? reference.tensor : reference.tensor.slice(start..<start + size, along: 0)
          return restored(result.0.tensor, result.1, like: part)
        })
    }
    let results = outputs.indices.map { index in
      NamedTensor(
        name: outputs[index].originalName ?? outputs[index].name,
        tensor: Self.stacked(parts.map { $0[index] }))
    }
    if target == .ncnn, zip(results, original).contains(where: { Self.losesFinite($0, of: $1) }) {
      throw Mismatch(reason: "ncnn gives infinities or NaN, since it selects by multiplying")
    }
    return results
  }

  /// Why the copy cannot be given some arrays: ncnn selects by multiplying, and the arrays of ncnn and
  /// Core ML hold numbers of float32.
  private func unsuited(_ inputs: [NamedTensor]) -> String? {
    for input in inputs where target == .ncnn || target == .coreml {
      let numbers = input.tensor.doubles
      if target == .ncnn, numbers.contains(where: { !$0.isFinite }) {
        return "an input has infinities or NaN, which ncnn does not keep apart"
      }
      if input.tensor.elementType.isInteger,
        numbers.contains(where: { Double(Float($0)) != $0 || $0.magnitude >= 0x1p53 })
      {
        return "an input has integers that float32 does not hold"
      }
    }
    return nil
  }

  /// An array in the axis order that the copy takes.
  private func fitted(_ tensor: Tensor, to port: Port) throws -> Tensor {
    let rank = tensor.shape.count
    let isTransposed =
      target == .darknet
      ? rank == 4 && port.type?.agrees(with: tensor.type) != true : port.isTransposed
    var part = tensor
    if isTransposed { part = part.permuted(order(rank)).contiguous() }
    if port.type?.rank == rank { return part }
    // Core ML has no arrays without axes.
    if rank == 0, port.type?.fixedShape == [1] { return part.reshaped([1]) }
    let shape =
      target == .darknet
      ? port.type?.shape.compactMap(\.value) ?? [] : Array(part.shape.dropFirst())
    guard shape.reduce(1, *) == part.count else {
      let type = port.type.map { "\($0)" } ?? "one example"
      throw Mismatch(
        reason: "its input \(port.name) is \(type), and the original's \(tensor.type)")
    }
    if target == .ncnn {
      return Tensor(.float32, shape: shape.isEmpty ? [1] : shape, part.doubles)
    }
    return part.reshaped(shape)
  }

  /// An output in the axis order of the original's. darknet's outputs have one of two orders, of
  /// which the one closer to the original is taken.
  private func restored(_ tensor: Tensor, _ port: Port, like original: Tensor) -> Tensor {
    guard tensor.count == original.count else { return tensor }
    let rank = original.shape.count
    let unchanged = tensor.reshaped(original.shape)
    guard rank >= 3, target == .darknet || port.isTransposed else { return unchanged }
    let axes = order(rank)
    let transposed = tensor.reshaped(axes.map { original.shape[$0] })
      .permuted(axes.indices.map { axis in axes.firstIndex(of: axis) ?? axis }).contiguous()
    guard target == .darknet else { return transposed }
    return min(
      Distance(actual: unchanged, expected: original),
      Distance(actual: transposed, expected: original))
      == Distance(actual: unchanged, expected: original) ? unchanged : transposed
  }

  /// The axes of the original in the copy's order.
  private func order(_ rank: Int) -> [Int] {
    target == .tflite ? [0] + Array(2..<rank) + [1] : [0, rank - 1] + Array(1..<rank - 1)
  }

  /// Whether an element is infinite or NaN that is a finite number in the original's array.
  private static func losesFinite(_ result: NamedTensor, of original: NamedTensor) -> Bool {
    zip(result.tensor.doubles, original.tensor.doubles).contains { !$0.isFinite && $1.isFinite }
  }

  private static func stacked(_ parts: [Tensor]) -> Tensor {
    if parts.count == 1 { return parts[0] }
    let shape = [parts.reduce(0) { $0 + $1.shape[0] }] + parts[0].shape.dropFirst()
    return Tensor(parts[0].elementType, shape: shape, bytes: parts.flatMap { $0.contiguousBytes() })
  }
}

extension ExportReport {
  /// Whether an input or output has its channels first, and the original's are not.
  fileprivate func hasTransposed(_ name: String) -> Bool {
    notes.contains("\(name) has its channels first")
      || notes.contains("\(name) has its channels last")
  }

  /// The name that an input or output of a Core ML package has in the model.
  fileprivate func oldName(of name: String) -> String {
    let end = " is called \(name), as Core ML allows letters, digits and underscores"
    let note = notes.first { $0.hasSuffix(end) }
    return note.map { String($0.dropLast(end.count)) } ?? name
  }

  /// The name that an input or output has in the files.
  fileprivate func newName(of name: String) -> String {
    let prefix = "\(name) is called "
    let note = notes.first { $0.hasPrefix(prefix) }
    return note.map { String($0.dropFirst(prefix.count)) } ?? name
  }
}
