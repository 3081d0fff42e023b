import Foundation
import GraphIR
import TestSupport
import Testing
import _CatalogTesting

/// Checks that the tables of what every exporter does with the catalog's examples and the models of
/// `Samples` are up to date.
@Suite struct ExportTableTests {
  /// The models whose file stops with an error on inputs that the model takes, with what the target lacks.
  private static let stopping = [
    "Operations/keras3/embedded.h5":
      "the embeddings of Core ML and Keras 2 have no negative indices"
  ]

  @Test(
    "Every exporter does what the table says (`make generate` renews it)",
    arguments: ExportSubjects.all)
  func isUpToDate(_ subjects: ExportSubjects) throws {
    let computed = ExportTable(of: subjects, workers: Workers(count: Workers.processorCount))
    #expect(computed.exceptions.count == subjects.variants.count)
    for (variant, exceptions) in computed.exceptions {
      for (title, exception) in exceptions {
        let isKnown = exception.hasPrefix("stops: ") && Self.stopping[title] != nil
        guard exception.hasPrefix("wrong: ") || exception.hasPrefix("stops: "), !isKnown else {
          continue
        }
        Issue.record("\(variant.name): \(title): \(exception)")
      }
    }
    if ProcessInfo.processInfo.environment["WEIGHBRIDGE_GENERATE"] == "1" {
      try Files.write(computed.text.utf8, to: subjects.path)
    }
    let text = String(decoding: try Files.read(subjects.path), as: UTF8.self)
    let difference = computed.text.split(separator: "\n")
      .difference(from: text.split(separator: "\n"))
    for change in difference {
      switch change {
      case .insert(_, let line, _): Issue.record("not in the table: \(line)")
      case .remove(_, let line, _): Issue.record("in the table only: \(line)")
      }
    }
  }

  @Test("Each model that is known to stop still does")
  func stops() throws {
    let tables = try ExportSubjects.all.map(ExportTable.init(committed:))
    let rows = tables.flatMap(\.exceptions.values).flatMap { $0 }
    #expect(
      Set(rows.filter { $0.value.hasPrefix("stops: ") }.map(\.key)) == Set(Self.stopping.keys))
  }

  @Test("Reading a table and printing it gives the same text", arguments: ExportSubjects.all)
  func reading(_ subjects: ExportSubjects) throws {
    let text = String(decoding: try Files.read(subjects.path), as: UTF8.self)
    #expect(try ExportTable(committed: subjects).text == text)
  }

  @Test(
    "Every model has a line of its own, and there are at least 230 samples",
    arguments: ExportSubjects.all)
  func titles(_ subjects: ExportSubjects) {
    let titles = subjects.rows.map(\.title)
    #expect(Set(titles).count == titles.count)
    #expect(titles.allSatisfy { !$0.contains(" | ") && !$0.contains("\n") })
    #expect(ExportSubjects.catalog.rows.count == OperatorExample.all.count)
    #expect(ExportSubjects.samples.rows.count >= 230)
  }
}
