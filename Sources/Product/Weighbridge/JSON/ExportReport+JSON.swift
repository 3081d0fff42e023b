package import ConversionCore
package import JSON

extension ExportReport {
  /// `{"files": [...], "losses": [...]}`
  package var json: JSONValue {
    .object([
      "files": .array(files.map { .string($0) }),
      "losses": .array(losses.map { .string($0) }),
    ])
  }
}
