import Bytes
import TensorFlowFormat

/// Finds the weights of a model's layers in a checkpoint of TensorFlow 1, which has the names of
/// variables only: `dense_1/kernel`, and `lstm/lstm_cell/kernel` for the variables of a cell.
struct KerasNamedVariables {
  private let bundle: TensorBundle

  init(_ bundle: TensorBundle) { self.bundle = bundle }

  /// The variables of layers as Keras names them, in the order in which it creates them.
  private static let roles = [
    "kernel", "depthwise_kernel", "pointwise_kernel", "embeddings", "recurrent_kernel", "alpha",
    "gamma",
    "beta", "bias", "moving_mean", "moving_variance",
  ]

  /// The names of what optimizers keep for a variable, and of numbers that count steps.
  private static let trainingNames: Set<String> = [
    "Adadelta", "Adagrad", "Adam", "Adamax", "ExponentialMovingAverage", "Ftrl", "Momentum",
    "RMSProp",
    "SGD", "Nadam", "TFOptimizer", "beta1_power", "beta2_power", "global_step", "training",
  ]

  /// The weights of a model's layers.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for variables that are not those of a layer under
  ///   the names that Keras gives.
  func groups(of model: KerasModelRecord) throws(WeighbridgeError) -> [KerasWeightGroup] {
    var names: [String: [String]] = [:]
    for name in bundle.tensors.keys.sorted() where !Self.isTrainingState(name) {
      names[String(name.prefix { $0 != "/" }), default: []].append(name)
    }
    var groups: [KerasWeightGroup] = []
    for layer in model.layers {
      guard let own = names.removeValue(forKey: layer.name) else { continue }
      groups.append(
        KerasWeightGroup(layerName: layer.name, weights: try weights(own, of: layer.name)))
    }
    guard let (_, others) = names.min(by: { $0.key < $1.key }) else { return groups }
    throw .unsupported(
      "has the variable \(others[0]), and the architecture has no layer of that name; a checkpoint of "
        + "TensorFlow 1 is read where its variables have the names that Keras gives them, such as "
        + "dense_1/kernel")
  }

  private func weights(
    _ names: [String], of layer: String
  ) throws(WeighbridgeError) -> [KerasWeight] {
    var ranked: [(rank: (Int, Int), weight: KerasWeight)] = []
    for name in names {
      let parts = name.split(separator: "/").dropFirst().map(String.init)
      guard let tensor = bundle.tensors[name], let type = tensor.type.elementType,
        let role = parts.last.flatMap(Self.roles.firstIndex),
        let scope = Self.scope(parts.dropLast())
      else {
        throw .unsupported("has the variable \(name), which is not one that Keras gives a layer")
      }
      let weight = KerasWeight(
        name: name, localName: parts.joined(separator: "/"), path: name, elementType: type,
        shape: tensor.shape)
      ranked.append(((scope, role), weight))
    }
    guard Set(ranked.map { "\($0.rank)" }).count == ranked.count else {
      throw .unsupported(
        "has two variables of \(layer) for one use: \(names.joined(separator: ", "))")
    }
    return ranked.sorted { $0.rank < $1.rank }.map(\.weight)
  }

  /// The position of the variables in a scope of a layer: its own or those of its cell, or those of
  /// the forward layer and then the backward one; `nil` for another scope.
  private static func scope(_ names: ArraySlice<String>) -> Int? {
    guard let first = names.first else { return 0 }
    if first.hasPrefix("forward_") { return 0 }
    if first.hasPrefix("backward_") { return 1 }
    return names.count == 1 && first.contains("_cell") ? 0 : nil
  }

  /// Whether the first part of a name is an optimizer's, or the last one, apart from its number.
  private static func isTrainingState(_ name: String) -> Bool {
    let parts = name.split(separator: "/")
    let last = parts.last.map { part in
      let words = part.split(separator: "_")
      return words.count == 2 && Int(words[1]) != nil ? words[0] : part
    }
    return [parts.first, last].contains { $0.map { trainingNames.contains(String($0)) } ?? true }
  }
}
