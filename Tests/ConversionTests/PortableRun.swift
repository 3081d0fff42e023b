import GraphIR
import TestSupport
import Weighbridge

/// Runs a copy on arrays of the original's axes. Core ML takes one image at a time, channels first,
/// and so does darknet.
struct PortableRun {
  /// Arrays that the copy cannot take or give in the original's order of axes.
  struct Misfit: Error { let reason: String }

  private let model: Model
  private let target: ExportTarget
  private let options: RunOptions
  private let turned: Set<String>

  init(
    _ model: Model, _ report: ExportReport, _ target: ExportTarget,
    options: RunOptions = RunOptions()
  ) {
    self.model = model
    self.target = target
    self.options = options
    let suffix = " has its channels first"
    turned = Set(
      report.losses.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) })
  }

  /// The copy's outputs, in the axes of the original's.
  func outputs(_ inputs: [NamedTensor], like wanted: [NamedTensor]) throws -> [NamedTensor] {
    guard target == .coreml || target == .darknet else {
      return try model.run(inputs, options: options).outputs
    }
    guard model.inputs.count == inputs.count, model.outputs.count == wanted.count else {
      throw Misfit(reason: "it has other numbers of inputs and outputs")
    }
    let batch = inputs.first?.tensor.shape.first ?? 1
    // A batch of a fixed size is run as a whole.
    let size =
      zip(model.inputs, inputs).allSatisfy { port, input in
        port.type.rank == input.tensor.shape.count && port.type.shape.first?.value == batch
      } ? batch : 1
    guard size == batch || (inputs + wanted).allSatisfy({ $0.tensor.shape.first == batch }) else {
      throw Misfit(reason: "it takes one example, and an array has another first axis")
    }
    var parts: [[Tensor]] = []
    for start in stride(from: 0, to: batch, by: size) {
      let given = try zip(inputs, model.inputs).map { input, port in
        let part = size == batch ? input.tensor : input.tensor.slice(start..<start + size, along: 0)
        return NamedTensor(name: port.name, tensor: try fitted(part, to: port))
      }
      parts.append(
        zip(try model.run(given, options: options).outputs, wanted).map { output, want in
          let part = size == batch ? want.tensor : want.tensor.slice(start..<start + size, along: 0)
          return back(output.tensor, output.name, like: part)
        })
    }
    return model.outputs.indices.map { index in
      NamedTensor(name: model.outputs[index].name, tensor: Self.stacked(parts.map { $0[index] }))
    }
  }

  /// An array with the axes that the copy takes.
  private func fitted(_ tensor: Tensor, to port: ModelPort) throws -> Tensor {
    let rank = tensor.shape.count
    let isTransposed =
      target == .darknet
      ? rank == 4 && !port.type.agrees(with: tensor.type) : turned.contains(port.name)
    var part = tensor
    if isTransposed { part = part.permuted([0, rank - 1] + Array(1..<rank - 1)).contiguous() }
    if port.type.rank == rank { return part }
    let shape =
      target == .darknet ? port.type.shape.compactMap(\.value) : Array(part.shape.dropFirst())
    guard shape.reduce(1, *) == part.count else {
      throw Misfit(
        reason: "its input \(port.name) is \(port.type), and the original's \(tensor.type)")
    }
    return part.reshaped(shape)
  }

  /// An output with the axes of the original's. darknet's are in one of two orders: that which is
  /// nearer.
  private func back(_ tensor: Tensor, _ name: String, like wanted: Tensor) -> Tensor {
    guard tensor.count == wanted.count else { return tensor }
    let rank = wanted.shape.count
    let plain = tensor.reshaped(wanted.shape)
    guard rank >= 3, target == .darknet || turned.contains(name) else { return plain }
    let first = [wanted.shape[0], wanted.shape[rank - 1]] + wanted.shape[1..<rank - 1]
    let last = tensor.reshaped(Array(first)).permuted([0] + Array(2..<rank) + [1]).contiguous()
    guard target == .darknet else { return last }
    return min(Distance(got: plain, want: wanted), Distance(got: last, want: wanted))
      == Distance(got: plain, want: wanted) ? plain : last
  }

  private static func stacked(_ parts: [Tensor]) -> Tensor {
    if parts.count == 1 { return parts[0] }
    let shape = [parts.reduce(0) { $0 + $1.shape[0] }] + parts[0].shape.dropFirst()
    return Tensor(parts[0].elementType, shape: shape, bytes: parts.flatMap { $0.contiguousBytes() })
  }
}
