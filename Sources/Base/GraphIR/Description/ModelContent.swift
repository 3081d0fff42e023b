import Bytes

/// A model as every importer returns it and every exporter takes it.
package struct ModelContent: Sendable {
  /// The computation.
  package var graph: Graph
  /// The description for people and programs.
  package var description: ModelDescription
  /// The origin.
  package var provenance: Provenance
  /// The references with which it was verified.
  package var references: [ReferenceSet]
  /// The cost of making its weights smaller; `nil` when nothing was lost.
  package var compaction: CompactionRecord?

  /// Creates a model.
  package init(
    graph: Graph, description: ModelDescription, provenance: Provenance,
    references: [ReferenceSet] = [], compaction: CompactionRecord? = nil
  ) {
    self.compaction = compaction
    self.graph = graph
    self.description = description
    self.provenance = provenance
    self.references = references
  }

  /// The arrays of the inputs that a run may leave out, by name.
  package var defaultInputs: [String: Tensor] {
    var arrays: [String: Tensor] = [:]
    for (port, feature) in zip(graph.inputs, description.inputs) {
      guard let number = feature.defaultValue else { continue }
      arrays[port.name] = graph[port.value].type.filled(with: number)
    }
    return arrays
  }
}

extension TensorType {
  /// The most elements of an array that is made for an input.
  package static let mostFilledElements = 1 << 26

  /// Whether an array of the type can have one value everywhere: all sizes are known, and an element
  /// can have the value.
  package func canBeFilled(with number: Double) -> Bool { filledShape(number) != nil }

  /// Returns an array of the type with one value everywhere; `nil` if there is none.
  package func filled(with number: Double) -> Tensor? {
    guard let shape = filledShape(number) else { return nil }
    let element = Tensor(elementType, shape: [1], [number]).contiguousBytes()
    let elements = repeatElement(element, count: shape.reduce(1, *))
    return Tensor(elementType, shape: shape, bytes: Array(elements.joined()))
  }

  private func filledShape(_ number: Double) -> [Int]? {
    guard elementType.canHold(number), let shape = fixedShape,
      let count = try? Checked.product(shape, of: "the size of an input"),
      count <= Self.mostFilledElements
    else { return nil }
    return shape
  }
}
