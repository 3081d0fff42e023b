package import Bytes
package import GraphIR

/// What can be shown of a model that cannot be imported, or of weights without a model.
package struct ModelOutline: Sendable {
  /// What an import throws. (An alias, because the compiler does not count an error type used only
  /// after `throws` as a use of its module.)
  package typealias Failure = WeighbridgeError

  /// A layer as the file describes it.
  package struct Layer: Sendable {
    /// The name, prefixed by the enclosing models: `outer/inner/layer`.
    package let name: String
    /// The class in the source.
    package let className: String
    /// The names of its inputs: layers or values, as the format refers to them.
    package var inputs: [String] = []
    /// The types of its outputs; empty where they are not known.
    package var outputs: [TensorType] = []
    /// The operator of its last step; empty where it is not known.
    package var kind = ""
    /// The number of its weights' elements, where it is known.
    package var parameterCount: Int?
    /// Why it cannot be imported; `nil` when it can, or when that is not known.
    package var problem: String?
    /// The layer's name in errors.
    package let label: String
    /// The part of the model that it belongs to; a unit is a part that can be imported without
    /// others.
    package let unit: Int
    /// The units that it reads from.
    package var sources: Set<Int> = []

    /// Makes a layer with the rest unknown.
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
  /// What the file says of itself.
  package var provenance = Provenance()
  /// The model's inputs, as far as their types are known.
  package var inputs: [(name: String, type: TensorType)] = []
  package var outputs: [(name: String, type: TensorType)] = []
  /// The layers, in the order of the file; empty for weights alone.
  package var layers: [Layer] = []
  /// The weights, where the file has a list of them.
  package var weights: [(name: String, type: TensorType)] = []
  /// Further remarks, as sentences without a full stop.
  package var notes: [String] = []

  /// Makes an empty outline.
  package init(format: String, byteCount: Int) {
    self.format = format
    self.byteCount = byteCount
  }
}

extension ModelOutline {
  /// The total number of the weights' elements, and their size in bytes.
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

  /// The number of elements of an unchecked shape; 0 where they would not fit in memory.
  package static func elementCount(_ shape: [Int]) -> Int {
    guard shape.allSatisfy({ $0 >= 0 }),
      let bytes = try? Checked.product(shape + [8], of: "a weight")
    else { return 0 }
    return bytes / 8
  }

  /// The largest number of attempts, each of which leaves out one more layer that cannot be
  /// imported.
  private static let attemptLimit = 16

  /// Imports what can be imported, to learn the types of the layers' outputs and why other layers
  /// cannot be imported.
  ///
  /// - Parameter importUnits: Makes a graph of some of the model's units; its nodes keep the names
  ///   of their layers.
  package mutating func attempt(_ importUnits: (Set<Int>) throws(Failure) -> Graph) {
    for _ in 0..<Self.attemptLimit {
      let units = importable  // even without units, there are the inputs
      do throws(WeighbridgeError) {
        let graph = try importUnits(units)
        return take(graph)
      } catch {
        guard let place = error.place.layer,
          let index = layers.indices.first(where: { index in
            units.contains(layers[index].unit) && layers[index].isCalled(place)
          })
        else { return }
        layers[index].problem = error.reason
      }
    }
  }

  /// The units without problems that read from no others.
  private var importable: Set<Int> {
    var broken = Set(layers.filter { $0.problem != nil }.map(\.unit))
    var count: Int
    repeat {
      count = broken.count
      for layer in layers where !layer.sources.isDisjoint(with: broken) {
        broken.insert(layer.unit)
      }
    } while broken.count > count
    return Set(layers.map(\.unit)).subtracting(broken)
  }

  /// Takes over what a graph says about the layers that became its nodes.
  package mutating func take(_ graph: Graph) {
    var positions: [String: Int] = [:]
    for (index, layer) in layers.enumerated() where positions[layer.name] == nil {
      positions[layer.name] = index
    }
    var seen: Set<ValueID> = []
    for node in graph.nodes where node.source.call == 0 {
      guard let index = positions[node.source.layer] else { continue }
      let fresh = node.inputs.filter { seen.insert($0).inserted }
      layers[index].parameterCount =
        (layers[index].parameterCount ?? 0)
        + fresh.reduce(0) { $0 + (graph[$1].constant?.count ?? 0) }
      layers[index].outputs = node.outputs.map { graph[$0].type }
      layers[index].kind = node.operation.kind
    }
    if inputs.isEmpty { inputs = graph.inputs.map { ($0.name, graph[$0.value].type) } }
    if weights.isEmpty { weights = graph.weights.map { ($0.name, $0.tensor.type) } }
  }
}

extension ModelOutline.Layer {
  /// Whether an error's location is this layer. Positions in it may not count the whole model.
  fileprivate func isCalled(_ place: String) -> Bool {
    if place == label { return true }
    func unnumbered(_ text: String) -> Substring {
      guard text.hasPrefix("#") else { return text[...] }
      return text.drop { $0 != " " }
    }
    return !className.hasPrefix("[") && unnumbered(place) == unnumbered(label)
  }
}
