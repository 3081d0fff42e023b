import KerasConversion
import Testing

/// What the operators of the catalog say of Keras.
@Suite struct KerasMappingTests {
  private let mappings = Array(KerasMappings.byKind.values)

  private func duplicates(_ names: [String]) -> [String] {
    Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
  }

  @Test("No two operators claim the same Keras layer")
  func layersAreUnique() {
    let names = mappings.flatMap(\.layers.keys)
    #expect(names.count > 100)
    #expect(duplicates(names) == [])
  }

  @Test("No two operators claim the same Keras activation function")
  func activationsAreUnique() {
    let names = mappings.flatMap(\.activations.keys)
    #expect(names.count > 20)
    #expect(duplicates(names) == [])
  }
}
