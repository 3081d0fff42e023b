import Bytes
import GraphIR
import JSON
import KerasFormat

/// Layers of Keras 3 to which `enable_lora` has added two small matrices a and b (Hu et al. 2021).
extension KerasImporter {
  /// Adds the product of the matrices to the weight that they adapt: alpha / rank · a · b. A `.h5`
  /// file has all three, the adapted one last since it is frozen; a `.keras` file has their sum. The
  /// layer may be inside of a wrapper.
  mutating func mergeLowRankWeights(of call: LayerCall) throws(WeighbridgeError) {
    guard let stored = weights[call.name] else { return }
    weights[call.name] = try Self.mergingLowRank(stored, of: call.record)
  }

  /// The same for the list of the weights of a nested model, which has those of the layer in the
  /// scope of its two matrices. Other layers of that name are in other scopes.
  static func mergingLowRank(
    _ list: [KerasLayer.Weight], ofLayersIn model: KerasModelRecord
  ) throws(WeighbridgeError) -> [KerasLayer.Weight] {
    var list = list
    for layer in model.layers {
      if let inner = try innerModel(layer) {
        list = try mergingLowRank(list, ofLayersIn: inner)
      }
      let lowRank = list.filter {
        $0.scope.last == layer.name[...] && $0.lastName.hasPrefix("lora_")
      }
      guard layer.config["lora_rank"]?.integer != nil, let first = lowRank.first else { continue }
      let own = list.filter { $0.scope == first.scope }
      guard lowRank.count == 2, Set(own.map(\.lastName)).count == own.count else {
        throw .unsupported(
          "has \(lowRank.count) matrices of low rank for layers called \(layer.name), expected two, of "
            + "one layer whose weights have names of their own"
        ).at(.path(first.path))
      }
      let position = list.firstIndex { $0.scope == first.scope } ?? 0
      list.removeAll { $0.scope == first.scope }
      list.insert(contentsOf: try mergingLowRank(own, of: layer), at: position)
    }
    return list
  }

  private static func mergingLowRank(
    _ stored: [KerasLayer.Weight], of layer: KerasLayerRecord
  ) throws(WeighbridgeError) -> [KerasLayer.Weight] {
    guard let first = position(of: "a", in: stored), let second = position(of: "b", in: stored)
    else { return stored }
    guard let rank = layer.config["lora_rank"]?.integer else {
      return try layer.inner("layer").map { (wrapped) throws(WeighbridgeError) in
        try mergingLowRank(stored, of: wrapped)
      } ?? stored
    }
    let (a, b) = (stored[first], stored[second])
    let adaptedName = a.lastName.dropFirst("lora_".count).dropLast("_a".count)
    guard let index = stored.firstIndex(where: { $0.lastName == adaptedName }) else {
      throw .malformed("has \(a.lastName), and no weight \(adaptedName) that it adapts")
    }
    let adapted = stored[index]
    let shape = adapted.tensor.shape
    guard rank > 0, a.tensor.shape == Array(shape.dropLast()) + [rank],
      b.tensor.shape == [rank] + Array(shape.suffix(1))
    else {
      throw .malformed(
        "has lora_rank=\(rank) and a weight of the shape \(shape), which \(a.lastName) "
          + "\(a.tensor.shape) and \(b.lastName) \(b.tensor.shape) do not adapt"
      ).at(.path(a.path))
    }
    let scale = (layer.config["lora_alpha"]?.real ?? Double(rank)) / Double(rank)
    let sum = Self.sum(adapted.tensor, a.tensor.doubles, b.tensor.doubles, rank, scale)
    let others = stored.indices.filter { ![first, second, index].contains($0) }
    return [adapted.replacing(sum)] + others.map { stored[$0] }
  }

  /// The position of the matrix `lora_<weight>_<letter>`.
  private static func position(of letter: String, in weights: [KerasLayer.Weight]) -> Int? {
    weights.firstIndex { $0.lastName.hasPrefix("lora_") && $0.lastName.hasSuffix("_\(letter)") }
  }

  private static func sum(
    _ adapted: Tensor, _ a: [Double], _ b: [Double], _ rank: Int, _ scale: Double
  ) -> Tensor {
    let columns = adapted.shape.last ?? 1
    let elements = adapted.doubles.enumerated().map { index, element in
      let (row, column) = index.quotientAndRemainder(dividingBy: columns)
      let product = (0..<rank).reduce(0.0) { $0 + a[row * rank + $1] * b[$1 * columns + column] }
      return element + scale * product
    }
    return Tensor(adapted.elementType, shape: adapted.shape, elements)
  }
}

extension KerasLayer.Weight {
  /// The last part of its name, without the suffix `:0`.
  fileprivate var lastName: Substring {
    let last = name.split(separator: "/").last ?? ""
    return last.prefix { $0 != ":" }
  }

  /// The parts of its name before the last, of which the last is its layer's name.
  fileprivate var scope: ArraySlice<Substring> { name.split(separator: "/").dropLast() }

  /// The same weight with other elements.
  fileprivate func replacing(_ tensor: Tensor) -> Self {
    Self(path: path, tensor: tensor, name: name, localName: localName)
  }
}
