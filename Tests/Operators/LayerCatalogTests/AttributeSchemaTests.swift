import Bytes
import GraphIR
import LayerCatalog
import Testing

/// Checks that reading refuses settings that an operator's declaration does not allow.
@Suite struct AttributeSchemaTests {
  /// The reason why reading stored settings as an operator fails; empty if it does not.
  private func problem<Operation: CatalogOperator>(
    _ type: Operation.Type, _ attributes: Attributes
  ) -> String {
    do throws(WeighbridgeError) {
      var reader = try AttributeReader(attributes, of: Operation.kind)
      _ = try Operation(reading: &reader)
      try reader.finish()
      return ""
    } catch { return error.reason }
  }

  private func pad(_ mode: String, _ value: Double, after: [Int] = [1, 1]) -> Attributes {
    [
      "before": .integers([0, 1]), "after": .integers(after), "mode": .string(mode),
      "value": .real(value),
    ]
  }

  @Test("Stored attributes read back")
  func roundTrip() throws {
    let operation = Pad(before: [0, 1], after: [1, 1], mode: .constant, value: 3)
    #expect(operation.attributes == pad("constant", 3))
    #expect(problem(Pad.self, operation.attributes) == "")
  }

  @Test("A number outside of its bounds is named with the bound")
  func bound() {
    let attributes: Attributes = [
      "groups": .integer(0), "axis": .integer(1), "epsilon": .real(1e-3), "scale": .boolean(true),
      "center": .boolean(false),
    ]
    #expect(
      problem(GroupNormalization.self, attributes)
        == "group_normalization: the attribute groups is 0, and must be at least 1")
  }

  @Test("A list of a different length than its companion is refused")
  func count() {
    let problem = problem(Pad.self, pad("constant", 0, after: [1]))
    #expect(problem.contains("the attribute after is [1]"))
  }

  @Test("A number that the mode does not use must be 0")
  func unusedNumber() {
    #expect(
      problem(Pad.self, pad("reflect", 3))
        == "pad: the attribute value is 3.0, but must be 0 in the mode reflect")
    #expect(problem(Pad.self, pad("reflect", 0)) == "")
  }
}
