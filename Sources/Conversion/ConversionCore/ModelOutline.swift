package import Bytes
package import GraphIR

/// What can be shown of a model that cannot be imported, or of weights without a model.
package struct ModelOutline: Sendable {
  /// What an import throws. (An alias, because the compiler does not count an error type used only
  /// after `throws` as a use of its module.)
  package typealias Failure = WeighbridgeError

  /// A layer, as the file describes it.
  package struct Layer: Sendable {
    /// The name, prefixed by the enclosing models: `outer/inner/layer`.
    package let name: String
    /// The class in the source.
    package let className: String
    /// The names of its inputs: layers or values, as the format refers to them.
    package var inputs: [String] = []
    /// The types of its outputs; empty when they are unknown.
    package var outputs: [TensorType] = []
    /// The kind of the last operator that it becomes; empty when it is unknown.
    package var kind = ""
    /// The number of elements of its weights; `nil` when it is unknown.
    package var parameterCount: Int?
    /// Why it cannot be imported; `nil` when it can be, or when that is unknown.
    package var problem: String?
    /// The layer's name in errors.
    package let label: String
    /// The unit that it belongs to: a part of the model that can be imported without others.
    package let unit: Int
    /// The units that it reads from.
    package var sources: Set<Int> = []

    /// Creates a layer about which the rest is unknown.
    package init(
      name: String, className: String, inputs: [String] = [], label: String, unit: Int
    ) {
      self.name = name
      self.className = className
      self.inputs = inputs
      self.label = label
      self.unit = unit
    }
  }

  /// The file's format, in words.
  package var format: String
  /// The size of the file in bytes.
  package let byteCount: Int
  /// What the file says about its origin.
  package var provenance = Provenance()
  /// The model's inputs, as far as their types are known.
  package var inputs: [(name: String, type: TensorType)] = []
  package var outputs: [(name: String, type: TensorType)] = []
  /// The layers, in the order of the file; empty for weights alone.
  package var layers: [Layer] = []
  /// The weights, if the file lists them.
  package var weights: [(name: String, type: TensorType)] = []
  /// Further remarks, as sentences without a full stop.
  package var notes: [String] = []

  /// Creates an empty outline.
  package init(format: String, byteCount: Int) {
    self.format = format
    self.byteCount = byteCount
  }
}

extension ModelOutline {
  /// The total number of elements of the weights, and their size in bytes.
  package var weightSize: (elements: Int, bytes: Int) {
    weights.reduce((0, 0)) { sums, weight in
      let count = Self.elementCount(weight.type.fixedShape ?? [])
      let size = weight.type.elementType.byteCount
      return (
        (try? Checked.sum(sums.0, count, of: "the weights")) ?? .max,
        (try? Checked.sum(sums.1, count * size, of: "the weights")) ?? .max
      )
    }
  }

  /// The number of elements of a shape that has not been checked; 0 if they cannot fit in memory.
  package static func elementCount(_ shape: [Int]) -> Int {
    guard shape.allSatisfy({ $0 >= 0 }),
      let bytes = try? Checked.product(shape + [8], of: "a weight")
    else { return 0 }
    return bytes / 8
  }

  /// The maximum number of attempts; each leaves out one more layer that cannot be imported.
  private static let attemptLimit = 16

  /// Imports as many units as possible, to find out the types of the layers' outputs and why other
  /// layers cannot be imported.
  ///
  /// - Parameter importUnits: Imports some of the model's units as a graph, whose nodes keep the
  ///   names of their layers.
  package mutating func attemptImport(_ importUnits: (Set<Int>) throws(Failure) -> Graph) {
    for _ in 0..<Self.attemptLimit {
      let units = importableUnits  // without any units, the graph still has the inputs
      do throws(WeighbridgeError) {
        let graph = try importUnits(units)
        return merge(graph)
      } catch {
        guard let location = error.place.layer,
          let index = layers.indices.first(where: { index in
            units.contains(layers[index].unit) && layers[index].matches(location)
          })
        else { return }
        layers[index].problem = error.reason
      }
    }
  }

  /// The units that neither have a problem nor depend on a unit that has one.
  private var importableUnits: Set<Int> {
    var failed = Set(layers.filter { $0.problem != nil }.map(\.unit))
    var count: Int
    repeat {
      count = failed.count
      for layer in layers where !layer.sources.isDisjoint(with: failed) {
        failed.insert(layer.unit)
      }
    } while failed.count > count
    return Set(layers.map(\.unit)).subtracting(failed)
  }

  /// Adds what a graph says about the layers that became its nodes.
  package mutating func merge(_ graph: Graph) {
    var positions: [String: Int] = [:]
    for (index, layer) in layers.enumerated() where positions[layer.name] == nil {
      positions[layer.name] = index
    }
    var counted: Set<ValueID> = []
    for node in graph.nodes where node.source.call == 0 {
      guard let index = positions[node.source.layer] else { continue }
      let newInputs = node.inputs.filter { counted.insert($0).inserted }
      layers[index].parameterCount =
        (layers[index].parameterCount ?? 0)
        + newInputs.reduce(0) { $0 + (graph[$1].constant?.count ?? 0) }
      layers[index].outputs = node.outputs.map { graph[$0].type }
      layers[index].kind = node.operation.kind
    }
    if inputs.isEmpty { inputs = graph.inputs.map { ($0.name, graph[$0.value].type) } }
    if weights.isEmpty { weights = graph.weights.map { ($0.name, $0.tensor.type) } }
  }
}

extension ModelOutline.Layer {
  /// Whether an error's location names this layer. A position in the location is ignored, since it
  /// may have been counted in a part of the model.
  fileprivate func matches(_ location: String) -> Bool {
    if location == label { return true }
    func withoutPosition(_ text: String) -> Substring {
      guard text.hasPrefix("#") else { return text[...] }
      return text.drop { $0 != " " }
    }
    return !className.hasPrefix("[") && withoutPosition(location) == withoutPosition(label)
  }
}
