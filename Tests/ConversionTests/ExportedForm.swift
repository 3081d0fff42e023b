import Bytes
import ConversionCore
import GraphIR
import TestSupport
import Weighbridge

/// A model to export, and what it computes.
struct ExportSubject: Sendable {
  let content: ModelContent
  let inputs: [NamedTensor]
  let outputs: [NamedTensor]
}

/// What became of a model in a target.
enum ExportedForm: Hashable, Sendable {
  /// A file was written; of a target's usual version it was read again, and computes the same.
  case written
  /// A file was written that is not read again, or takes other arrays, for this reason.
  case notReadBack(String)
  /// Nothing was written, for this reason.
  case refused(String)
  /// Something happened that must not.
  case wrong(String)

  /// The words of the table; `nil` for what the table only counts.
  var words: String? {
    switch self {
    case .written: nil
    case .notReadBack(let reason): "not read back: \(reason)"
    case .refused(let reason): "refused: \(reason)"
    case .wrong(let reason): "wrong: \(reason)"
    }
  }
}

extension ExportedForm {
  /// Exports a model and, in the usual version of the target, runs what was written.
  init(of subject: ExportSubject, as variant: ExportVariant) {
    do {
      let folder = try TemporaryFolder()
      let path = folder.file("m.\(variant.target.fileExtension)")
      let report: ExportReport
      do {
        report = try subject.content.export(
          to: path, as: variant.target, options: variant.options, cancellation: nil)
      } catch {
        self =
          error.code == .unsupported && folder.names.isEmpty
          ? .refused(Self.words(error)) : .wrong("\(error.code), with \(folder.names): \(error)")
        return
      }
      guard report.files == folder.names.map(folder.file) else {
        self = .wrong("left \(folder.names) and said \(report.files)")
        return
      }
      self = variant.version == nil ? try Self.copy(path, subject, report, variant) : .written
    } catch { self = .wrong("\(error)") }
  }

  /// The reason on one line: of a list of layers the list alone, without the name of an example's
  /// only layer.
  static func words(_ error: WeighbridgeError) -> String {
    let lines = error.reason.split(separator: "\n").map { String($0.drop { $0 == " " }) }
    return lines.dropFirst(lines.count > 1 ? 1 : 0).joined(separator: "; ")
      .replacing("layer (Layer): ", with: "")
  }

  /// Reads the file and computes with it.
  private static func copy(
    _ path: String, _ subject: ExportSubject, _ report: ExportReport, _ variant: ExportVariant
  ) throws -> ExportedForm {
    let copy: Model
    do { copy = try Model(contentsOf: path) } catch { return .notReadBack(words(error)) }
    var options = RunOptions()
    options.engine = .reference
    let outputs: [NamedTensor]
    do {
      outputs = try PortableRun(copy, report, variant.target, options: options)
        .outputs(subject.inputs, like: subject.outputs)
    } catch let misfit as PortableRun.Misfit {
      return .notReadBack(misfit.reason)
    }
    return difference(outputs, subject.outputs, variant).map { .wrong($0) } ?? .written
  }

  /// How outputs differ from what the model computes; `nil` when they do not.
  private static func difference(
    _ outputs: [NamedTensor], _ wanted: [NamedTensor], _ variant: ExportVariant
  ) -> String? {
    guard !wanted.isEmpty, outputs.count == wanted.count else {
      return "\(outputs.count) outputs, and not \(wanted.count)"
    }
    for (distance, (output, want)) in zip(
      distances(got: outputs, want: wanted), zip(outputs, wanted))
    {
      let type = want.tensor.elementType
      let limit = max(1e-4, 2 * Tolerance.standard(for: type).absolute)
      guard distance.error <= limit, variant.target != .onnx || output.tensor.elementType == type
      else { return "\(distance), \(output.tensor.type) for \(want.tensor.type)" }
    }
    return nil
  }
}
