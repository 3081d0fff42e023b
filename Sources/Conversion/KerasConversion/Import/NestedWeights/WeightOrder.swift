import Bytes
import JSON
import KerasFormat

/// The orders in which Keras may have listed the weights of a model or layer: the trainable ones
/// before the others, at every level.
///
/// There are several where the file does not say which models are frozen.
struct WeightOrder {
  /// A layer or model with its weights, by their positions in the order of the layers.
  private indirect enum Node {
    /// A layer; whether each weight is trainable.
    case layer([(position: Int, isTrainable: Bool)])
    /// A model; `nil` if it is unknown whether it is trained.
    case model([Node], isTrainable: Bool?)
    /// A layer around a model.
    case wrapper(Node, isTrainable: Bool)
    /// A whole model, whose layers are listed one after the other.
    case sequence([Node])
  }

  /// The positions of trainable weights, and of the others.
  private typealias Lists = (trainable: [Int], others: [Int])

  private let roots: [Node]
  private let version: KerasVersion
  /// More unknown flags than these are not tried.
  private static let unknownLimit = 8

  /// - Parameter requests: What each layer requests, by its path.
  init(
    of model: KerasModelRecord, in record: KerasLayerRecord, path: String,
    _ requests: [String: WeightRequest], _ version: KerasVersion
  ) throws(WeighbridgeError) {
    self.version = version
    var count = 0
    let layers = try Self.nodes(model, path, requests, &count)
    let isTrainable = try record.config.trainableFlag()
    roots = [
      record.isModel
        ? .model(layers, isTrainable: isTrainable)
        : try .wrapper(
          .model(layers, isTrainable: Self.innermost(record).config.trainableFlag()),
          isTrainable: isTrainable ?? true)
    ]
  }

  /// The orders of a whole model: layer by layer as in an `.h5` file, which tensorflowjs converts, or
  /// as Keras lists the weights of a model.
  init(
    of model: KerasModelRecord, _ requests: [String: WeightRequest], _ version: KerasVersion
  ) throws(WeighbridgeError) {
    self.version = version
    var count = 0
    let layers = try Self.nodes(model, "", requests, &count)
    roots = [.sequence(layers), .model(layers, isTrainable: nil)]
  }

  /// - Parameter request: What a layer requests that is no model.
  init(of request: WeightRequest, _ version: KerasVersion) {
    self.version = version
    var count = 0
    roots = [.layer(Self.weights(of: request, &count))]
  }

  /// The possible orders, as the positions of the weights that are listed; `nil` if there are too many.
  var candidates: [[Int]]? {
    var found: [[Int]] = []
    for root in roots {
      let unknown = Self.unknownCount(root)
      guard unknown <= Self.unknownLimit else { return nil }
      for bits in 0..<(1 << unknown) {
        for keepsOrder in [true, false] {
          var flags = (0..<unknown).map { bits >> $0 & 1 == 0 }[...]
          let lists =
            version.major >= 3 ? Self.flat(root) : lists(of: root, &flags, keepsOrder)
          let order = lists.trainable + lists.others
          if !found.contains(order) { found.append(order) }
        }
      }
    }
    return found
  }

  private static func nodes(
    _ model: KerasModelRecord, _ path: String, _ requests: [String: WeightRequest],
    _ count: inout Int
  ) throws(WeighbridgeError) -> [Node] {
    var result: [Node] = []
    for layer in model.layers {
      let isTrainable = try layer.config.trainableFlag()
      if let inner = try KerasImporter.innerModel(layer) {
        let layers = try nodes(inner, "\(path)\(layer.name)/", requests, &count)
        result.append(
          layer.isModel
            ? .model(layers, isTrainable: isTrainable)
            : .wrapper(
              .model(layers, isTrainable: try innermost(layer).config.trainableFlag()),
              isTrainable: isTrainable ?? true))
      } else if let request = requests[path + layer.name] {
        result.append(.layer(weights(of: request, &count)))
      }
    }
    return result
  }

  /// The layer inside wrappers.
  private static func innermost(
    _ record: KerasLayerRecord
  ) throws(WeighbridgeError) -> KerasLayerRecord {
    var record = record
    while !record.isModel, let inner = try record.inner("layer") { record = inner }
    return record
  }

  private static func weights(
    of request: WeightRequest, _ count: inout Int
  ) -> [(position: Int, isTrainable: Bool)] {
    defer { count += request.weights.count }
    return request.weights.enumerated().map {
      (count + $0, $1.isTrainable && !$1.part.isFrozen && !request.isFrozen)
    }
  }

  private static func unknownCount(_ node: Node) -> Int {
    switch node {
    case .layer: 0
    case .model(let layers, let isTrainable):
      layers.reduce(isTrainable == nil ? 1 : 0) { $0 + unknownCount($1) }
    case .wrapper(let inner, _): unknownCount(inner)
    case .sequence(let layers): layers.reduce(0) { $0 + unknownCount($1) }
    }
  }

  /// The lists up to Keras 2.
  ///
  /// - Parameters:
  ///   - flags: For the models whose flag is unknown, whether they are trained.
  ///   - keepsOrder: Whether a frozen wrapper lists the weights of its model layer by layer, which
  ///     depends on the version.
  private func lists(of node: Node, _ flags: inout ArraySlice<Bool>, _ keepsOrder: Bool) -> Lists {
    switch node {
    case .layer(let weights):
      let trainable = weights.filter(\.isTrainable).map(\.position)
      return (trainable, weights.filter { !$0.isTrainable }.map(\.position))
    case .model(let layers, let known):
      let isTrainable = known ?? flags.removeFirst()
      var lists: Lists = ([], [])
      for layer in layers {
        let inner = self.lists(of: layer, &flags, keepsOrder)
        lists = (lists.trainable + inner.trainable, lists.others + inner.others)
      }
      return isTrainable ? lists : ([], lists.trainable + lists.others)
    case .wrapper(let model, let isTrainable):
      let lists = lists(of: model, &flags, keepsOrder)
      // Before 2.4, unless inside TensorFlow, a wrapper is frozen when what it wraps is.
      if isTrainable || version < KerasVersion(2, 4) && version.suffix != "-tf" { return lists }
      let all = lists.trainable + lists.others
      return ([], keepsOrder ? all.sorted() : all)
    case .sequence(let layers):
      return (
        layers.flatMap { layer in
          let lists = lists(of: layer, &flags, keepsOrder)
          return lists.trainable + lists.others
        }, []
      )
    }
  }

  /// The lists of Keras 3, in which a variable itself is frozen; a frozen model or wrapper lists its
  /// variables layer by layer.
  private static func flat(_ root: Node) -> Lists {
    var weights: [(position: Int, isTrainable: Bool)] = []
    func visit(_ node: Node) {
      switch node {
      case .layer(let own): weights += own
      case .model(let layers, _), .sequence(let layers): for layer in layers { visit(layer) }
      case .wrapper(let inner, _): visit(inner)
      }
    }
    visit(root)
    let isTrainable: Bool
    switch root {
    case .layer: isTrainable = true
    case .model(_, let known): isTrainable = known ?? true
    case .wrapper(_, let known): isTrainable = known
    case .sequence(let layers):
      let lists = layers.map(flat)
      return (lists.flatMap { $0.trainable + $0.others }, [])
    }
    guard isTrainable else { return ([], weights.map(\.position)) }
    return (
      weights.filter(\.isTrainable).map(\.position),
      weights.filter { !$0.isTrainable }.map(\.position)
    )
  }
}
