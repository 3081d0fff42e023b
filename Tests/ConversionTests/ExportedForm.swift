import Bytes
import ConversionCore
import GraphIR
import NCNNFormat
import TestSupport
import Weighbridge

/// A model to export, with inputs and the outputs that it computes from them.
struct ExportSubject: Sendable {
  let content: ModelContent
  let inputs: [NamedTensor]
  let outputs: [NamedTensor]
}

/// The result of exporting a model to a variant of a target.
enum ExportedForm: Hashable, Sendable {
  /// A file was written; that of a target's default version was read again and computes the same.
  case written
  /// A file was written that cannot be read again or takes other arrays, with the reason.
  case notReadBack(String)
  /// Nothing was written, with the reason.
  case refused(String)
  /// Something happened that must not happen.
  case wrong(String)

  /// The text in the table; `nil` for what the table only counts.
  var text: String? {
    switch self {
    case .written: nil
    case .notReadBack(let reason): "not read back: \(reason)"
    case .refused(let reason): "refused: \(reason)"
    case .wrong(let reason): "wrong: \(reason)"
    }
  }
}

extension ExportedForm {
  /// Exports a model and, for the default version of the target, runs what was written.
  init(of subject: ExportSubject, as variant: ExportVariant) {
    do {
      let folder = try TemporaryFolder()
      let path = folder.file("m.\(variant.target.fileExtension)")
      let report: ExportReport
      do {
        report = try subject.content.export(
          to: path, as: variant.target, options: variant.options)
      } catch {
        self =
          error.code == .unsupported && folder.names.isEmpty
          ? .refused(Self.reason(error)) : .wrong("\(error.code), with \(folder.names): \(error)")
        return
      }
      guard report.files.sorted() == folder.names.map(folder.file) else {
        self = .wrong("left \(folder.names) and said \(report.files)")
        return
      }
      switch variant.target {
      case .ncnn: self = try Self.ncnn(report, subject)
      case _ where variant.version == nil: self = try Self.copy(path, subject, report, variant)
      default: self = .written
      }
    } catch { self = .wrong("\(error)") }
  }

  /// The reason of an error on one line: of a list of layers only the list, without the name of an
  /// example's only layer.
  static func reason(_ error: WeighbridgeError) -> String {
    let lines = error.reason.split(separator: "\n").map { String($0.drop { $0 == " " }) }
    return lines.dropFirst(lines.count > 1 ? 1 : 0).joined(separator: "; ")
      .replacing("layer (Layer): ", with: "")
  }

  /// Reads both files of ncnn, and checks that every blob is produced once and before it is read,
  /// and that the inputs and outputs are the model's.
  private static func ncnn(
    _ report: ExportReport, _ subject: ExportSubject
  ) throws -> ExportedForm {
    let model = try NCNNModel([UInt8](try Files.read(report.files[0])))
    let layers = try ByteStore([UInt8](try Files.read(report.files[1]))).withBytes {
      (bytes) throws(WeighbridgeError) in
      try NCNNFile(model, weights: bytes).model.layers
    }
    var (produced, unread) = (Set<String>(), Set<String>())
    for layer in layers {
      let isSound =
        layer.inputs.allSatisfy { unread.remove($0) != nil }
        && layer.outputs.allSatisfy { produced.insert($0).inserted }
      guard isSound else { return .wrong("\(layer.name) reads or repeats other blobs") }
      unread.formUnion(layer.outputs)
    }
    let inputs = layers.filter { $0.type == "Input" }.flatMap(\.outputs)
    let graph = subject.content.graph
    guard inputs.count == graph.inputs.count else { return .wrong("has the inputs \(inputs)") }
    // A name that ncnn cannot write is changed, with a note.
    let renamed = report.notes.compactMap { $0.firstRange(of: " is called ") == nil ? nil : $0 }
    let outputs = graph.outputs.map(\.name).filter { name in
      !renamed.contains { $0.hasPrefix("\(name) is called ") }
    }
    return unread.isSuperset(of: outputs)
      ? .written : .wrong("has the outputs \(unread.sorted()), and not \(outputs)")
  }

  /// Reads the file and computes with it.
  private static func copy(
    _ path: String, _ subject: ExportSubject, _ report: ExportReport, _ variant: ExportVariant
  ) throws -> ExportedForm {
    let copy: Model
    do { copy = try Model(contentsOf: path) } catch { return .notReadBack(reason(error)) }
    var options = RunOptions()
    options.engine = .reference
    let outputs: [NamedTensor]
    do {
      outputs = try PortableRun(copy, report, variant.target, options: options)
        .outputs(subject.inputs, like: subject.outputs)
    } catch let mismatch as PortableRun.Mismatch {
      return .notReadBack(mismatch.reason)
    }
    return difference(outputs, subject, variant).map { .wrong($0) } ?? .written
  }

  /// How outputs differ from what the model computes; `nil` when they do not.
  private static func difference(
    _ outputs: [NamedTensor], _ subject: ExportSubject, _ variant: ExportVariant
  ) -> String? {
    let expected = subject.outputs
    guard !expected.isEmpty, outputs.count == expected.count else {
      return "\(outputs.count) outputs, and not \(expected.count)"
    }
    for (distance, pair) in zip(
      distances(actual: outputs, expected: expected), zip(outputs, expected))
    {
      let (output, expectedOutput) = pair
      let type = expectedOutput.tensor.elementType
      // Targets without narrower numbers do not round what the model rounds on the way.
      let types = variant.target.hasNarrowFloats ? [type] : subject.floatTypes + [type]
      let limit = types.map { max(1e-4, 2 * Tolerance.standard(for: $0).absolute) }.max() ?? 1e-4
      guard distance.error <= limit, variant.target != .onnx || output.tensor.elementType == type
      else { return "\(distance), \(output.tensor.type) for \(expectedOutput.tensor.type)" }
    }
    return nil
  }
}

extension ExportSubject {
  /// The floating-point types of the values in the model.
  fileprivate var floatTypes: [ElementType] {
    Array(Set(content.graph.values.map(\.type.elementType).filter(\.isFloat)))
  }
}

extension ExportFormat {
  /// Whether it has floating-point numbers of 16 bits.
  fileprivate var hasNarrowFloats: Bool {
    switch self {
    case .coreml, .ncnn, .tflite, .darknet: false
    default: true
    }
  }
}
