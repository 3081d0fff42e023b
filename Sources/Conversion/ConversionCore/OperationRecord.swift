import GraphIR
import JSON
package import LayerCatalog

/// An operator and its settings as a line of JSON, such as
/// `{"operator":"softmax","version":1,"attributes":{"axes":[-1]}}`; `Schemas/operators.md` lists them.
package struct OperationRecord {
  package let operation: any CatalogOperator

  package init(_ operation: any CatalogOperator) { self.operation = operation }

  /// Parses a record; `nil` for other strings and for unknown operators.
  package init?(_ text: String) {
    guard case .object(let record)? = try? JSONValue(parsing: Array(text.utf8)),
      let kind = record["operator"]?.string, let version = record["version"]?.integer,
      let type = Catalog.standard[kind], version == type.version,
      let settings = record["attributes"]?.object
    else { return nil }
    var attributes = Attributes()
    for key in settings.keys {
      guard let value = settings[key].flatMap(AttributeValue.init) else { return nil }
      attributes.append(key, value)
    }
    guard
      var reader = try? AttributeReader(attributes, of: kind, acceptsIntegersAsReals: true),
      let operation = try? type.init(reading: &reader), (try? reader.finish()) != nil
    else { return nil }
    self.operation = operation
  }

  /// The record as JSON.
  package var text: String {
    var settings = JSONObject()
    for (name, value) in operation.attributes.entries { settings[name] = value.json }
    var record = JSONObject()
    record["operator"] = .string(operation.kind)
    record["version"] = .integer(type(of: operation).version)
    record["attributes"] = .object(settings)
    return JSONValue.object(record).text()
  }
}
