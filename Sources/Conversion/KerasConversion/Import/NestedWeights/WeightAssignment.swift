import Bytes
import GraphIR

/// Decides which weights of one list belong to which of several layers.
struct WeightAssignment {
  private let list: [KerasLayer.Weight]
  private let requests: [WeightRequest]
  private let owners: [WeightNames.Owner]
  /// The owner of each requested weight, in the order of the layers.
  private let ownerOfRequested: [Int]
  /// The index in ``requests`` of each owner's layer.
  private let requestOfOwner: [Int]
  private let names: WeightNames

  init(_ list: [KerasLayer.Weight], _ requests: [WeightRequest]) {
    var owners: [WeightNames.Owner] = []
    var (ownerOfRequested, requestOfOwner): ([Int], [Int]) = ([], [])
    for (index, request) in requests.enumerated() {
      let path = request.path.split(separator: "/")
      var ownerOfPart: [[WeightPart.Name]: Int] = [:]
      for weight in request.weights {
        let owner = ownerOfPart[weight.part.names] ?? owners.count
        if owner == owners.count {
          ownerOfPart[weight.part.names] = owner
          owners.append(WeightNames.Owner(path: path, part: weight.part, weights: []))
          requestOfOwner.append(index)
        }
        owners[owner].weights.append(weight)
        ownerOfRequested.append(owner)
      }
    }
    (self.list, self.requests, self.owners) = (list, requests, owners)
    (self.ownerOfRequested, self.requestOfOwner) = (ownerOfRequested, requestOfOwner)
    names = WeightNames(list.map { .init(name: $0.name, shape: $0.tensor.shape) }, owners)
  }

  /// The number of weights that all layers take together.
  var count: Int { ownerOfRequested.count }

  /// Returns the weights of each layer, in the order in which it takes them, and whether the names
  /// decided against the order.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` unless the names or the order decide.
  func result(
    _ order: WeightOrder
  ) throws(WeighbridgeError) -> (weights: [[KerasLayer.Weight]], contradictsOrder: Bool) {
    guard owners.count > 1 else {
      return (weights([Int](repeating: 0, count: list.count)), false)
    }
    let possible = order.candidates?.map { $0.map { ownerOfRequested[$0] } }
    if let byName = names.assignment() {
      return (weights(byName), possible.map { !$0.contains(byName) } ?? false)
    }
    guard let possible else { throw undecided }
    var permitted = Set(possible.filter(names.permit))
    if permitted.isEmpty { throw contradiction(possible[0]) }
    if permitted.count > 1 { permitted = permitted.filter(names.followCreation) }
    guard let only = permitted.first, permitted.count == 1 else { throw undecided }
    return (weights(only), false)
  }

  /// The weights of each layer, given the owner of each: one owner's in the order of the list.
  private func weights(_ assignment: [Int]) -> [[KerasLayer.Weight]] {
    var ofOwners = [[KerasLayer.Weight]](repeating: [], count: owners.count)
    for (weight, owner) in zip(list, assignment) { ofOwners[owner].append(weight) }
    var result = [[KerasLayer.Weight]](repeating: [], count: requests.count)
    for (request, weights) in zip(requestOfOwner, ofOwners) { result[request] += weights }
    return result
  }

  private func contradiction(_ assignment: [Int]) -> WeighbridgeError {
    guard let index = names.contradiction(of: assignment) else { return undecided }
    let layer = owners[assignment[index]].path.joined(separator: "/")
    return WeighbridgeError(
      .malformed,
      "is called \(list[index].name) and has the shape \(list[index].tensor.shape); the names of the "
        + "weights do not say which layer each belongs to, and in the order that follows from what is "
        + "frozen this one would be of the layer \(layer), which it does not fit"
    ).at(.path(list[index].path))
  }

  private var undecided: WeighbridgeError {
    let examples = list.prefix(3).map(\.name).joined(separator: ", ")
    return WeighbridgeError(
      .malformed,
      "its weights (\(examples), ...) are in an order that depends on which models in it were frozen, "
        + "and neither the file nor their names say that; the model saved as .keras has each layer's "
        + "weights by themselves")
  }
}
