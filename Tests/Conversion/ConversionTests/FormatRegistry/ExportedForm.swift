import Bytes
import ConversionCore
import GraphIR
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
  /// A file was written that does not run with the model's inputs, with the reason.
  case stopped(String)
  /// Nothing was written, with the reason.
  case refused(String)
  /// Something happened that must not happen.
  case wrong(String)

  /// The text in the table; `nil` for what the table only counts.
  var text: String? {
    switch self {
    case .written: nil
    case .notReadBack(let reason): "not read back: \(reason)"
    case .stopped(let reason): "stops: \(reason)"
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
      self = variant.version == nil ? try Self.compared(path, subject, report, variant) : .written
    } catch { self = .wrong("\(error)") }
  }

  /// The reason of an error on one line: of a list of layers only the list, without the name of an
  /// example's only layer.
  static func reason(_ error: WeighbridgeError) -> String {
    let lines = error.reason.split(separator: "\n").map { String($0.drop { $0 == " " }) }
    return lines.dropFirst(lines.count > 1 ? 1 : 0).joined(separator: "; ")
      .replacing("layer (Layer): ", with: "")
  }

  /// Reads the file and computes with it.
  private static func compared(
    _ path: String, _ subject: ExportSubject, _ report: ExportReport, _ variant: ExportVariant
  ) throws -> ExportedForm {
    // A module is no model that is read; `make test-peers` runs it.
    if variant.target == .pyTorch {
      return try PyTorchFiles(report).problem.map { .wrong($0) } ?? .written
    }
    let outputs: [NamedTensor]
    do {
      let run =
        variant.target == .ncnn
        ? try PortableRun(ncnn: report, of: subject.content.graph)
        : try Self.copy(path, report, variant)
      outputs = try run.outputs(subject.inputs, like: subject.outputs)
    } catch let mismatch as PortableRun.Mismatch {
      return .notReadBack(mismatch.reason)
    } catch let error as WeighbridgeError where error.code == .mismatch {
      return .stopped(Self.reason(error))
    }
    return difference(outputs, subject, variant).map { .wrong($0) } ?? .written
  }

  /// Reads the file.
  private static func copy(
    _ path: String, _ report: ExportReport, _ variant: ExportVariant
  ) throws -> PortableRun {
    var options = RunOptions()
    options.engine = .reference
    let model: Model
    do {
      model = try Model(contentsOf: path)
    } catch { throw PortableRun.Mismatch(reason: reason(error)) }
    return PortableRun(model, report, variant.target, options: options)
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
    case .coreml, .mlpackage, .ncnn, .tflite, .darknet: false
    default: true
    }
  }
}
