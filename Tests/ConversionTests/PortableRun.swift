import GraphIR
import TestSupport
import Weighbridge

/// Runs an exported copy on arrays in the original's axis order. Core ML and darknet take one image
/// at a time, channels first.
struct PortableRun {
  /// The error for arrays that the copy cannot take or return in the original's axis order.
  struct Mismatch: Error { let reason: String }

  private let model: Model
  private let target: ExportFormat
  private let options: RunOptions
  private let transposedNames: Set<String>

  init(
    _ model: Model, _ report: ExportReport, _ target: ExportFormat,
    options: RunOptions = RunOptions()
  ) {
    self.model = model
    self.target = target
    self.options = options
    let suffix = " has its channels first"
    transposedNames = Set(
      report.notes.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) })
  }

  /// The copy's outputs, in the axis order of the original's.
  func outputs(_ inputs: [NamedTensor], like original: [NamedTensor]) throws -> [NamedTensor] {
    guard target == .coreml || target == .darknet else {
      return try model.run(inputs, options: options).outputs
    }
    guard model.inputs.count == inputs.count, model.outputs.count == original.count else {
      throw Mismatch(reason: "it has other numbers of inputs and outputs")
    }
    let batch = inputs.first?.tensor.shape.first ?? 1
    // A batch of a fixed size is run as a whole.
    let size =
      zip(model.inputs, inputs).allSatisfy { port, input in
        port.type.rank == input.tensor.shape.count && port.type.shape.first?.value == batch
      } ? batch : 1
    guard size == batch || (inputs + original).allSatisfy({ $0.tensor.shape.first == batch }) else {
      throw Mismatch(reason: "it takes one example, and an array has another first axis")
    }
    var parts: [[Tensor]] = []
    for start in stride(from: 0, to: batch, by: size) {
      let modelInputs = try zip(inputs, model.inputs).map { input, port in
        let part = size == batch ? input.tensor : input.tensor.slice(start..<start + size, along: 0)
        return NamedTensor(name: port.name, tensor: try fitted(part, to: port))
      }
      parts.append(
        zip(try model.run(modelInputs, options: options).outputs, original).map {
          output, reference in
          let part =
            size == batch
            ? reference.tensor : reference.tensor.slice(start..<start + size, along: 0)
          return restored(output.tensor, output.name, like: part)
        })
    }
    return model.outputs.indices.map { index in
      NamedTensor(name: model.outputs[index].name, tensor: Self.stacked(parts.map { $0[index] }))
    }
  }

  /// An array in the axis order that the copy takes.
  private func fitted(_ tensor: Tensor, to port: ModelPort) throws -> Tensor {
    let rank = tensor.shape.count
    let isTransposed =
      target == .darknet
      ? rank == 4 && !port.type.agrees(with: tensor.type) : transposedNames.contains(port.name)
    var part = tensor
    if isTransposed { part = part.permuted([0, rank - 1] + Array(1..<rank - 1)).contiguous() }
    if port.type.rank == rank { return part }
    let shape =
      target == .darknet ? port.type.shape.compactMap(\.value) : Array(part.shape.dropFirst())
    guard shape.reduce(1, *) == part.count else {
      throw Mismatch(
        reason: "its input \(port.name) is \(port.type), and the original's \(tensor.type)")
    }
    return part.reshaped(shape)
  }

  /// An output in the axis order of the original's. darknet's outputs have one of two orders, of
  /// which the one closer to the original is taken.
  private func restored(_ tensor: Tensor, _ name: String, like original: Tensor) -> Tensor {
    guard tensor.count == original.count else { return tensor }
    let rank = original.shape.count
    let unchanged = tensor.reshaped(original.shape)
    guard rank >= 3, target == .darknet || transposedNames.contains(name) else { return unchanged }
    let shape = [original.shape[0], original.shape[rank - 1]] + original.shape[1..<rank - 1]
    let transposed = tensor.reshaped(Array(shape))
      .permuted([0] + Array(2..<rank) + [1]).contiguous()
    guard target == .darknet else { return transposed }
    return min(
      Distance(actual: unchanged, expected: original),
      Distance(actual: transposed, expected: original))
      == Distance(actual: unchanged, expected: original) ? unchanged : transposed
  }

  private static func stacked(_ parts: [Tensor]) -> Tensor {
    if parts.count == 1 { return parts[0] }
    let shape = [parts.reduce(0) { $0 + $1.shape[0] }] + parts[0].shape.dropFirst()
    return Tensor(parts[0].elementType, shape: shape, bytes: parts.flatMap { $0.contiguousBytes() })
  }
}
