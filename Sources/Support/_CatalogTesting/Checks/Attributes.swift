import Bytes
import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Finds problems in how the operator is stored. Writing its attributes and reading them must
  /// give an equal operator, and a missing, surplus, repeated or wrongly typed attribute must be
  /// refused.
  package func attributeProblems() -> [String] {
    let stored = operation.attributes
    var problems: [String] = []
    do throws(WeighbridgeError) {
      let copy = try read(stored)
      if AnyHashable(copy) != AnyHashable(operation) { problems.append("reads as \(copy)") }
    } catch { problems.append("is not read back: \(error)") }
    for (what, attributes) in invalidVariants(of: stored) {
      // A missing optional attribute is also missing when the operator is stored again.
      guard let copy = try? read(attributes), copy.attributes != attributes else { continue }
      problems.append("is read \(what)")
    }
    let type = type(of: operation)
    for version in type.earliestVersion...type.version
    where (try? read(stored, version: version)) == nil {
      problems.append("is not read as version \(version)")
    }
    for version in [type.earliestVersion - 1, type.version + 1]
    where (try? read(stored, version: version)) != nil {
      problems.append("is read as version \(version)")
    }
    return problems
  }

  private func read(
    _ attributes: Attributes, version: Int? = nil
  ) throws(WeighbridgeError) -> any CatalogOperator {
    try Catalog.standard.makeOperator(
      kind: operation.kind, version: version ?? type(of: operation).version,
      attributes: attributes, subgraphs: operation.subgraphs)
  }

  private func invalidVariants(of attributes: Attributes) -> [(what: String, Attributes)] {
    let entries = attributes.entries
    var result = [("with a surplus attribute", Attributes(entries + [("surplus", .boolean(true))]))]
    for (index, entry) in entries.enumerated() {
      var missing = entries
      missing.remove(at: index)
      result.append(("without \(entry.name)", Attributes(missing)))
      var wrong = entries
      wrong[index].value = Self.valueOfOtherType(than: entry.value)
      result.append(("with \(entry.name) of a wrong type", Attributes(wrong)))
      result.append(("with \(entry.name) twice", Attributes(entries + [entry])))
    }
    return result
  }

  private static func valueOfOtherType(than value: AttributeValue) -> AttributeValue {
    switch value {
    case .integer(let value): .real(Double(value))
    case .real: .integer(1)
    case .boolean(let value): .integer(value ? 1 : 0)
    case .string(let value): .strings([value])
    case .integers(let values): .reals(values.map { Double($0) })
    case .reals: .integers([])
    case .strings: .string("")
    }
  }
}
