import Bytes
import GraphIR
import TestSupport
import Weighbridge

/// What every exporter does with some models, as committed in a file or as computed.
struct ExportTable: Sendable {
  let subjects: ExportSubjects
  /// For each variant, what happened to models that were not simply written, by title.
  private(set) var exceptions: [ExportVariant: [String: String]] = [:]
  /// For each variant, the line with the counts.
  private var counts: [ExportVariant: String] = [:]

  init(_ subjects: ExportSubjects) { self.subjects = subjects }

  /// The committed table of the catalog's examples.
  static let catalog = Result { try ExportTable(committed: .catalog) }

  /// Whether a model is not written in a variant.
  func isRefused(_ title: String, in variant: ExportVariant) -> Bool {
    exceptions[variant]?[title]?.hasPrefix("refused: ") == true
  }
}

extension ExportTable {
  /// Computes the table of what the exporters do.
  init(of subjects: ExportSubjects, workers: Workers) {
    self.init(subjects)
    let forms = workers.map(subjects.rows.count) { number in
      subjects.variants.map { variant -> ExportedForm in
        do {
          return ExportedForm(of: try subjects.rows[number].read(variant), as: variant)
        } catch let error as WeighbridgeError where variant.openCount > 0 {
          return .refused("is not a model: \(error)")
        } catch { return .wrong("\(error)") }
      }
    }
    for (column, variant) in subjects.variants.enumerated() {
      let texts = zip(subjects.rows, forms).compactMap { row, forms in
        forms[column].text.map { (row.title, $0) }
      }
      exceptions[variant] = Dictionary(texts) { first, _ in first }
      let (all, refused) = (forms.count, texts.count { $0.1.hasPrefix("refused: ") })
      counts[variant] = "## \(variant.name): \(all - refused) of \(all) written"
    }
  }

  /// The table as text. Variants other than a target's default list only their differences from it.
  var text: String {
    let parts = subjects.variants.map { variant in
      let (usual, own) = (exceptions[variant.usual] ?? [:], exceptions[variant] ?? [:])
      let lines = subjects.rows.compactMap { row -> String? in
        let inherited = variant.isUsual ? nil : variant.inherited(usual[row.title])
        guard inherited != own[row.title] else { return nil }
        return "\(row.title) | \(own[row.title] ?? "written")"
      }
      return ([counts[variant] ?? ""] + lines).joined(separator: "\n")
    }
    return ([subjects.introduction] + parts).joined(separator: "\n\n") + "\n"
  }

  /// Reads the committed table.
  init(committed subjects: ExportSubjects) throws {
    self.init(subjects)
    let text = String(decoding: try Files.read(subjects.path), as: UTF8.self)
    for part in text.split(separator: "\n\n").dropFirst() {
      let lines = part.split(separator: "\n").map(String.init)
      let title = subjects.variants.first { lines[0].hasPrefix("## \($0.name): ") }
      guard let variant = title else {
        throw WeighbridgeError(.malformed, "\(lines[0]) is no form of a target")
      }
      let usual = variant.isUsual ? [:] : exceptions[variant.usual] ?? [:]
      var own = usual.compactMapValues(variant.inherited)
      for line in lines.dropFirst() {
        guard let bar = line.firstRange(of: " | ") else {
          throw WeighbridgeError(.malformed, "\(line) is no line of a table")
        }
        let exception = String(line[bar.upperBound...])
        own[String(line[..<bar.lowerBound])] = exception == "written" ? nil : exception
      }
      exceptions[variant] = own
      counts[variant] = lines[0]
    }
  }
}

extension ExportVariant {
  /// The exception of the default variant that also applies to this one: only files of the default
  /// version are read again.
  fileprivate func inherited(_ exception: String?) -> String? {
    version == nil || exception?.hasPrefix("refused: ") == true ? exception : nil
  }
}
