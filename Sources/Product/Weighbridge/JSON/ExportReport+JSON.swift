package import ConversionCore
package import JSON

extension ExportReport {
  /// `{"files": [...], "notes": [...]}`, and the notes again as `losses`, the name in version 0.2.
  package var json: JSONValue {
    let notes = JSONValue.array(notes.map { .string($0) })
    return .object([
      "files": .array(files.map { .string($0) }), "losses": notes, "notes": notes,
    ])
  }
}
